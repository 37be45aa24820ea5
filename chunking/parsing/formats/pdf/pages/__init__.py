"""Pages one by one: running headers and footers, scans, recognised text, pictures of pages."""
