"""The Search page: the search field, hits, two searches side by side, the context."""
