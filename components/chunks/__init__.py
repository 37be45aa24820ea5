"""The Chunks page: boundaries over the text, outline, live recall, comparison, pins."""
