"""Everything that the hosts draw, imported before the first page: dialogs, menus, the account."""

from __future__ import annotations

import streamlit as st

from chunking.deployment import Person
from chunking.store import Right
from components.kit.wording import plain, quantity
from components.session.current_workspace import current
from components.workspaces.switcher import draw_action
from components.workspaces.workspace_file_dialogs import save_button
from hosting.demo.demo_menu import demo_base, demo_menu, note_click
from hosting.dialogs.activity_list import others_changes
from hosting.dialogs.invitation_page import answer_invitation
from hosting.dialogs.share_dialog import share_dialog
from hosting.dialogs.snapshot_views import snapshot_line, snapshot_results
from hosting.people.identity import hosted
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


def draw_share_button() -> None:
    """Draw the button of the share dialog."""
    draw_action("Share and activity", "group", "share", share_dialog)


def draw_account(person: Person) -> None:
    """Draw who is signed in, with a button to sign out."""
    with st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="workspace-person"
    ):
        st.caption(f"Signed in as {plain(person.name)}" + (f" · {plain(person.email)}" if person.email else ""))
        st.button("Sign out", icon=":material/logout:", key="sign-out", type="tertiary", on_click=st.logout)


def snapshot_menu() -> None:
    """Draw the menu of a snapshot, with a button to save it as a file unless it is results-only."""
    now = current()
    with st.popover("Snapshot", icon=":material/photo_camera:"):
        st.markdown(f"**{plain(now.name)}** as it was, read-only.")
        if now.access.allows(Right.READ):
            st.caption("Save it as one file and open that in your own workspace.")
            save_button(now)


def draw_llm_usage(payer: str) -> None:
    """Draw how many of their allowed model requests a person sent in 24 hours, and any cost."""
    quotas = hosted().quotas
    (sent, paid), most = quotas.used_llm(payer), quotas.limits
    cost = f", at a cost of {paid:,.2f} of {most.llm_cost:,.2f}" if paid else ""
    st.caption(
        f"You have sent {sent:,} of {quantity(most.llm_requests, 'request')}{cost}, in the last 24 hours.",
        help="All your requests here to the language model and the embedding server.",
    )
