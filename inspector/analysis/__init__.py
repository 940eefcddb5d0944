"""What the figures of a session mean: pure functions on the values of the index."""
