"""Splitting strategies: their table, custom splitters, and splitters of other packages."""
