"""Front end of the notebook viewer as a module, or as one HTML file without kernel or network."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from copy import copy
from html import escape
from pathlib import Path
from typing import Any

from chunking.config import Config, settings
from chunking.notebook.exploration import Exploration
from chunking.viewing.messages.sliders import number_of, slider_texts
from chunking.viewing.scripts import component_scripts, shared_script, styles

__all__ = ["OVERLAPS", "STYLE", "front_end", "saved_page"]

OVERLAPS = ("0%", "10%", "20%")
_SIZES = 21
_MOVES = ("rev", "n", "bands", "answers")
"""Fields of the viewer's message that change with a step."""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"

_HERE = Path(__file__).parent

STYLE = ".cell-output-ipywidget-background { background: transparent !important; padding: 0 !important; }"
"""CSS for the page: VS Code paints widgets white even in dark themes; the viewer has a background."""


def front_end() -> str:
    """Return the script as a module that exports `render({ model, el })`.

    A model has `get(name)`, `on("change:name", call)`, `off(…)` and `send(event)`.
    """
    script = _read("host.js")
    for mark, text in (
        ("/*QUEUES*/", _read("queues.js")),
        ("/*SCRIPTS*/", f"{shared_script()}\n{component_scripts()}"),
        ("/*STYLES*/ {}", json.dumps(styles())),
        ('/*FRAME*/ ""', json.dumps(_read("frame.css"))),
    ):
        script = script.replace(mark, text)
    return script


def saved_page(
    shown: Exploration, *, sizes: Sequence[int] = (), overlaps: Sequence[str] = OVERLAPS, height: int = 640
) -> str:
    """Return the current document as an HTML page, with precomputed steps of size and overlap.

    Args:
        sizes: empty for 21 over the whole range.
        overlaps: amounts or shares of the size.
        height: of the text, in pixels.
    Raises:
        ConfigError: a size or overlap is out of range, or the two do not go together.
    """
    moved, chunk = copy(shown), shown.config.chunk
    size_texts = [str(size) for size in sizes] or _default_sizes(shown.config)
    values = {"size": _with_present(size_texts, str(chunk.size)), "overlap": _with_present(overlaps, chunk.overlap)}
    steps = {}
    for size in values["size"]:
        for overlap in values["overlap"]:
            moved.configure(Config.from_settings({"size": size, "overlap": overlap}, shown.config))
            steps[f"{size} {overlap}"] = _step(moved, height)
    text, dial = shown.text(), steps[f"{chunk.size} {chunk.overlap}"].get("dial", {})
    state = shown.messages(height) | {
        "_confirmed": {},
        "_dial": dial,
        "_text": {"doc": text.doc, "packed": text.text, "part": 0, "of": 1},
    }
    state["_form"] = [row for row in state["_form"] if row["key"] in values]
    return _page(shown.document.title, {"state": state, "steps": steps, "values": values})


def _default_sizes(config: Config) -> list[str]:
    size = next(one for one in settings() if one.key == "size")
    texts = slider_texts(number_of(size, config, size.text(config), ""), _SIZES)
    overlap = config.chunk.overlap
    return [text for text in texts if overlap.endswith("%") or int(text) > float(overlap)]


def _with_present(texts: Sequence[str], present: str) -> list[str]:
    return list(dict.fromkeys([*texts, present]))


def _step(moved: Exploration, height: int) -> dict[str, Any]:
    view, dial = moved.view(height), moved.estimate()
    step: dict[str, Any] = {"view": {name: view[name] for name in _MOVES if name in view}, "strip": moved.size_strip()}
    return step | {"dial": {**dial, "trace": dial["trace"][-1:]}} if dial else step


def _page(title: str, data: dict[str, Any]) -> str:
    script = re.sub(r"export default [^\n]*\n*\Z", "", front_end())
    model = (Path(__file__).parent / "page.js").read_text(encoding="utf-8")
    written = json.dumps(data, ensure_ascii=False).encode("utf-8", "replace").decode().replace("<", "\\u003c")
    code = f"{script}\n{model}".replace("</script", "<\\/script")
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<style>:root {{ color-scheme: light dark }}
body {{ margin: 20px; background: light-dark(#fff, #11151f); color: light-dark(#0d1322, #e4e8f2) }}</style></head>
<body><main id="here"></main><script type="application/json" id="state">{written}</script>
<script type="module">{code}</script></body></html>
"""


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")
