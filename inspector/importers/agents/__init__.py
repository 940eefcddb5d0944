"""Logs that coding agents keep of their own runs: transcripts, rollouts, sessions, trajectories."""
