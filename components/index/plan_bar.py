"""What an index run would do, as one bar: reused, new and removed chunks, to scale."""

from __future__ import annotations

import streamlit as st

from chunking.indexing import Plan
from components.kit.colours import COLOURS

__all__ = ["plan_bar"]

_PARTS = (
    ("reused", "section", "reused: the vector is in the embedding cache"),
    ("new", "chunk_a", "new: to be embedded"),
    ("removed", "warning", "removed: no longer in the index"),
)


def plan_bar(plan: Plan) -> None:
    """The bar with a legend; parts of nothing are left out. Holds numbers only, no text of a user's."""
    dark = st.context.theme.type == "dark"
    numbers = {name: getattr(plan, name) for name, _, _ in _PARTS}
    total = sum(numbers.values())
    if not total:
        return
    shown = [(name, COLOURS[role].on(dark=dark), words) for name, role, words in _PARTS if numbers[name]]
    bar = "".join(
        f'<span title="{numbers[name]:,} {words}" style="flex:{numbers[name]} 0 4px;background:{colour};{_pattern(name)}"></span>'
        for name, colour, words in shown
    )
    legend = " ".join(
        f'<span style="margin-right:1.2em;white-space:nowrap"><i style="display:inline-block;width:.8em;height:.8em;border-radius:2px;'
        f'margin-right:.4em;background:{colour};{_pattern(name)}"></i>{numbers[name]:,} {words}</span>'
        for name, colour, words in shown
    )
    st.html(
        f'<div role="img" aria-label="{", ".join(f"{numbers[name]} {name}" for name, _, _ in shown)}" '
        f'style="display:flex;gap:2px;height:14px;border-radius:7px;overflow:hidden">{bar}</div>'
        f'<div style="margin-top:.5em;font-size:.85em;opacity:.85">{legend}</div>'
    )


def _pattern(name: str) -> str:
    """Stripes for what goes away, so that colour is not the only sign."""
    if name != "removed":
        return ""
    return "background-image:repeating-linear-gradient(45deg,rgba(255,255,255,.35) 0 3px,transparent 3px 6px)"
