"""Reading order: segments to rows, columns, lines, paragraphs and lists."""
