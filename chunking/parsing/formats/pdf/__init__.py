"""PDFs, read by pdfium: characters to lines in reading order, to headings and tables, to blocks."""
