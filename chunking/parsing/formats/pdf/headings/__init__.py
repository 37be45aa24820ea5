"""Find headings and their levels: from bookmarks, typography, numbers and labels."""
