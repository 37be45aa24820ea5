"""A document measured: where a cut is allowed, how good a place it is, and the tokens up to it."""
