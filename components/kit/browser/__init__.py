"""The code of the browser components, sent once.

Streamlit sends a component's scripts and styles with every message about it: 40 KB for each step of a slider, were it left so.
Here they travel in one component outside of every fragment (`deliver_code`, called by app.py), and each real component is a stub
of three lines that asks for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from chunking.viewing.colours import css_variables
from components.kit.browser.events import Handler, apply_events, confirmed

__all__ = ["component", "deliver_code"]

_HERE = Path(__file__).parent
_HOME = _HERE.parents[1]
_PARTS: dict[str, tuple[str, ...]] = {
    "kit/viewer": (
        *("drawing/units", "texts", "answers", "other_chunks", "drawing/layout", "drawing/tables", "drawing/lines", "drawing/ruler"),
        *("drawing/scene", "drawing/text_pane", "pins", "text_selection", "tooltip", "view"),
    ),
    "chunks/outline": ("outline",),
    "kit/settings_form": ("number", "patterns"),
    "kit/size_strip": ("strip",),
    "kit/copy_link": ("copy",),
    "chunks/live_recall": ("dial",),
    "chunks/recall_curve": ("curve",),
    "search/hits": ("hits",),
    "search/pipeline": ("pipeline",),
    "search/context_panel": ("context",),
    "documents/page_view": ("papers", "boxes", "region_drawing", "view"),
    "search/answer_panel": ("answer",),
    "tune/leaderboard": ("board",),
    "evaluate/labelling": ("labelling",),
}
"""Folder to its scripts, in order. Each has a scope of its own, and a style sheet that is asked for by the last part of its name."""

_SHARED = (
    *("kit/browser/define", "kit/browser/events", "kit/browser/history", "kit/browser/menu", "kit/browser/scheme"),
    *("kit/rich_text/table_rows", "kit/rich_text/drawn_text", "kit/rich_text/raw_switch"),
)
"""Scripts that all others see."""


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _script() -> str:
    scopes = ["{\n" + "\n".join(_read(_HOME / folder / f"{name}.js") for name in names) + "\n}" for folder, names in _PARTS.items()]
    return "\n".join([*(_read(_HOME / f"{name}.js") for name in _SHARED), *scopes, _read(_HERE / "deliver.js")])


_COLOURS = css_variables() + css_variables(".paper")
"""`.paper` never carries data-theme: what lies on a white page has the colours of the light theme always."""
_EVERYWHERE = _read(_HERE / "pending.css") + _read(_HOME / "kit/rich_text/rich_text.css")
_STYLES = {Path(folder).name: _COLOURS + _EVERYWHERE + _read(_HOME / folder / "style.css") for folder in _PARTS}
_STUB = _read(_HERE / "stub.js")
_code = st.components.v2.component("chunkscope_code", js=_script())


Draw = Callable[..., None]


def component(name: str) -> Draw:
    """Register the component that the scripts `define` under this name; once, at import.

    Returns:
        What draws it: called with `key`, `data`, and `on`, the handlers of its events by their kind (see events.py). They are
        called at the start of a run, each event once; a component without events has none.
    """
    render = st.components.v2.component(f"chunkscope_{name}", js=_STUB.replace("NAME", name))

    def draw(*, key: str, data: Mapping[str, Any], on: Mapping[str, Handler] | None = None) -> None:
        if on is None:
            render(key=key, data=dict(data))
            return
        told = {"key": key, "confirmed": confirmed(_said(key))}
        render(key=key, data={**data, "events": told}, on_events_change=lambda: apply_events(_said(key), on))

    return draw


def _said(key: str) -> object:
    """The events that the browser sent last."""
    state = st.session_state.get(key)
    return state.get("events") if isinstance(state, Mapping) else None


def deliver_code() -> None:
    """Send the code of all components; takes no room. Call it on every run of the app, outside of any fragment."""
    _code(key="chunkscope_code", data={"styles": _STYLES})
