"""Models that score a query and a text together: cross-encoders, and late interaction of token vectors."""
