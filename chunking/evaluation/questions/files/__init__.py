"""Import and export of question files in several formats, with answers located in the documents."""
