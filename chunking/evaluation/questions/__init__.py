"""Question sets: questions with gold spans, their import, generation, editing and storage."""
