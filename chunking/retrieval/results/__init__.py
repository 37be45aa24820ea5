"""Results of a search: hits with explanations, groups, citations and highlights."""
