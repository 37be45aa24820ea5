"""A question set on Evaluate: how it is chosen, imported, made, reviewed and saved."""
