"""An index run: split, enrich, embed, commit; at a lower fallback level where it fails."""
