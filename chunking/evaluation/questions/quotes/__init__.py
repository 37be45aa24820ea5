"""Where a quote stands in a document: exactly, nearly, and after the document has changed."""
