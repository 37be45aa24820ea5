"""Review of a candidate index on the Index page: boundaries, gold answers, texts; promote or drop."""
