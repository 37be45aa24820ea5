"""The viewer's scripts and styles: the same files in every host.

A host runs, in one scope, its own script that defines `shared`, `queueOf` and `hide` (core/define.js says how they are
used), then `shared_script()`, then `component_scripts()`; and it gives the scripts `styles()` as `shared.styles`.
Nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from chunking.viewing.colours import css_variables

__all__ = ["common_style", "component_scripts", "scoped", "shared_script", "styles"]

_HERE = Path(__file__).parent
_SHARED = ("core/define", "rich_text/table_rows", "rich_text/drawn_text", "rich_text/raw_switch")
"""Scripts that all others see."""
_COMPONENTS: dict[str, tuple[str, ...]] = {
    "viewer": (
        *(
            "drawing/units",
            "texts",
            "answers",
            "other_chunks",
            "drawing/layout",
            "drawing/tables",
            "drawing/lines",
            "drawing/ruler",
        ),
        *("drawing/scene", "drawing/text_pane", "pins", "text_selection", "tooltip", "view"),
    ),
    "number": ("number",),
    "size_strip": ("strip",),
    "dial": ("dial",),
}
"""Folder to its scripts, in order; a style sheet is asked for by the folder's name."""


def shared_script() -> str:
    """What all components see; the host's own script stands before it."""
    return "\n".join(_read(f"{name}.js") for name in _SHARED)


def component_scripts() -> str:
    """The viewer, the number field, the strip of sizes and the dial, each in a scope of its own."""
    return "\n".join(scoped(_read(f"{folder}/{name}.js") for name in names) for folder, names in _COMPONENTS.items())


def scoped(scripts: Iterable[str]) -> str:
    """Scripts in a scope of their own, after one another."""
    return "{\n" + "\n".join(scripts) + "\n}"


def common_style() -> str:
    """What every component's style sheet begins with: the colours, the dot of what is not confirmed yet, code and
    tables in texts.

    `.paper` never carries data-theme: what lies on a white page has the colours of the light theme always.
    """
    return css_variables() + css_variables(".paper") + _read("core/pending.css") + _read("rich_text/rich_text.css")


def styles() -> dict[str, str]:
    """The style sheets by folder, complete."""
    return {folder: common_style() + _read(f"{folder}/style.css") for folder in _COMPONENTS}


def _read(place: str) -> str:
    return (_HERE / place).read_text(encoding="utf-8")
