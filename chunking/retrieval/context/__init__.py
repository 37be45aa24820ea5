"""Context for a language model: hits with neighbours within a token budget, and its cost."""
