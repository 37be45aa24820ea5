"""What the exports that reproduce an index take along: settings, patterns, and what people decided by hand about its
documents.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from chunking.config.pattern_settings import heading_patterns, split_patterns
from chunking.export import Material, find_export
from components.export.export_card import download
from components.kit.wording import plain, quantity

__all__ = ["travel_list"]

_DOCUMENTS = {"edits": "edit of the parse", "pins": "pin", "encodings": "file encoding"}
_PLURALS = {"edits": "edits of the parse"}
_FILES = ("edits", "pins")
"""Exports of their own, too: for `--edits` and `--pins`, and for another workspace."""


def travel_list(material: Material) -> None:
    """A list with counts, nothing of which there is none; below it the files that hold edits and pins alone."""
    st.caption(f"The script and the configuration contain {', '.join(_parts(material))}.")
    if material.stale:
        st.caption(
            f"⚠ {plain(material.stale)} Until then they produce the chunks of the documents as they are now, not "
            "those of this index."
        )
    there = [name for name in _FILES if name in material.inputs.counts]
    if there:
        with st.container(horizontal=True, gap="medium", key="export.by-hand"):
            for name in there:
                download(material, find_export(name))


def _parts(material: Material) -> list[str]:
    config = material.opened.config
    changed = [key for key in config.changed() if not key.startswith("category.")]
    texts = [config.chunk.headings_from, config.chunk.split_before]
    own = [dict(changes) for _, changes in config.categories]
    patterns = sum(map(_patterns, [{"headings_from": texts[0], "split_before": texts[1]}, *own]))
    differ = "differs" if len(changed) == 1 else "differ"
    parts = [
        f"{quantity(len(changed), 'setting')} that {differ} from the defaults" if changed else "the default settings"
    ]
    parts += [quantity(patterns, "pattern")] if patterns else []
    parts += [f"the settings of {quantity(len(own), 'category', 'categories')}"] if own else []
    return parts + [
        quantity(number, _DOCUMENTS[name], _PLURALS.get(name, "")) for name, number in material.inputs.counts.items()
    ]


def _patterns(settings: Mapping[str, str]) -> int:
    return len(heading_patterns(settings.get("headings_from") or "")) + len(
        split_patterns(settings.get("split_before") or "")
    )
