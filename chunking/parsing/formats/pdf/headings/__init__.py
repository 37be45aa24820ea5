"""Which lines are headings, and at which level: by bookmarks, looks, numbers and labels."""
