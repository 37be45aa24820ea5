"""Queries: parts, search terms and vectors."""
