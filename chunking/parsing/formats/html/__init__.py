"""Web pages, and the formats that are converted to one: Word files, e-books, mail."""
