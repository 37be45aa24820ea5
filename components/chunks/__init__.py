"""Components of the Chunks page: chunks over the text, outline, live recall, comparison, pins."""
