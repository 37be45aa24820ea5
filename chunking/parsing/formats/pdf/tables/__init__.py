"""Tables with ruling lines."""
