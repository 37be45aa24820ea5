"""Tools shared by readers: canonical text with exact spans, blocks, tables and numerals."""
