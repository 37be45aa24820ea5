"""Recall that follows a slider: documents and questions encoded once, searched as arrays."""
