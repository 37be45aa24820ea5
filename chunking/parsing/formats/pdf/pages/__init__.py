"""Pages of a PDF: reading, running heads and feet, scans, OCR, page images."""
