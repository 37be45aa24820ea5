"""PDF: characters to lines, lines to paragraphs, and what the bookmarks, rules and pictures of a page say about them."""
