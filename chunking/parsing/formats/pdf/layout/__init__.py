"""Reading order: segments into rows, columns, lines, paragraphs and lists."""
