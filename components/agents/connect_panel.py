"""How an agent reaches this workspace: the token where one is needed, what to copy into each client, and what an agent
can do then.
"""

from __future__ import annotations

from importlib.util import find_spec
from urllib.parse import urlencode, urlsplit

import streamlit as st

from chunking.agents import AgentTool, tools_of
from chunking.deployment import Mode
from chunking.store import Right
from components.agents.client_configs import CLIENTS, AgentClient, Connection, chunkscope_command
from components.kit.button import button
from components.kit.wording import plain
from components.search.hits import examples
from components.server.agents import PATH, RESEARCH_PATH
from components.server.agents.request_checks import refused_request
from components.session.current_workspace import current, linked
from components.session.host import WRITE, deployment, host
from components.session.workspace import workspace
from components.workspaces.public_address import public_address

__all__ = ["app_address", "connect_panel"]


def connect_panel() -> None:
    """Draw it. No token appears in it: one is shown once, to the person who makes it."""
    if find_spec("mcp") is None:
        st.warning(
            "This installation lacks the package mcp, which serves agents. Install the full version.",
            icon=":material/extension_off:",
        )
        return
    if why := host().no_agents():
        st.info(why, icon=":material/photo_camera:")
        return
    rows = {row.name: row for row in CLIENTS}
    first = CLIENTS[0].name
    chosen = st.segmented_control("Your client", list(rows), default=first, required=True, key="agents.client")
    left, right = st.columns([3, 2], gap="large")
    with right.container(border=True, gap="small", key="agents.offer"):
        write = _offer()
    with left:
        to = _connection(write=write)
        _tell_unreachable(to.address)
        _steps(rows[chosen or first], to)


def app_address() -> str:
    """Of the app, as agents on this machine or behind the public address reach it; without a slash at its end."""
    address = public_address().rstrip("/")
    if urlsplit(address).netloc:
        return address
    return f"http://localhost:{st.get_option('server.port')}"  # a session without a browser


# -- step by step


def _steps(row: AgentClient, to: Connection) -> None:
    text = row.text(to)
    numbers = iter(range(1, 5))
    make_token = host().token_dialog()
    if make_token is not None and text:
        _heading(next(numbers), "Make a token")
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption("It gives the agent your role in this workspace or less, and is shown once.", width="content")
            if button("Make a token", key="agents.token", icon=":material/key:"):
                make_token()
    if not text:
        st.info(row.where(to), icon=":material/block:")
        return
    _heading(next(numbers), "Copy this")
    st.caption(row.where(to))
    st.code(text, language=row.language, wrap_lines=True)
    _heading(next(numbers), "Ask your agent")
    st.code(f"Use chunkscope: {_example()}", language=None, wrap_lines=True)
    if not to.needs_token and deployment().settings.sharing.mode is Mode.DEMO:
        return
    _heading(next(numbers), "See what it did")
    st.caption("Each call over this address appears under Last calls, with its answer, its tokens and its time.")


def _heading(number: int, text: str) -> None:
    st.markdown(f"**{number}. {text}**")


def _example() -> str:
    rows = workspace().documents()
    return next(iter(examples(rows)), "") or "which documents are there?"


# -- what the agent gets


def _offer() -> bool:
    """The tools there are; whether agents may change the workspace by the address that is shown."""
    st.markdown("**What an agent can do**")
    mode = deployment().settings.sharing.mode
    editor = mode is Mode.TEAM and current().access.allows(Right.WRITE)
    write = mode is Mode.LOCAL and st.toggle(
        "Let agents add and delete documents",
        key="agents.write",
        help="The configuration then asks for two more tools, `collect` and `delete`. A malicious text can trick an "
        "agent into using them.",
    )
    st.markdown("\n".join(_line(tool) for tool in tools_of("full", write=write or editor)))
    st.caption(f"{_RIGHTS[mode]}{_EDITOR if editor else ''} {_SENT}")
    return bool(write)


def _line(tool: AgentTool) -> str:
    return f"- `{tool.name}`: {_WORDS[tool.name]}"


_WORDS = {
    "search": "the chunks that answer a question",
    "fetch": "more of a document, section or chunk",
    "toc": "the sections of a document",
    "list_documents": "all documents",
    "related": "documents on the same subject",
    "show_chunks": "chunk boundaries, drawn in the chat",
    "evaluate": "recall on a saved question set",
    "collect": "adds files or a text, and indexes them",
    "delete": "deletes documents",
}
"""What each tool brings, for people; agents read the descriptions of `AgentTool`."""

_RIGHTS = {
    Mode.LOCAL: "No token is needed on your own machine.",
    Mode.TEAM: "An agent never has more rights than you.",
    Mode.DEMO: "Agents read the documents that every visitor starts with, not the changes in your copy.",
}


_EDITOR = " `collect` and `delete` need a token with the role Editor."
_SENT = "What an agent reads is sent to the model it uses."


def _connection(*, write: bool) -> Connection:
    here, now = deployment(), current()
    local = here.settings.sharing.mode is Mode.LOCAL
    keys = {**(linked() if local else {}), **({WRITE: "1"} if write else {})}
    query = f"?{urlencode(keys)}" if keys else ""
    base = app_address()
    return Connection(
        f"{base}{PATH}{query}",
        f"{base}{RESEARCH_PATH}{query}",
        needs_token=host().token_dialog() is not None,
        write=write,
        folder=now.uri if local else "",
        app=base,
        command=chunkscope_command(),
    )


def _tell_unreachable(address: str) -> None:
    """The operator's part, said before somebody looks for the fault in their client."""
    refused = refused_request({"host": urlsplit(address).netloc}, deployment().settings)
    if refused is not None:
        st.warning(plain(refused.sentence), icon=":material/link_off:")
