"""Markdown, and wiki markup in it: the canonical text is the source itself."""
