"""Benchmarks: ratios against peers or our last result, measured in one run (`make bench`)."""
