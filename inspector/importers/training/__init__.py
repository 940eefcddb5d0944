"""Data sets of conversations that models are trained on."""
