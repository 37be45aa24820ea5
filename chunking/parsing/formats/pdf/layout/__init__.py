"""Reading order and structure: segments into rows, columns, lines, paragraphs and lists."""
