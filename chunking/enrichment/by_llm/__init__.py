"""Requests to a language model: prompts, sending and plain answers."""
