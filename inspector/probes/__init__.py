"""Probes: questions with expected answers, asked of the exact context of a call, by looking or by asking a model."""
