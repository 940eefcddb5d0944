"""Values: requests and their dialects, layers, settings and tokens. Pure but for the vocabularies on disk."""
