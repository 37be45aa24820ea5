"""The modes of retrieval: a row each, how they rank, and what they show."""
