"""How an agent reaches this workspace: the address, the token where one is needed, and what to copy into each client."""

from __future__ import annotations

from importlib.util import find_spec
from urllib.parse import urlencode, urlsplit

import streamlit as st

from chunking.deployment import Mode
from components.agents.client_configs import CLIENTS, Connection
from components.kit.button import button
from components.kit.wording import plain
from components.server.agents import PATH, RESEARCH_PATH
from components.server.agents.agent_callers import WRITE
from components.server.agents.request_checks import refused_request
from components.session.current_workspace import current, linked
from components.session.identity import deployment, snapshot_token
from components.workspaces.public_address import public_address
from components.workspaces.share_dialog import share_dialog

__all__ = ["app_address", "connect_panel"]


def connect_panel() -> None:
    """Draw it. Nobody's token is in what it shows: it is shown once, to who makes it."""
    if find_spec("mcp") is None:
        st.warning(
            "This installation lacks the packages that answer agents. Install the full one to connect any.", icon=":material/extension_off:"
        )
    if snapshot_token():
        st.info("Agents cannot read a snapshot: they come to a workspace, with the role of a person in it.", icon=":material/photo_camera:")
        return
    to = _connection()
    _tell_unreachable(to.address)
    st.caption("The address of this workspace for agents:")
    st.code(to.address, language=None, wrap_lines=True)
    if to.needs_token:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption("Each agent sends a token, which gives it at most your role in this workspace.", width="content")
            if button("Make a token", key="agents.token", icon=":material/key:", type="tertiary"):
                share_dialog()
    rows = {row.name: row for row in CLIENTS}
    chosen = st.segmented_control("Client", list(rows), default=next(iter(rows)), required=True, key="agents.client")
    row = rows[chosen or next(iter(rows))]
    st.markdown(row.where(to))
    if text := row.text(to):
        st.code(text, language=row.language, wrap_lines=True)


def app_address() -> str:
    """Of the app, as agents on this machine or behind the public address reach it; without a slash at its end."""
    address = public_address().rstrip("/")
    if urlsplit(address).netloc:
        return address
    return f"http://localhost:{st.get_option('server.port')}"  # a session without a browser


def _connection() -> Connection:
    here, now = deployment(), current()
    local = here.settings.sharing.mode is Mode.LOCAL
    keys = linked() if local else {}
    if local and st.toggle("Agents may add and delete documents", key="agents.write"):
        keys = {**keys, WRITE: "1"}
    query = f"?{urlencode(keys)}" if keys else ""
    base = app_address()
    needs_token = here.settings.sharing.mode is Mode.TEAM
    return Connection(f"{base}{PATH}{query}", f"{base}{RESEARCH_PATH}{query}", needs_token, now.uri if local else "", base)


def _tell_unreachable(address: str) -> None:
    """The operator's part, said before somebody looks for the fault in their client."""
    refused = refused_request({"host": urlsplit(address).netloc}, deployment().settings)
    if refused is not None:
        st.warning(plain(refused.sentence), icon=":material/link_off:")
