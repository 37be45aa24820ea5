"""The Chunks page: boundaries over the text, the outline, live recall, what the settings achieve."""
