"""Index runs: split, enrich, embed and commit; at a lower fallback level after a failure."""
