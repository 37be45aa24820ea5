"""Scripts and styles of the viewer, the same in every host.

A host runs, in one scope, its own script that defines `shared`, `queueOf` and `hide` (see core/define.js), then
`shared_script()`, then `component_scripts()`; it passes `styles()` to the scripts as `shared.styles`. Nothing is
fetched.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from chunking.viewing.colours import css_variables

__all__ = ["common_style", "component_scripts", "scoped", "shared_script", "styles"]

_HERE = Path(__file__).parent
_SHARED = ("core/define", "core/fate_signs", "rich_text/table_rows", "rich_text/drawn_text", "rich_text/raw_switch")
"""Scripts visible to all components."""
_COMPONENTS: dict[str, tuple[str, ...]] = {
    "viewer": (
        *(
            "drawing/units",
            "texts",
            "answers",
            "other_chunks",
            "drawing/layout",
            "drawing/tables",
            "drawing/pictures",
            "drawing/markup",
            "drawing/lines",
            "drawing/ruler",
        ),
        *("drawing/scene", "drawing/text_pane", "pins", "text_selection", "tooltip", "legend", "view"),
    ),
    "number": ("number",),
    "size_strip": ("strip",),
    "dial": ("dial",),
}
"""Scripts by component folder, in order; a style sheet is requested by the folder's name."""


def shared_script() -> str:
    """Return the script shared by all components; the host's own script precedes it."""
    return "\n".join(_read(f"{name}.js") for name in _SHARED)


def component_scripts() -> str:
    """Return the scripts of viewer, number field, size strip and dial, each in its own scope."""
    return "\n".join(scoped(_read(f"{folder}/{name}.js") for name in names) for folder, names in _COMPONENTS.items())


def scoped(scripts: Iterable[str]) -> str:
    """Wrap scripts in one block `{ }`, which keeps their names to themselves."""
    return "{\n" + "\n".join(scripts) + "\n}"


def common_style() -> str:
    """Return the CSS shared by all components: colours, pending mark, code and tables.

    `.paper` never carries data-theme: white pages always have the light theme's colours.
    """
    return css_variables() + css_variables(".paper") + _read("core/pending.css") + _read("rich_text/rich_text.css")


def styles() -> dict[str, str]:
    """Return the style sheet of each component, with the CSS they share, by folder name."""
    return {folder: common_style() + _read(f"{folder}/style.css") for folder in _COMPONENTS}


def _read(place: str) -> str:
    return (_HERE / place).read_text(encoding="utf-8")
