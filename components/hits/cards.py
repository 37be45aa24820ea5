"""What the hit cards show, as plain texts and numbers: everything is put into words here, the browser only draws.

Document text is hostile. It travels as JSON strings and is shown with `textContent`; no markup is ever made from it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from chunking.config import Fusion
from chunking.model import Chunk, Span
from chunking.retrieval import Leg, Place, Result, SearchResult

__all__ = ["SNIPPET_CHARACTERS", "cards", "snippet"]

SNIPPET_CHARACTERS = 300
_NEAR_CHARACTERS = 140
_AS_IT_STANDS = ("code", "table")
"""Content types in which line ends mean something."""

_HEADING_LINES = re.compile(r"(?:\s*#{1,6} [^\n]*\n)+\s*")

_LEGS: dict[str, tuple[str, str, str]] = {"vector": ("meaning", "cosine", ".3f"), "text": ("words", "BM25", ".2f")}
"""Leg to its name on screen, the unit of its own score, and how many digits that has."""

_FIELDS = {"content": "text", "heading": "heading"}


def cards(result: SearchResult, fusion: Fusion = Fusion.STANDARDISED) -> dict[str, Any]:
    """All hits of a search, ready to draw.

    Args:
        result: the search.
        fusion: how its scores were put together; decides the digits and what the score says on hover.
    Returns:
        JSON: `hits` (a row a card, best first), `documents` (id, title, best score, places in `hits`), `scale` (least and
        greatest end of the bars), `words` (what columns and numbers mean).
    """
    digits, meaning = _score_words(result, fusion)
    places = {hit.chunk.chunk_id: place for place, hit in enumerate(result.results)}
    return {
        "hits": [_card(hit, digits) for hit in result.results],
        "documents": [
            {
                "id": group.doc_id,
                "title": group.title,
                "score": _number(group.score, digits),
                "hits": [places[hit.chunk.chunk_id] for hit in group.matched],
                "context": len(group.context),
            }
            for group in result.documents
        ],
        "scale": _scale(result.results),
        "words": {"score": meaning, **_column_words(result, fusion)},
    }


def snippet(
    content: str, highlights: Sequence[Span], *, characters: int = SNIPPET_CHARACTERS, lines: bool = False
) -> list[tuple[str, bool]]:
    """The part of a chunk that says most of what was asked, in pieces, highlighted or not.

    Args:
        content: the chunk's text.
        highlights: spans of `content`, in order.
        characters: most of them, about.
        lines: keep line ends (code, tables); elsewhere white space becomes a single space.

    >>> snippet("To restore a backup, stop the service.", [Span(3, 10), Span(13, 19)], characters=40)
    [('To ', False), ('restore', True), (' a ', False), ('backup', True), (', stop the service.', False)]
    """
    first, last = _window(content, highlights, characters, lines)
    pieces: list[tuple[str, bool]] = [("… ", False)] if first > _body_start(content) else []
    at = first
    for start, end in highlights:
        if end <= first or start >= last:
            continue
        pieces += [(content[at : max(start, first)], False), (content[max(start, first) : min(end, last)], True)]
        at = min(end, last)
    pieces += [(content[at:last], False), (" …" if content[last:].strip() else "", False)]
    return [(text, marked) for text, marked in (_spaced(piece, lines) for piece in pieces) if text]


def _spaced(piece: tuple[str, bool], lines: bool) -> tuple[str, bool]:
    return piece if lines else (re.sub(r"\s+", " ", piece[0]), piece[1])


def _body_start(content: str) -> int:
    """Past the headings on top, which the card's title says already; 0 where there is nothing else."""
    match = _HEADING_LINES.match(content)
    return match.end() if match and match.end() < len(content) else 0


