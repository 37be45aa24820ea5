"""The workspaces of who is asking: the switcher in the header, and the dialogs that make, share and delete one."""

from components.workspaces.switcher import switcher

__all__ = ["switcher"]
