"""Read what a PDF page draws: characters, ruling lines, segments and forms."""
