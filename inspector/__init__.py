"""Context Inspector: shows, call by call, what an LLM agent's model was really sent."""
