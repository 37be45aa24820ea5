"""Instructions for connecting an agent: token, client configuration, and the agent's tools."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import streamlit as st

from chunking.agents import AgentTool, tools_of
from chunking.deployment import Mode
from chunking.store import Right
from components.kit.button import button
from components.kit.wording import plain
from components.search.example_questions import examples
from components.server.agents import PATH, RESEARCH_PATH
from components.server.agents.agent_door import refused_request
from components.session.current_workspace import current, linked
from components.session.host import WRITE, deployment, host
from components.session.workspace import workspace
from components.workspaces import public_address

__all__ = ["CLIENTS", "Connection", "app_address", "connect_panel"]

_NAME = "chunkscope"
_VARIABLE = "CHUNKSCOPE_TOKEN"
"""Environment variable that holds the token, so that no file holds it."""
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
"""Description of each tool for people; agents read those of `AgentTool`."""
_RIGHTS = {
    Mode.LOCAL: "No token is needed on your own machine.",
    Mode.TEAM: "An agent never has more rights than you.",
    Mode.DEMO: "Agents read the documents that every visitor starts with, not the changes in your copy.",
}
_EDITOR = " `collect` and `delete` need a token with the role Editor."
_SENT = "What an agent reads is sent to the model it uses."


def connect_panel() -> None:
    """Draw a choice of client, the steps that connect it, and the tools an agent gets.

    Where agents cannot be served, draw only the reason. A token is shown only once, to its maker.
    """
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
    """Return the app's public address, else the browser's, else localhost; without final slash."""
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
        _heading(next(numbers), "Create a token")
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption("It gives the agent your role in this workspace or less, and is shown once.", width="content")
            if button("Create a token", key="agents.token", icon=":material/key:"):
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
    target = workspace()
    return next(iter(examples(target)), "") or "which documents are there?"


# -- what the agent gets


def _offer() -> bool:
    """Draw the tools; returns True if the shown address is to allow changes."""
    st.markdown("**What an agent can do**")
    mode = deployment().settings.sharing.mode
    editor = mode is Mode.TEAM and current().access.allows(Right.WRITE)
    write = mode is Mode.LOCAL and st.toggle(
        "Let agents add and delete documents",
        key="agents.write",
        help=(
            "The configuration then asks for two more tools, `collect` and `delete`. A malicious text can trick "
            "an agent into using them."
        ),
    )
    st.markdown("\n".join(_line(tool) for tool in tools_of("full", write=write or editor)))
    st.caption(f"{_RIGHTS[mode]}{_EDITOR if editor else ''}")
    st.markdown(f":material/outbound: {_SENT}")
    return bool(write)


def _line(tool: AgentTool) -> str:
    return f"- `{tool.name}`: {_WORDS[tool.name]}"


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
    """Warn if the server would refuse agents at this address, which only its operator can change."""
    refused = refused_request({"host": urlsplit(address).netloc}, deployment().settings)
    if refused is not None:
        st.warning(plain(refused.sentence), icon=":material/link_off:")


@dataclass(frozen=True, slots=True)
class Connection:
    """Addresses, token need, rights and local folder that a client's configuration is made of."""

    address: str
    """Address with all tools, such as `http://127.0.0.1:8501/mcp`."""
    research: str
    """Address with the two tools of deep research."""
    needs_token: bool
    write: bool = False
    """True if agents may add and delete documents without a token that allows it."""
    folder: str = ""
    """Folder of the workspace, in the local mode; empty on a shared server."""
    app: str = ""
    """Address of the app, for the links in answers."""
    command: str = _NAME
    """Command that starts Chunkscope on this machine."""

    @property
    def public(self) -> bool:
        """True if the address is https: services on the web can then probably reach it."""
        return self.address.startswith("https://")


@dataclass(frozen=True, slots=True)
class AgentClient:
    """An MCP client, and the configuration that its user copies."""

    name: str
    where: Callable[[Connection], str]
    """Returns where to paste it, in Markdown; if there is nothing to copy, the reason."""
    language: str | None
    """Syntax colours of the text; None where they would be too pale, as for JSON and bash."""
    text: Callable[[Connection], str]
    """Returns the text to copy; empty if this client cannot reach the server."""


def chunkscope_command() -> str:
    """Return the full path of Chunkscope's command, or its bare name if it is not installed.

    Clients search few folders for a command.
    """
    folders = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return shutil.which(_NAME, path=folders) or _NAME


