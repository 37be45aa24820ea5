"""Read the content of a PDF page: characters, ruling lines, segments and forms."""
