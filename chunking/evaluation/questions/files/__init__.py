"""Question sets as files: read whatever their columns are called, checked against the documents, written again."""
