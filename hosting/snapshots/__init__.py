"""Frozen versions of workspaces, each behind an address of its own."""
