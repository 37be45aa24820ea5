"""The widget's script: the viewer's scripts, unchanged, in the notebook's host; all of it in one module, nothing is
fetched.
"""

from __future__ import annotations

import json
from pathlib import Path

from chunking.viewing.scripts import component_scripts, shared_script, styles

__all__ = ["STYLE", "front_end"]

_HERE = Path(__file__).parent

STYLE = ".cell-output-ipywidget-background { background: transparent !important; padding: 0 !important; }"
"""A rule for the page. VS Code paints widgets white, in dark themes too; this one brings a paper of its own."""


def front_end() -> str:
    """The script as a module that exports `render({ model, el })`.

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


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")
