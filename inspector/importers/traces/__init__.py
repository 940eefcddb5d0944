"""What tracing tools and checkpointers kept of an agent: observations, runs, spans, states."""
