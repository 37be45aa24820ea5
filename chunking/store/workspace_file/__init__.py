"""Workspaces as single files: save to a file, and open a file, also a stranger's."""
