"""PDFs, read by pdfium: from characters to lines in reading order, headings, tables and blocks."""
