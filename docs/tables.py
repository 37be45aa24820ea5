"""The README's tables of settings, commands and formats, made from the code: `python -m docs.tables` writes them."""

from __future__ import annotations

import re
from pathlib import Path

from chunking.cli import COMMANDS
from chunking.config import Config, settings
from chunking.config.settings import Setting
from chunking.parsing import FORMATS

__all__ = ["commands_table", "formats_table", "settings_table", "with_tables"]

README = Path(__file__).parent.parent / "README.md"


def settings_table() -> str:
    """A row a setting."""
    lines = ["| key | values | default | what it does |", "|---|---|---|---|"]
    lines += [f"| `{row.key}` | {_values(row)} | {_default(row)} | {row.help} |" for row in settings()]
    return "\n".join(lines)


def _values(row: Setting) -> str:
    if row.name == "heading_levels":
        return "`1-6`, `1-3`, `1,2` …"
    if row.choices:
        return ("list of " if row.many else "") + ", ".join(f"`{choice}`" for choice in row.choices)
    if row.minimum is not None and row.maximum is not None:
        unit = f" {row.unit}" if row.unit and row.unit != "of unit" else ""
        return f"{row.minimum:g} … {row.maximum:g}{unit}"
    return "`true`, `false`" if row.type is bool else "an amount or a share (`15%`)" if row.name == "overlap" else "text"


def _default(row: Setting) -> str:
    text = row.text(Config())
    return f"`{text}`" if text else ""


def commands_table() -> str:
    """A row a command."""
    lines = ["| command | what it does |", "|---|---|"]
    for command in COMMANDS:
        words = " ".join(_word(names, options) for names, options in command.words)
        lines.append(f"| `{command.name} {words}` | {command.help} |")
    return "\n".join(lines).replace("…|", "… |")


def _word(names: tuple[str, ...], options: dict[str, object]) -> str:
    name = names[-1]
    if not name.startswith("--"):
        shown = str(options.get("metavar", name)).strip()
        return f"{shown}…" if options.get("nargs") == "+" else shown
    if options.get("action") == "store_true":
        return f"[{name}]"
    choices = options.get("choices")
    value = r" \| ".join(map(str, choices)) if isinstance(choices, list) else str(options.get("metavar", name.lstrip("-").upper()))
    text = f"{name} {value}"
    repeated = "…" if options.get("action") == "append" else ""
    return text if options.get("required") else f"[{text}]{repeated}"


def formats_table() -> str:
    """A row a format."""
    lines = ["| format | endings | pages | what is read |", "|---|---|---|---|"]
    for row in FORMATS:
        endings = " ".join(f"`{ending}`" for ending in row.extensions)
        lines.append(f"| `{row.name}` | {endings} | {row.page} | {row.description} |")
    return "\n".join(lines)


def with_tables(readme: str) -> str:
    """The README with the tables as the code has them now."""
    for name, table in (("settings", settings_table()), ("commands", commands_table()), ("formats", formats_table())):
        block = f"<!-- {name} -->\n{table}\n<!-- /{name} -->"
        readme = re.sub(rf"<!-- {name} -->.*?<!-- /{name} -->", lambda _, block=block: block, readme, flags=re.DOTALL)
    return readme


if __name__ == "__main__":
    README.write_text(with_tables(README.read_text(encoding="utf-8")), encoding="utf-8")
