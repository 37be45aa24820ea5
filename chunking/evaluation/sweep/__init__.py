"""Many configurations measured on the same questions."""
