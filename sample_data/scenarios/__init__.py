"""The sample sessions: one module an incident, its conversation in the TOML file of the same name."""
