"""Components of the Documents page: uploads, pages and text, edits of the parse, related documents."""
