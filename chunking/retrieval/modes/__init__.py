"""Retrieval modes: a row each, their ranking, and their results."""
