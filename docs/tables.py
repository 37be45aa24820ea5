"""Reference tables of the documentation; `python -m docs.tables` writes them into their pages."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

import chunking
from benchmarks.growth.on_paper import paper_table, rates_table
from chunking.cli import COMMANDS
from chunking.config import Config, margin_setting, settings
from chunking.config.renamed_settings import RENAMED
from chunking.config.settings import Setting
from chunking.deployment.operator_sources import operator_rows, variable
from chunking.evaluation.metrics.metric_table import METRICS
from chunking.export.export_table import EXPORTS
from chunking.glossary import GLOSSARY
from chunking.parsing import FORMATS
from chunking.retrieval.modes.retrieval_modes import MODES
from chunking.splitting.strategies.strategy_table import STRATEGIES
from docs.marked_blocks import ROOT, names_of_blocks, pages, with_block

__all__ = ["TABLES", "with_tables"]


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, row))} |" for row in lines)


def _cell(text: str) -> str:
    return text.replace("||", r"\|\|")


def _settings_table(part: str) -> str:
    """Return the table of settings of one part of the configuration."""
    rows = [(f"`{row.key}`", _values(row), _default(row), row.help) for row in settings() if row.part == part]
    return _table(("key", "values", "default", "what it does"), rows)


def _values(row: Setting) -> str:
    if row.name == "heading_levels":
        return "`1-6`, `1-3`, `1,2` …"
    if row.choices:
        return ("list of " if row.many else "") + ", ".join(f"`{choice}`" for choice in row.choices)
    if row.minimum is not None and row.maximum is not None:
        unit = f" {row.unit}" if row.unit and row.unit != "of unit" else ""
        return ", ".join([f"{row.minimum:g} … {row.maximum:g}{unit}", *(f"`{word}`" for word in row.words)])
    return (
        "`true`, `false`" if row.type is bool else "an amount or a share (`15%`)" if row.name == "overlap" else "text"
    )


def _default(row: Setting) -> str:
    text = row.text(Config())
    return f"`{text}`" if text else ""


def _operator_table(part: str) -> str:
    """Return the table of operator settings."""
    rows = [
        (f"`{variable(row)}`", f"`{row.part}.{row.name}`", _values(row), _operator_default(row), row.help)
        for row in operator_rows()
        if row.part == part
    ]
    return _table(("variable", "in the file", "values", "default", "what it does"), rows)


def _operator_default(row: Setting) -> str:
    text = (
        str(row.default).lower()
        if isinstance(row.default, bool)
        else f"{row.default:g}"
        if row.type is float
        else str(row.default)
    )
    return f"`{text}`" if text else ""


def _commands_table() -> str:
    """Return the table of commands."""
    rows = [
        (f"`{' '.join([command.name, *(_word(*word) for word in command.words)])}`", command.help)
        for command in COMMANDS
    ]
    return _table(("command", "what it does"), rows).replace("…|", "… |")


def _word(names: tuple[str, ...], options: dict[str, object]) -> str:
    name = names[-1]
    if not name.startswith("--"):
        shown = str(options.get("metavar", name)).strip()
        return {"+": f"{shown}…", "*": f"[{shown}…]", "?": f"[{shown}]"}.get(str(options.get("nargs")), shown)
    if options.get("action") == "store_true":
        return f"[{name}]"
    choices, metavar = options.get("choices"), options.get("metavar", name.lstrip("-").upper())
    shown = " ".join(metavar) if isinstance(metavar, tuple) else str(metavar)
    value = r" \| ".join(map(str, choices)) if choices and "metavar" not in options else shown
    text = f"{name} {value}"
    repeated = "…" if options.get("action") == "append" else ""
    return text if options.get("required") else f"[{text}]{repeated}"


def _formats_table() -> str:
    """Return the table of formats."""
    endings = (" ".join(f"`{ending}`" for ending in row.extensions) for row in FORMATS)
    rows = [(f"`{row.name}`", some, row.page, row.description) for row, some in zip(FORMATS, endings, strict=True)]
    return _table(("format", "endings", "pages", "what is read"), rows)


def _strategies_table() -> str:
    """Return the table of strategies, with the fallback of each."""
    rows = [
        (f"`{row.name}`", row.description, f"`{row.simpler}`" if row.simpler else "one chunk")
        for row in STRATEGIES.values()
    ]
    return _table(("strategy", "where it splits", "when it fails"), rows)


def _modes_table() -> str:
    """Return the table of retrieval modes."""
    rows = [(f"`{row.name}`", row.label, row.good_for, row.live_gap or "follows it") for row in MODES.values()]
    return _table(("mode", "name", "what it does, and what for", "live recall"), rows)


def _metrics_table() -> str:
    """Return the table of metrics."""
    rows = [(f"`{row.name}`", row.label, "higher" if row.higher_is_better else "lower", row.help) for row in METRICS]
    return _table(("key", "metric", "better", "how it is made"), rows)


def _glossary_table() -> str:
    """Return the table of the interface's terms."""
    return _table(("word", "what it is", "first met on"), [(f"**{one.name}**", one.line, one.page) for one in GLOSSARY])


def _exports_table() -> str:
    """Return the table of exports."""
    rows = [(f"`{row.name}`", f"{row.thing}, {row.format}", f"`{row.file}`", row.help) for row in EXPORTS]
    return _table(("name", "export", "file", "what it holds"), rows)


def _margin_table() -> str:
    """Return the table of the margin, the only setting outside a configuration."""
    row = margin_setting()
    return _table(
        ("option", "values", "default", "what it does"), [("`--margin`", _values(row), f"{row.default:g}", row.help)]
    )


def _renamed_table() -> str:
    """Return the table of renamed settings and values."""
    return _table(("earlier", "now"), [(f"`{earlier}`", f"`{now}`") for earlier, now in RENAMED.items()])


def _api_table() -> str:
    """Return the table of the names of `import chunking`, with links to their descriptions."""
    rows = []
    for name in chunking.__all__:
        home = chunking._HOMES[name]
        package = home.split(".")[1]
        hidden = (ROOT / home.replace(".", "/") / f"{name}.py").exists()  # the module hides the function of its name
        anchor = f"{home}.{name}.{name}" if hidden else f"{home}.{name}"
        rows.append(
            (f"[`{name}`]({package}.md#{anchor})", str(inspect.getdoc(getattr(chunking, name))).splitlines()[0])
        )
    return _table(("name", "what it is"), rows)


TABLES: Mapping[str, Callable[[], str]] = {
    **{f"settings:{part}": partial(_settings_table, part) for part in dict.fromkeys(row.part for row in settings())},
    **{
        f"operator:{part}": partial(_operator_table, part)
        for part in dict.fromkeys(row.part for row in operator_rows())
    },
    "settings:compare": _margin_table,
    "settings:renamed": _renamed_table,
    "commands": _commands_table,
    "formats": _formats_table,
    "strategies": _strategies_table,
    "retrieval-modes": _modes_table,
    "metrics": _metrics_table,
    "glossary": _glossary_table,
    "exports": _exports_table,
    "api": _api_table,
    "growth:rates": rates_table,
    "growth:paper": paper_table,
}
"""Functions that return the tables, by block name."""


def with_tables(page: str) -> str:
    """Return a page's text with its tables regenerated."""
    for name in names_of_blocks(page):
        if name in TABLES:
            page = with_block(page, name, TABLES[name]())
    return page


if __name__ == "__main__":
    for path in pages():
        text = path.read_text(encoding="utf-8")
        if (updated := with_tables(text)) != text:
            path.write_text(updated, encoding="utf-8")
            print(path)
