"""Everything that the hosts draw, imported before the first page is drawn."""

from __future__ import annotations

from hosting.demo.demo_menu import demo_base, demo_menu, note_click
from hosting.dialogs.account_menu import draw_account, draw_llm_usage, draw_share_button, snapshot_menu
from hosting.dialogs.activity_list import others_changes
from hosting.dialogs.invitation_page import answer_invitation
from hosting.dialogs.share_dialog import share_dialog
from hosting.dialogs.snapshot_views import snapshot_line, snapshot_results
from hosting.people.sign_in_page import gate

__all__ = [
    "answer_invitation",
    "demo_base",
    "demo_menu",
    "draw_account",
    "draw_llm_usage",
    "draw_share_button",
    "gate",
    "note_click",
    "others_changes",
    "share_dialog",
    "snapshot_line",
    "snapshot_menu",
    "snapshot_results",
]
