"""What to copy into an agent so that it finds this server: a row a client, made from the address and from whether a token is needed."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["CLIENTS", "AgentClient", "Connection"]

_NAME = "chunkscope"
_VARIABLE = "CHUNKSCOPE_TOKEN"
"""Environment variable that holds the token, so that no file holds it."""


@dataclass(frozen=True, slots=True)
class Connection:
    """How agents reach this server."""

    address: str
    """Of all tools, such as `http://127.0.0.1:8501/mcp`."""
    research: str
    """Of the two tools of deep research."""
    needs_token: bool
    folder: str = ""
    """Of the workspace, on one's own machine; empty where the server is shared."""
    app: str = ""
    """Address of the app, for the links in answers."""


@dataclass(frozen=True, slots=True)
class AgentClient:
    """A client, and what its user copies where."""

    name: str
    where: Callable[[Connection], str]
    """One sentence."""
    language: str | None
    """Of the text, for its colours; None where they would be too pale to be read, as those of JSON and bash are."""
    text: Callable[[Connection], str]
    """Empty where this client cannot reach the server."""


def _claude_code(to: Connection) -> str:
    header = f' --header "Authorization: Bearer ${_VARIABLE}"' if to.needs_token else ""
    return f"claude mcp add --transport http {_NAME} {shlex.quote(to.address)}{header}"  # --header takes all that follows it


def _claude_desktop(to: Connection) -> str:
    words = ["mcp", "--workspace", to.folder, "--address", to.app]
    return _json({"mcpServers": {_NAME: {"command": "chunkscope", "args": words}}}) if to.folder else ""


def _vs_code(to: Connection) -> str:
    server: dict[str, Any] = {"type": "http", "url": to.address}
    if not to.needs_token:
        return _json({"servers": {_NAME: server}})
    asked = {"type": "promptString", "id": "chunkscope-token", "description": "Token of Chunkscope", "password": True}
    return _json({"inputs": [asked], "servers": {_NAME: server | {"headers": _bearer("${input:chunkscope-token}")}}})


def _cursor(to: Connection) -> str:
    headers = {"headers": _bearer(f"${{env:{_VARIABLE}}}")} if to.needs_token else {}
    return _json({"mcpServers": {_NAME: {"url": to.address, **headers}}})


def _openai(to: Connection) -> str:
    if not to.research.startswith("https://"):
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


def _where_desktop(to: Connection) -> str:
    if to.folder:
        return "In `claude_desktop_config.json`. Claude starts Chunkscope itself; this page need not be open."
    return "Connectors of Claude's apps sign in by OAuth and cannot send a token: use Claude Code, or the API."


def _where_vs_code(to: Connection) -> str:
    asks = " VS Code asks for the token once and keeps it." if to.needs_token else ""
    return f"In `.vscode/mcp.json` of a project.{asks}"


def _where_openai(to: Connection) -> str:
    if not to.research.startswith("https://"):
        return "ChatGPT and OpenAI's API reach public https addresses only, and this server's is none."
    reach = "In Python, with OpenAI's API. In ChatGPT add a connector"
    return f"{reach}, which cannot send a token: use the API." if to.needs_token else f"{reach} with the address {to.research}."


def _where(sentence: str) -> Callable[[Connection], str]:
    return lambda to: sentence


CLIENTS: tuple[AgentClient, ...] = (
    AgentClient("Claude Code", _where("In a terminal."), None, _claude_code),
    AgentClient("Claude Desktop", _where_desktop, None, _claude_desktop),
    AgentClient("ChatGPT", _where_openai, "python", _openai),
    AgentClient("VS Code", _where_vs_code, None, _vs_code),
    AgentClient("Cursor", _where("In `.cursor/mcp.json` of a project, or `~/.cursor/mcp.json` for all."), None, _cursor),
    AgentClient("Others", _where("Any client of the Model Context Protocol that speaks streamable HTTP."), None, _other),
)
"""In the order of their tabs."""


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
