"""Retrieval modes: their table, ranking and results."""
