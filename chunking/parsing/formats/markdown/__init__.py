"""Markdown, and wiki markup: the canonical text is the source itself."""
