"""Backups of a workspace, or of a home folder with all its workspaces."""

from __future__ import annotations

from hosting.backups.backups import back_up, restore

__all__ = ["back_up", "restore"]
