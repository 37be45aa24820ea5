"""The workspaces of who is asking: the switcher in the header, the dialogs that make, share and delete one, and what an invitation or a
snapshot shows."""

from components.workspaces.invitation_page import answer_invitation
from components.workspaces.others_changes import others_changes
from components.workspaces.snapshot_page import snapshot_line, snapshot_results
from components.workspaces.switcher import switcher

__all__ = ["answer_invitation", "others_changes", "snapshot_line", "snapshot_results", "switcher"]
