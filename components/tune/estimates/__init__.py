"""A sweep estimated on Tune: the picture that fills, which few are measured, and both numbers side by side."""
