"""Logs of evaluations: inspect_ai's."""
