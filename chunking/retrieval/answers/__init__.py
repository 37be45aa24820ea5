"""Answers by a language model from a search's context, with checked citations."""
