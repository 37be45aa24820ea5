"""Options of select boxes over long lists: at most 500, found on the server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

import streamlit as st

from chunking.store import DocumentRow
from components.kit.wording import isolated

__all__ = ["MOST_OPTIONS", "document_names", "find_options", "matching"]

MOST_OPTIONS = 500
"""Most options of a widget, and rows of a table, that are sent to the browser at once."""


def document_names(rows: Iterable[DocumentRow]) -> dict[str, str]:
    """Return the title and path of each document by id, for `Workspace.derived`."""
    return {row.doc_id: f"{isolated(row.title)} ({isolated(row.source)})" for row in rows}


def matching(names: Mapping[str, str], words: str) -> Iterator[str]:
    """Yield the keys whose name contains every word, in any letter case.

    >>> list(matching({"a": "Pump manual (a.md)", "b": "Pump FAQ (b.md)"}, "faq PUMP"))
    ['b']
    """
    parts = words.casefold().split()
    return (key for key, name in names.items() if not parts or all(part in name.casefold() for part in parts))


def find_options(
    names: Mapping[str, str], *, key: str, many: str = "documents", chosen: Sequence[str] = (), width: int | None = None
) -> list[str]:
    """Return the options of a select box; of more than 500, those found by a field that is drawn here.

    Args:
        names: label by option, in the order to list them.
        key: prefix of the field's key.
        many: what the options are, in the plural.
        chosen: options that stay listed whatever is typed, such as the linked document.
        width: width of the field in pixels, in a row of fields; None: all of the row.
    """
    if len(names) <= MOST_OPTIONS:
        return list(names)
    words = st.text_input(
        f"Find {many}",
        key=f"{key}.find",
        placeholder=f"Find one of {len(names):,}" + (f" {many}" if width is None else ""),
        label_visibility="collapsed",
        width=width or "stretch",
    )
    matches = list(matching(names, words))
    if words.strip():
        most = f", the first {MOST_OPTIONS:,} listed" if len(matches) > MOST_OPTIONS and width is None else ""
        st.caption(f"{len(matches):,} found{most}", width="content")
    return list(dict.fromkeys([*(one for one in chosen if one in names), *islice(matches, MOST_OPTIONS)]))
