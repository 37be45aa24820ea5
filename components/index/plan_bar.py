"""What an index run would do, in vectors: the sums in a line, and the next index and the present one as bars to one
scale.
"""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from chunking.indexing import Plan
from chunking.model import PARENT
from chunking.viewing.colours import COLOURS
from components.index.built_levels import levels_line
from components.kit.wording import quantity

__all__ = ["plan_bar", "vectors_line"]

_HOW = (
    "Search compares vectors: each chunk has one, as does each larger chunk and each summary. Parents have none: they "
    "are returned instead of the chunks that were found. New and reused vectors add up to the new index; of rows with "
    "the same text, one is new and the others are reused. Removed vectors are those of the current index whose text "
    "will be gone."
)
_STRIPES = "background-image:repeating-linear-gradient(45deg,rgba(255,255,255,.35) 0 3px,transparent 3px 6px)"


class _Part(NamedTuple):
    """A part of a bar."""

    number: int
    role: str
    """Its colour's."""
    words: str
    striped: bool = False
    """For what goes away, so that colour is not the only sign."""


def vectors_line(plan: Plan) -> str:
    """The sums, as Markdown: what the next index will hold, of how many levels, and what the present one loses."""
    about = "about " if plan.about else ""
    own = {level: rows for level, rows in plan.levels.items() if level != PARENT}
    made = f" ({levels_line(own)})" if len(own) > 1 else ""
    line = f"**{quantity(plan.vectors, 'vector')}**{made} = {about}**{plan.new:,} new**"
    line += f" + {about}**{plan.reused:,} reused**."
    if plan.removed:
        vectors = quantity(plan.held, "vector")
        line += f" The current index has {vectors}, of which **{plan.removed:,}** will be **removed**."
    if plan.levels.get(PARENT):
        line += f" {quantity(plan.levels[PARENT], 'parent')} without a vector."
    if plan.config.enrich.raptor:
        line += " The summary tree comes on top; its size is unknown in advance."
    return line


def plan_bar(plan: Plan) -> None:
    """The line and the bars, with a legend; parts of nothing are left out. Holds numbers only, no text of a user's."""
    st.markdown(vectors_line(plan), help=_HOW)
    if not (plan.vectors or plan.held):
        return
    kept = plan.held - plan.removed
    next_one = (
        _Part(plan.reused, "section", "reused: no model needed"),
        _Part(plan.new, "chunk_a", "new: to be embedded"),
    )
    present = (
        _Part(kept, "section", "kept: also in the next index"),
        _Part(plan.removed, "warning", "removed", striped=True),
    )
    rows = [("Next index", next_one), *([("Present index", present)] if plan.removed else [])]
    scale = max(plan.vectors, plan.held)
    dark = st.context.theme.type == "dark"
    st.html("".join(_row(name, [part for part in parts if part.number], scale, dark=dark) for name, parts in rows))


def _row(name: str, parts: list[_Part], scale: int, *, dark: bool) -> str:
    """A bar with its name before it and its numbers under it."""
    said = f"{name}: {', '.join(f'{part.number:,} {part.words}' for part in parts) or 'nothing'}"
    bar = "".join(f'<span style="flex:{part.number} 0 4px;{_dress(part, dark=dark)}"></span>' for part in parts)
    legend = " ".join(
        f'<span style="margin-right:1.2em;white-space:nowrap"><i '
        f'style="display:inline-block;width:.8em;height:.8em;border-radius:2px;'
        f'margin-right:.4em;{_dress(part, dark=dark)}"></i>{part.number:,} {part.words}</span>'
        for part in parts
    )
    width = 100 * sum(part.number for part in parts) / scale
    return (
        f'<div role="img" aria-label="{said}" style="display:grid;grid-template-columns:6.5em 1fr;align-items:center;'
        f'gap:.1em .6em;margin-bottom:.35em;font-size:.85em"><span>{name}</span>'
        f"<div "
        f'style="display:flex;gap:2px;height:14px;width:{width:.2f}%;border-radius:7px;overflow:hidden">{bar}</div>'
        f'<span></span><div style="opacity:.85">{legend}</div></div>'
    )


def _dress(part: _Part, *, dark: bool) -> str:
    return f"background-color:{COLOURS[part.role].on(dark=dark)};{_STRIPES if part.striped else ''}"
