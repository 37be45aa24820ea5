"""Boundaries to chunks: texts, embedded texts, ids, flags and relations."""
