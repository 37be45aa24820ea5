"""The question set that pages share, labels on their way into it, and its runs."""
