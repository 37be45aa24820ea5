"""Ranking of candidates: fusion of the legs, larger sizes, parents, the tree, duplicates."""
