"""Sweeps on the Tune page: values to try, estimated time, progress and results."""
