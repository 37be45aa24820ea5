"""Building of chunks from boundaries: texts, embedded texts, ids, flags and relations."""
