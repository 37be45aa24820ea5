"""Indexes: a table each of chunks of all levels, with vectors and full text."""