def _claude_code(to: Connection) -> str:
    header = f' --header "Authorization: Bearer ${_VARIABLE}"' if to.needs_token else ""
    # --header takes all that follows it
    return f"claude mcp add --transport http {_NAME} {shlex.quote(to.address)}{header}"


def _claude_desktop(to: Connection) -> str:
    if not to.folder:
        return to.address if to.public and not to.needs_token else ""
    words = ["mcp", "--workspace", to.folder, "--address", to.app, *(["--write"] if to.write else [])]
    return _json({"mcpServers": {_NAME: {"command": to.command, "args": words}}})


def _vs_code(to: Connection) -> str:
    server: dict[str, Any] = {"type": "http", "url": to.address}
    if not to.needs_token:
        return _json({"servers": {_NAME: server}})
    prompt = {"type": "promptString", "id": "chunkscope-token", "description": "Token of Chunkscope", "password": True}
    return _json({"inputs": [prompt], "servers": {_NAME: server | {"headers": _bearer("${input:chunkscope-token}")}}})


def _cursor(to: Connection) -> str:
    headers = {"headers": _bearer(f"${{env:{_VARIABLE}}}")} if to.needs_token else {}
    return _json({"mcpServers": {_NAME: {"url": to.address, **headers}}})


def _openai(to: Connection) -> str:
    if not to.public:
        return ""
    token = f'\n        "authorization": os.environ["{_VARIABLE}"],' if to.needs_token else ""
    imports = "import os\n\n" if to.needs_token else ""
    return (
        f"{imports}from openai import OpenAI\n\n"
        "answer = OpenAI().responses.create(\n"
        '    model="o4-mini-deep-research",\n'
        '    input="What do our documents say about ...?",\n'
        "    tools=[{\n"
        '        "type": "mcp",\n'
        f'        "server_label": "{_NAME}",\n'
        f'        "server_url": {json.dumps(to.research)},{token}\n'
        '        "require_approval": "never",\n'
        "    }],\n"
        ")\n"
    )


def _other(to: Connection) -> str:
    return f"{to.address}\nAuthorization: Bearer csk_..." if to.needs_token else to.address


def _where_code(to: Connection) -> str:
    note = f", with the token in the environment variable `{_VARIABLE}`" if to.needs_token else ""
    return f"Run this in a terminal{note}."


def _where_desktop(to: Connection) -> str:
    if to.folder:
        return (
            "Add this to `claude_desktop_config.json` (Settings, Developer, Edit Config) and restart Claude. It starts "
            "Chunkscope itself, so its calls do not appear on this page."
        )
    if to.needs_token:
        return "Claude's apps cannot send a token to a connector. Use Claude Code, or Anthropic's API."
    if to.public:
        return "In Claude, open Settings, Connectors, Add custom connector, and paste this address."
    return "Claude's apps reach only public https addresses, and this server has none. Use Claude Code on this machine."


def _where_vs_code(to: Connection) -> str:
    prompt = " VS Code asks for the token once and stores it." if to.needs_token else ""
    return f"Save this as `.vscode/mcp.json` in your project.{prompt}"


def _where_cursor(to: Connection) -> str:
    note = f" Cursor takes the token from the environment variable `{_VARIABLE}`." if to.needs_token else ""
    return f"Save this as `.cursor/mcp.json` in your project, or as `~/.cursor/mcp.json` for all projects.{note}"


def _where_openai(to: Connection) -> str:
    if not to.public:
        return (
            "ChatGPT and OpenAI's API reach only public https addresses, and this server has none. Put it behind a "
            "proxy with https and set CHUNKSCOPE_PUBLIC_URL to that address."
        )
    if to.needs_token:
        return (
            f"In Python, with the token in the environment variable `{_VARIABLE}`. Connectors of ChatGPT itself "
            f"cannot send a token."
        )
    return f"In ChatGPT, add a connector with the address `{to.research}`. In Python, with OpenAI's API:"


def _where_other(to: Connection) -> str:
    return "Any client that speaks the Model Context Protocol over streamable HTTP accepts this address" + (
        " and this header, with your token." if to.needs_token else "."
    )


CLIENTS: tuple[AgentClient, ...] = (
    AgentClient("Claude Code", _where_code, None, _claude_code),
    AgentClient("Claude Desktop", _where_desktop, None, _claude_desktop),
    AgentClient("ChatGPT", _where_openai, "python", _openai),
    AgentClient("VS Code", _where_vs_code, None, _vs_code),
    AgentClient("Cursor", _where_cursor, None, _cursor),
    AgentClient("Other", _where_other, None, _other),
)
"""Clients in the order of their buttons."""


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
