"""Metrics of results against gold spans: recall, precision, IoU and others, in a table."""
