"""From candidates to a ranking: fusion of the legs, larger sizes, parents, the tree, repeats."""
