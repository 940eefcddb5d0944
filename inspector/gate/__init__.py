"""The gate: what must hold of a whole directory of traces, for a check that runs by itself."""
