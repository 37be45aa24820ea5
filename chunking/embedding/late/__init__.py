"""Late chunking: a document encoded once, from which the vector of any span is pooled."""
