"""Compare a document's text with that of the parser `unstructured`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from chunking.allowed import allowed
from chunking.errors import ParseError
from chunking.model import BUILT_IN, Document
from chunking.parsing import Format, format_named
from chunking.parsing.parsers.comparison import Reader, ReadingComparison, UnmatchedPassage, check_size, compare
from chunking.store import Workspace
from chunking.viewing.colours import COLOURS
from components.documents.page_view import page_of
from components.kit.charts import CHART_CONFIG, dress
from components.kit.viewer import text_key
from components.kit.wording import format_word, page_word, plain, quantity
from components.session.document_caches import clear_when_unused
from components.session.page.page_frame import fragment

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

__all__ = ["second_parser"]

_SHOWN = 200
"""Most passages listed per parser."""
_LONGEST = 600
"""Most characters of a passage."""
_HEIGHT = 190
_OURS, _THEIRS = "picked", "against"
"""Colour roles; our bars go up and are solid, those of unstructured go down and are hatched."""
_HELP = (
    "The same file, read by the library unstructured in a separate process without network access. Words are "
    "compared, not their order, case or punctuation; text left out of chunks counts as read."
)


def second_parser(target: Workspace, of: Document) -> None:
    """Draw an expander that, once opened, compares the text with that of `unstructured`.

    The file is parsed with it at that moment. Draws nothing if the operator does not allow `unstructured`.
    """
    if not allowed().engine("unstructured"):
        return  # an operator's decision, of which a visitor need not read under every document
    box = st.expander("Second parser: this file as unstructured reads it", key="documents.second", on_change="rerun")
    if box.open:
        with box:
            _second(target, of)


@fragment()
def _second(target: Workspace, of: Document) -> None:
    row = format_named(of.format)
    data = _data(target, of, row) if row and row.second_parser else None
    if data is None or row is None:
        st.caption(_why_not(of, row))
        return
    try:
        with st.spinner("Reading the file with unstructured …"):
            comparison = _compared(target.uri, of.source, of.hash, text_key(of.text), row.second_parser, of, data)
    except ParseError as error:
        st.warning(plain(str(error)), icon=":material/warning:")
        return
    _shown(of, comparison)


def _data(target: Workspace, of: Document, row: Format) -> bytes | None:
    """Return the file, or None if the workspace does not have it."""
    is_file = row.text_is_file and not of.parent_id and of.parser == BUILT_IN
    return of.text.encode("utf-8", "replace") if is_file else target.file(of.hash)


def _why_not(of: Document, row: Format | None) -> str:
    if row is None or not row.second_parser:
        reason = row.no_second_parser if row else "the format is unknown"
        return f"unstructured cannot read {format_word(of.format)} here: {reason}."
    if of.parent_id:
        return "This document is inside another file; unstructured reads whole files only."
    return (
        "The file of this document is not in the workspace: it was added by an earlier version. Add it again to "
        "compare the two."
    )


@clear_when_unused
@st.cache_resource(show_spinner=False, max_entries=16)
def _compared(
    address: str, source: str, file: str, text: str, module: str, _of: Document, _data: bytes
) -> ReadingComparison:
    """Parse the file and compare; errors are not cached, since a retry may have enough memory.

    An imported workspace may state a wrong hash for a file; the cache key keeps that inside the workspace.
    """
    from chunking.parsing.sandbox import read_with_second_parser

    check_size(_of)
    return compare(_of, read_with_second_parser(_data, _of.source, module))


def _shown(of: Document, comparison: ReadingComparison) -> None:
    """Draw the shares, the figure and the passages of both parsers."""
    dark = st.context.theme.type == "dark"
    ours, theirs = comparison.ours, comparison.theirs
    left, right = st.columns(2)
    left.metric("▲ Only Chunkscope has", _share(ours), help=_HELP, border=True)
    right.metric("▼ Only unstructured has", _share(theirs), help=_HELP, border=True)
    if not ours.missed and not theirs.missed:
        st.success(f"Both read the same {quantity(ours.words, 'word')}.", icon=":material/check:")
        return
    alt = (
        f"Words that only one parser read, along the document: Chunkscope {_share(ours)}, unstructured {_share(theirs)}"
    )
    st.plotly_chart(
        figure(comparison, dark=dark), theme=None, config=CHART_CONFIG, key="documents.second.picture", alt=alt
    )
    for column, name, reader in zip(st.columns(2), ("Chunkscope", "unstructured"), (ours, theirs), strict=True):
        with column:
            _passages(of, name, reader, is_ours=reader is ours)


def _share(reader: Reader) -> str:
    share = reader.missed / reader.words if reader.words else 0.0
    return f"{reader.missed:,} of {quantity(reader.words, 'word')} ({share:.1%})"


def figure(comparison: ReadingComparison, *, dark: bool) -> Figure:
    """Plot along the document the share of words that only one of the two parsers read."""
    from plotly.graph_objects import Bar, Figure

    bars = []
    for name, reader, role, sign, pattern in (
        ("only Chunkscope", comparison.ours, _OURS, 1, ""),
        ("only unstructured", comparison.theirs, _THEIRS, -1, "/"),
    ):
        parts = len(reader.shares)
        bars.append(
            Bar(
                name=f"{'▲' if sign > 0 else '▼'} {name}",
                x=[100 * (part + 0.5) / parts for part in range(parts)],
                y=[sign * 100 * share for share in reader.shares],
                width=100 / parts if parts else None,
                marker={
                    "color": COLOURS[role].on(dark=dark),
                    "pattern": {"shape": pattern, "size": 6, "solidity": 0.5},
                    "line": {"width": 0},
                },
                customdata=[100 * share for share in reader.shares],
                hovertemplate=f"%{{x:.0f}} % into the text<br>%{{customdata:.0f}} % of the words {name}<extra></extra>",
            )
        )
    drawn = Figure(bars)
    dress(drawn, dark=dark, height=_HEIGHT)
    drawn.update_layout(
        barmode="overlay",
        showlegend=True,
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "itemclick": False},
    )
    drawn.update_xaxes(title_text="from the beginning to the end of the text", ticksuffix=" %", range=[0, 100])
    top = max(5.0, *(100 * share for reader in comparison for share in reader.shares))
    drawn.update_yaxes(
        title_text="words", range=[-top, top], tickvals=[-top, 0, top], ticktext=[f"{top:.0f} %", "0", f"{top:.0f} %"]
    )
    drawn.add_hline(0, line_color=COLOURS["section"].on(dark=dark), line_width=1)
    return drawn


def _passages(of: Document, name: str, reader: Reader, *, is_ours: bool) -> None:
    if not reader.missed:
        st.caption(f"{name} has no words that the other parser missed.")
        return
    word = page_word(of.format).capitalize() if is_ours and of.page_count else "Section" if is_ours else "Element"
    rows = [(_where(of, reader, one, is_ours=is_ours), one.text[:_LONGEST]) for one in reader.passages[:_SHOWN]]
    shown = f", the first {_SHOWN} of {len(reader.passages):,}" if len(reader.passages) > _SHOWN else ""
    st.caption(f"Only {name} has: {quantity(len(reader.passages), 'passage')}{shown}")
    st.dataframe(
        pd.DataFrame(rows, columns=[word, "Text"]),
        hide_index=True,
        column_config={word: st.column_config.Column(width=90 if word == "Element" else 140)},
        alt=f"Passages only in {name}",
    )


def _where(of: Document, reader: Reader, passage: UnmatchedPassage, *, is_ours: bool) -> str:
    if not is_ours:
        return f"{reader.element_at(passage.start) + 1:,} of {len(reader.starts):,}"
    page = page_of(of, passage.start)
    return f"{page:,}" if page else of.section_at(passage.start).title
