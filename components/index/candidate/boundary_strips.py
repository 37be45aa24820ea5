"""Picture of a review: each document as two strips, with the boundaries of both indexes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

import numpy as np
import streamlit as st

from chunking.indexing.index_review import DocumentReview
from chunking.viewing.colours import COLOURS
from components.kit.wording import quantity

__all__ = ["AnswerMark", "draw_strips", "most_changed"]

_STYLE = Path(__file__).parent / "boundary_strips.css"
_ROLES = {"answer": "answer", "warning": "warning", "candidate": "picked", "live": "against", "both": "section"}
"""CSS name of each colour to its role: candidate and live index as the two runs of a comparison."""
_MOST_LINES = 4000
"""Most boundaries drawn in all strips together."""
_DENSE = 100
"""From here on, lines are thinner: they would touch."""
MOST = 8
"""Most documents drawn."""


class AnswerMark(NamedTuple):
    """A gold answer that the candidate won or lost, at a place in its document."""

    at: int
    """Character."""
    won: bool
    question: str

    @property
    def sign(self) -> str:
        return "▲" if self.won else "▼"


def most_changed(
    documents: Sequence[DocumentReview], marks: Mapping[str, Sequence[AnswerMark]]
) -> list[DocumentReview]:
    """Return the documents to draw: those with most answers won or lost, then with most boundaries moved."""
    ranked = sorted(documents, key=lambda one: (-len(marks.get(one.doc_id, ())), -one.moved, one.source))
    shown: list[DocumentReview] = []
    lines = 0
    for one in ranked[:MOST]:
        lines += one.moved + 2 * len(one.boundaries.shared)
        if shown and (lines > _MOST_LINES or not (one.moved or marks.get(one.doc_id))):
            break
        shown.append(one)
    return shown


def draw_strips(
    documents: Sequence[DocumentReview], labels: Mapping[str, str], marks: Mapping[str, Sequence[AnswerMark]]
) -> None:
    """Draw a row per document: its name, both strips, the signs of answers over them, and counts."""
    colours = "".join(
        f"--{name}: light-dark({COLOURS[role].light}, {COLOURS[role].dark});" for name, role in _ROLES.items()
    )
    rows = "".join(
        _row(one, labels.get(one.doc_id, one.doc_id), marks.get(one.doc_id, ())) for one in documents if one.characters
    )
    legend = (
        '<p class="strips-legend" aria-hidden="true">'
        '<span><i class="both"></i>boundary of both</span><span><i class="live"></i>◆ live only</span>'
        '<span><i class="candidate"></i>● candidate only</span>'
        '<span class="won">▲ answer won</span><span class="lost">▼ answer lost</span></p>'
    )
    st.html(_STYLE)
    st.html(f'<section class="strips" style="{colours}">{legend}{rows}</section>')


def _row(one: DocumentReview, name: str, marks: Sequence[AnswerMark]) -> str:
    own = {"live": one.boundaries.only_a, "candidate": one.boundaries.only_b}
    counts = f"◆ {len(own['live']):,} · ● {len(own['candidate']):,}"
    won, lost = sum(mark.won for mark in marks), sum(not mark.won for mark in marks)
    said = (
        f"{name}: {quantity(len(one.boundaries.shared), 'boundary', 'boundaries')} of both, "
        f"{len(own['live']):,} of the live index only, {len(own['candidate']):,} of the candidate only; "
        f"{quantity(won, 'answer')} won, {lost:,} lost"
    )
    signs = "".join(
        f'<b class="{"won" if mark.won else "lost"}" style="left:{_percent(mark.at, one)}" '
        f'title="{"Won" if mark.won else "Lost"}: {escape(mark.question)}">{mark.sign}</b>'
        for mark in marks
    )
    tracks = "".join(_track(one, side, only) for side, only in own.items())
    return (
        f'<div class="strips-row" role="img" aria-label="{escape(said)}"><span class="name" title="{escape(name)}">'
        f'{escape(name)}</span><span class="counts" title="Boundaries of the live index only (◆), and of the '
        f'candidate only (●)">{counts}</span><div class="tracks"><div class="signs">{signs}</div>{tracks}</div></div>'
    )


def _track(one: DocumentReview, side: str, only: np.ndarray) -> str:
    lines = [("both", at) for at in one.boundaries.shared.tolist()] + [(side, at) for at in only.tolist()]
    drawn = "".join(f'<i class="{kind}" style="left:{_percent(at, one)}"></i>' for kind, at in lines)
    dense = " dense" if len(lines) > _DENSE else ""
    return f'<div class="track{dense}">{drawn}</div>'


def _percent(at: int, one: DocumentReview) -> str:
    return f"{100 * at / one.characters:.2f}%"
