"""What the results of a question are worth: recall, precision, IoU and the rest, as a table of metrics."""