def _window(content: str, highlights: Sequence[Span], characters: int, lines: bool) -> tuple[int, int]:
    """First and last offset of the stretch with the most highlighted characters."""
    begin, end = _body_start(content), len(content.rstrip())
    if end - begin <= characters:
        return begin, end
    starts = [begin, *(_stop_before(content, max(begin, span.start - characters // 6), begin, lines) for span in highlights)]
    first = max(starts, key=lambda start: (_covered(highlights, start, start + characters), -start))
    last = min(end, first + characters)
    space = max(content.rfind(mark, last - characters // 6, last) for mark in " \n。，")
    return first, last if last == end or space < 0 else space + 1


def _stop_before(content: str, offset: int, least: int, lines: bool) -> int:
    """The nearest start of a word (or a line) before `offset`."""
    marks = "\n" if lines else " \n。，；"
    found = max(content.rfind(mark, max(least, offset - 60), offset) for mark in marks)
    return found + 1 if found >= 0 else offset


def _covered(highlights: Sequence[Span], start: int, end: int) -> int:
    return sum(max(0, min(end, span.end) - max(start, span.start)) for span in highlights)


def _card(hit: Result, digits: str) -> dict[str, Any]:
    chunk = hit.chunk
    inside = [Span(span.start - chunk.start, span.end - chunk.start) for span in hit.highlights]
    lines = chunk.content_type in _AS_IT_STANDS
    return {
        "id": chunk.chunk_id,
        "rank": hit.rank,
        "title": chunk.title_path[-1] if chunk.title_path else _title(chunk),
        "citation": hit.citation,
        "kind": chunk.source_hint or ("" if chunk.content_type == "paragraph" else chunk.content_type),
        "lines": lines,
        "pieces": snippet(chunk.content, inside, lines=lines),
        "fields": " and ".join(_FIELDS.get(name, name) for name in hit.matched_fields),
        "score": _number(hit.score, digits),
        "legs": [_leg(name, leg, digits, exact=hit.exact) for name, leg in hit.legs.items()],
        "why": hit.explanation,
        "near": _near(hit),
        "repeats": [_repeat(place) for place in hit.repeats],
    }


def _title(chunk: Chunk) -> str:
    return str(chunk.metadata.get("title") or chunk.metadata.get("file_name") or chunk.doc_id)


def _leg(name: str, leg: Leg, digits: str, *, exact: bool = False) -> dict[str, Any]:
    label, unit, own_digits = _LEGS.get(name, (name, "score", ".3f"))
    own = f"{unit} {_number(leg.score, own_digits)}" if leg.score is not None else "none"
    return {
        "name": label,
        "part": leg.part,
        "adds": _number(leg.part, f"+{digits}"),
        "rank": f"{leg.rank} of {leg.candidates}" if leg.found else f"not in {leg.candidates}",
        "raw": "exact characters" if exact else own,
        "z": _number(leg.z, "+.2f"),
        "weight": f"{leg.weight:.2f}",
        "found": leg.found,
    }


def _number(value: float, digits: str) -> str:
    """
    >>> _number(-0.5, "+.2f"), _number(0.5, "+.2f")
    ('−0.50', '+0.50')
    """
    return f"{value:{digits}}".replace("-", "−")


def _near(hit: Result) -> list[dict[str, str]]:
    """The hit among its neighbours, in reading order."""
    rows = [
        {"id": chunk.chunk_id, "side": "before" if chunk.chunk_index < hit.chunk.chunk_index else "after", "text": _beginning(chunk)}
        for chunk in hit.neighbours
    ]
    before = sum(row["side"] == "before" for row in rows)
    rows.insert(before, {"id": hit.chunk.chunk_id, "side": "hit", "text": _beginning(hit.chunk)})
    return rows if len(rows) > 1 else []


def _beginning(chunk: Chunk) -> str:
    return "".join(text for text, _ in snippet(chunk.content, (), characters=_NEAR_CHARACTERS))


def _repeat(place: Place) -> dict[str, str]:
    return {"id": place.chunk_id, "citation": place.citation}


def _scale(results: Sequence[Result]) -> tuple[float, float]:
    """The ends of the longest bars: parts below zero are stacked to the left of it, the others to the right."""
    sums = [[sum(part for leg in hit.legs.values() if (part := leg.part) * sign > 0) for sign in (-1, 1)] for hit in results]
    return min((low for low, _ in sums), default=0.0), max((high for _, high in sums), default=0.0)


_SINGLE: Mapping[str, tuple[str, str]] = {
    "vector": (".3f", "Cosine of the angle between the query's and the chunk's vector: 1 is the same direction, 0 has nothing in common."),
    "text": (
        ".2f",
        "BM25: how often the query's words stand in the chunk, rare words counting more, long chunks less. No upper end.",
    ),
}

_FUSED: Mapping[Fusion, tuple[str, str]] = {
    Fusion.STANDARDISED: (
        ".2f",
        "Sum of both parts, in standard deviations: 0 is an average candidate of this search, +1 one deviation better. "
        "Compare it within one search only.",
    ),
    Fusion.RECIPROCAL_RANK: (".4f", "Sum over both lists of weight / (60 + rank). Compare it within one search only."),
}


def _score_words(result: SearchResult, fusion: Fusion) -> tuple[str, str]:
    """Digits of the score, and what it is. One leg alone keeps its own score, in a hybrid search too."""
    (first, *others) = result.weights
    return _FUSED[fusion] if others else _SINGLE[first]


def _column_words(result: SearchResult, fusion: Fusion) -> dict[str, str]:
    """What the columns of "Why this hit" mean; those that say nothing for this search are empty and not shown."""
    fused = len(result.weights) > 1
    standardised = fused and fusion is Fusion.STANDARDISED
    adds = "standardised × weight" if standardised else "weight / (60 + rank)"
    return {
        "rank": "Place among the candidates that this way of searching found.",
        "raw": "Meaning: cosine of the vectors, at most 1. Words: BM25, no upper end.",
        "z": "How many standard deviations its score lies above the mean of its candidates; not found counts as the least of them."
        if standardised
        else "",
        "weight": "Share of this way of searching in the score; set under More." if fused else "",
        "adds": f"What it adds to the score: {adds}." if fused else "",
    }
