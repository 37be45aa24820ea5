"""A module or package per format: from bytes to text and blocks."""
