"""The first candidates scored again."""
