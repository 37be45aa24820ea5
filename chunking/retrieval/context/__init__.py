"""What a language model receives: hits with their neighbours, within a budget, and what it costs."""
