"""Requests as they were sent, with or without their answers: bodies, batches, cassettes."""
