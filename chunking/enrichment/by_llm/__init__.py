"""Requests to a language model: prompts, sending, plain answers, and their number in advance."""
