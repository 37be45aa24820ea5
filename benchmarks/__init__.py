"""Measurements as ratios against peers, or against our own last result, in one run. `make bench` runs them all."""
