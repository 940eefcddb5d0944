"""Reads files and values as they are found in the wild, whatever their format."""
