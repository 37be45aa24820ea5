"""What to copy into an agent so that it finds this server: a row a client, made from the address and from whether a
token is needed.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["CLIENTS", "AgentClient", "Connection", "chunkscope_command"]

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
    write: bool = False
    """Whether agents may add and delete documents without a token that says so."""
    folder: str = ""
    """Of the workspace, on one's own machine; empty where the server is shared."""
    app: str = ""
    """Address of the app, for the links in answers."""
    command: str = _NAME
    """That starts Chunkscope on this machine."""

    @property
    def public(self) -> bool:
        """Whether services on the web can reach it, as far as the address tells."""
        return self.address.startswith("https://")


@dataclass(frozen=True, slots=True)
class AgentClient:
    """A client, and what its user copies where."""

    name: str
    where: Callable[[Connection], str]
    """One or two sentences, as Markdown; why there is nothing to copy, where there is not."""
    language: str | None
    """Of the text, for its colours; None where they would be too pale to be read, as those of JSON and bash are."""
    text: Callable[[Connection], str]
    """Empty where this client cannot reach the server."""


def chunkscope_command() -> str:
    """Full path of Chunkscope's command, since clients search few folders for one; its bare name where it is not
    installed.
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
    asked = {"type": "promptString", "id": "chunkscope-token", "description": "Token of Chunkscope", "password": True}
    return _json({"inputs": [asked], "servers": {_NAME: server | {"headers": _bearer("${input:chunkscope-token}")}}})


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
    held = f", with the token in the environment variable `{_VARIABLE}`" if to.needs_token else ""
    return f"Run this in a terminal{held}."


def _where_desktop(to: Connection) -> str:
    if to.folder:
        return (
            "Add this to `claude_desktop_config.json` (Settings, Developer, Edit Config) and restart Claude. "
            "It starts Chunkscope itself, "
            "so its calls do not appear on this page."
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
    held = f" Cursor takes the token from the environment variable `{_VARIABLE}`." if to.needs_token else ""
    return f"Save this as `.cursor/mcp.json` in your project, or as `~/.cursor/mcp.json` for all projects.{held}"


def _where_openai(to: Connection) -> str:
    if not to.public:
        return (
            "ChatGPT and OpenAI's API reach only public https addresses, and this server has none. Put it "
            "behind a proxy with https and "
            "set CHUNKSCOPE_PUBLIC_URL to that address."
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
"""In the order of their buttons."""


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
