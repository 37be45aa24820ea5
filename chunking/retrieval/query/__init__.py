"""A query: its parts, the terms and words it is matched by, and its vector."""
