"""Documents and their siblings, and documents about the same."""
