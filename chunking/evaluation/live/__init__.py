"""Live recall: scores that follow a slider, from documents and questions encoded once."""
