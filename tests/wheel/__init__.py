"""The wheel: what is in it, what it asks for, and the program installed from it."""
