"""Browser components, whose code is sent to the page once.

Streamlit sends a component's scripts and styles with every message about it: 40 KB for each step of a slider. Here they
travel in one component outside of every fragment (`deliver_code`, called by app.py), and each real component is a stub
of three lines that loads them. Scripts that draw a document are in `chunking.viewing.scripts`; host.js is Streamlit's
end of their contract.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from chunking.viewing.scripts import common_style, component_scripts, scoped, shared_script, styles
from components.kit.browser.events import Handler, apply_events, confirmed

__all__ = ["component", "deliver_code"]

_HERE = Path(__file__).parent
_HOME = _HERE.parents[1]
_PARTS: dict[str, tuple[str, ...]] = {
    "chunks/outline": ("outline",),
    "kit/settings_form": ("patterns",),
    "kit/copy_link": ("copy",),
    "chunks/recall_curve": ("answer_strip", "curve"),
    "search/hits": ("hits",),
    "search/pipeline": ("pipeline",),
    "search/context_panel": ("context",),
    "documents/page_view": ("papers", "boxes", "region_drawing", "view"),
    "search/answer_panel": ("answer",),
    "tune/leaderboard": ("board",),
    "evaluate/labelling": ("labelling",),
}
"""Folder to its scripts, in order. Each has its own scope, and a style sheet named by the last part of the folder."""
_PROTOCOL = ("events", "history", "menu", "scheme")
"""Scripts of the page, besides Streamlit's end of the contract."""


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _script() -> str:
    own = [scoped(_read(_HOME / folder / f"{name}.js") for name in names) for folder, names in _PARTS.items()]
    protocol = [_read(_HERE / f"{name}.js") for name in _PROTOCOL]
    return "\n".join(
        [_read(_HERE / "host.js"), shared_script(), *protocol, component_scripts(), *own, _read(_HERE / "deliver.js")]
    )


def _styles() -> dict[str, str]:
    """Return style sheets by folder; a field of patterns also gets that of a number."""
    shared = styles()
    own = {Path(folder).name: _read(_HOME / folder / "style.css") for folder in _PARTS}
    begin = {name: shared["number"] if name == "settings_form" else common_style() for name in own}
    return shared | {name: begin[name] + own[name] for name in own}


_STYLES = _styles()
_STUB = _read(_HERE / "stub.js")
_code = st.components.v2.component("chunkscope_code", js=_script())


Draw = Callable[..., None]


def component(name: str) -> Draw:
    """Register the component that the scripts `define` under this name; call it once, at import.

    Returns:
        Its draw function: called with `key`, `data`, and `on`, the handlers of its events by kind (see events.py). They
        are called at the start of a run, once per event; None: a component without events.
    """
    render = st.components.v2.component(f"chunkscope_{name}", js=_STUB.replace("NAME", name))

    def draw(*, key: str, data: Mapping[str, Any], on: Mapping[str, Handler] | None = None) -> None:
        if on is None:
            render(key=key, data=dict(data))
            return
        events = {"key": key, "confirmed": confirmed(_sent_events(key))}
        render(key=key, data={**data, "events": events}, on_events_change=lambda: apply_events(_sent_events(key), on))

    return draw


def _sent_events(key: str) -> object:
    """Return the events that the browser sent last."""
    state = st.session_state.get(key)
    return state.get("events") if isinstance(state, Mapping) else None


def deliver_code() -> None:
    """Send the code of all components; call it on every run of the app, outside of any fragment."""
    _code(key="chunkscope_code", data={"styles": _STYLES})
