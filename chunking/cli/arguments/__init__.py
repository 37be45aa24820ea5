"""The commands and their arguments, as a table."""
