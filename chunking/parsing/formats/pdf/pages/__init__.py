"""Process pages one by one: running heads and feet, scans, OCR, page images."""
