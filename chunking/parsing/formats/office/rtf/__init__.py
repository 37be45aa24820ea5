"""RTF documents: bytes to text and control words (`source`), to paragraphs and rows, to blocks."""
