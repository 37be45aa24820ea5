"""Whole workspaces: linked to a second folder, backed up and restored, compacted, the bytes of each counted."""
