"""RTF documents: bytes to text and control words (`source`), then to paragraphs, rows and blocks."""
