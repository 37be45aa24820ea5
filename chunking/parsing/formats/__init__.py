"""A module or package a format: bytes of that format to text and blocks."""
