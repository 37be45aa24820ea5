"""Context for a language model: hits with neighbours within a budget, and its cost."""
