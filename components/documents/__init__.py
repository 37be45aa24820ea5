"""The Documents page: uploads, how a document was read, fixes of the parse, related documents."""
