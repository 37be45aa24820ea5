"""Boundaries to chunks: their texts, what is embedded of them, ids, flags and relations."""
