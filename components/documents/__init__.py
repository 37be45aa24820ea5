"""The Documents page: uploads, what is next to a document, its pages."""
