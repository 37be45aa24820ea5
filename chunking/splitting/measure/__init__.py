"""A document measured once: where a cut is allowed, how good a place it is, and the running token count there."""
