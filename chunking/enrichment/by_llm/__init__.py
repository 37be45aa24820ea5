"""What is asked of a language model: prompts, requests, answers made plain, and how many there will be."""
