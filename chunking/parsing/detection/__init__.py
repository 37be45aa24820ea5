"""Detect what a file is from its content first: format, container, encoding, path."""
