"""Tables with rules."""
