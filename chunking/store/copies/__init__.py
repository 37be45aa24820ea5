"""Whole workspaces: linked to a second folder, backed up and restored, compacted, measured."""
