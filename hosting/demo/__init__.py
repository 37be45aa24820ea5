"""Demo mode: the base that visitors get copies of, and their visits."""
