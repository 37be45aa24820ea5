"""What the hit cards show, as plain texts and numbers: everything is put into words here, the browser only draws.

Document text is hostile. It travels as JSON strings and is shown with `textContent`; no markup is ever made from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chunking.config import Fusion
from chunking.model import CHUNK, CLUSTER, DOCUMENT, PARENT, SECTION, Chunk, Flag
from chunking.retrieval import RepeatedText, Result, SearchResult
from components.kit.rich_text.text_looks import text_looks
from components.kit.wording import quantity
from components.search.hits.scores import column_words, leg_row, number, scale, score_words, step_rows
from components.search.hits.snippets import AS_IT_STANDS, beginning, chunk_snippet

__all__ = ["ONLY", "cards", "level_words"]

ONLY = "only here"
"""A tag that stands out: in a comparison, what the other search did not find."""

_FIELDS = {"content": "text", "heading": "heading"}
_CHILD_CHARACTERS = 160

_LEVELS: dict[str, tuple[str, str]] = {
    CHUNK: ("", ""),
    PARENT: (
        "parent",
        "Parent: whole neighbouring chunks of one section. One of its chunks was found; the parent is returned.",
    ),
    SECTION: ("section", "Parent: a whole section. One of its chunks was found; the section is returned."),
}
"""Level to what it is called on a card, and what that means; a chunk is what a card is by default."""

_SUMMARIES: dict[str, tuple[str, str]] = {
    SECTION: ("section summary", "The summary of a section was found."),
    DOCUMENT: ("document summary", "The summary of a document was found."),
    CLUSTER: (
        "cluster summary",
        "The summary of a cluster of similar chunks was found; they may come from several documents.",
    ),
}
"""The same of rows that are a summary."""
_LARGER = "A larger granularity: a chunk made of several chunks of the set size."


def cards(
    result: SearchResult, fusion: Fusion = Fusion.STANDARDISED, notes: Mapping[str, tuple[str, str]] | None = None
) -> dict[str, Any]:
    """All hits of a search, ready to draw.

    Args:
        result: the search.
        fusion: how its scores were put together; decides the digits and what the score says on hover.
        notes: chunk id to a tag on its card and what it says on hover.
    Returns:
        JSON: `hits` (a row a card, best first), `documents` (id, title, file, best score, places in `hits`), `scale`
            (least and
        greatest end of the bars), `words` (what columns and numbers mean).
    """
    digits, meaning = score_words(result, fusion)
    places = {hit.chunk.chunk_id: place for place, hit in enumerate(result.results)}
    return {
        "hits": [_card(hit, digits, (notes or {}).get(hit.chunk.chunk_id)) for hit in result.results],
        "documents": [
            {
                "id": group.doc_id,
                "title": group.title or "Across documents",
                "file": group.file if group.file != group.title else "",
                "score": number(group.score, digits),
                "hits": [places[hit.chunk.chunk_id] for hit in group.matched],
                "context": len(group.context),
            }
            for group in result.documents
        ],
        "scale": scale(result.results),
        "words": {"score": meaning, **column_words(result, fusion)},
    }


def level_words(chunk: Chunk) -> tuple[str, str]:
    """What a result is called where it is more than a chunk, and what that means; empty texts for a chunk."""
    words = (_LEVELS if chunk.content else _SUMMARIES).get(chunk.level)
    return words or (f"{chunk.level.removeprefix('x')}× chunk", _LARGER)


def _card(hit: Result, digits: str, note: tuple[str, str] | None) -> dict[str, Any]:
    chunk, best = hit.chunk, hit.matched[0] if hit.matched else hit
    return {
        "id": chunk.chunk_id,
        "rank": hit.rank,
        "title": chunk.title_path[-1] if chunk.title_path else _title(chunk),
        "citation": hit.citation,
        "tags": _tags(hit, note),
        "lines": best.chunk.content_type in AS_IT_STANDS and bool(best.chunk.content),
        "pieces": (pieces := chunk_snippet(best.chunk, best.highlights)),
        "looks": _looks(best.chunk, "".join(text for text, _ in pieces)),
        "score": number(hit.score, digits),
        "legs": [leg_row(name, leg, digits, exact=hit.exact) for name, leg in hit.legs.items()],
        "steps": step_rows(hit, digits),
        "why": hit.explanation,
        "near": _near(hit),
        "repeats": [_repeat(place) for place in hit.repeats],
        "children": _children(hit, digits),
    }


def _looks(chunk: Chunk, text: str) -> dict[str, Any]:
    """Code and tables in a snippet of it; none where white space was taken out of it."""
    if chunk.content_type not in AS_IT_STANDS or not chunk.content:
        return text_looks("")
    language = chunk.source_hint.removeprefix("[Code] ").strip() if chunk.content_type == "code" else ""
    fields = chunk.content_type == "table" and chunk.metadata.get("format") == "csv"
    return text_looks(text, language="" if language == chunk.source_hint else language, fields=fields)


def _title(chunk: Chunk) -> str:
    if chunk.level == CLUSTER:
        return f"Cluster of {quantity(len(chunk.children), 'part')}"
    return str(chunk.metadata.get("title") or chunk.metadata.get("file_name") or chunk.doc_id)


def _tags(hit: Result, note: tuple[str, str] | None) -> list[tuple[str, str, str]]:
    """(text, what it says on hover, class) of each."""
    chunk = hit.chunk
    kind = chunk.source_hint or ("" if chunk.content_type == "paragraph" else chunk.content_type)
    fields = " and ".join(_FIELDS.get(name, name) for name in hit.matched_fields)
    tags = [
        (*(note or ("", "")), "only" if note and note[0] == ONLY else "note"),
        (*level_words(chunk), "level"),
        (kind if chunk.level == CHUNK else "", "The main content of the chunk.", ""),
        (f"words in {fields}" if fields else "", "Where words of the query occur.", ""),
        (
            "LLM-generated" if Flag.GENERATED in chunk.flags else "",
            "A language model wrote its summary or part of its prefix.",
            "",
        ),
    ]
    return [tag for tag in tags if tag[0]]


def _near(hit: Result) -> list[dict[str, str]]:
    """The hit among its neighbours, in reading order."""
    rows = [
        {"id": chunk.chunk_id, "side": "before" if chunk.start < hit.chunk.start else "after", "text": beginning(chunk)}
        for chunk in hit.neighbours
    ]
    before = sum(row["side"] == "before" for row in rows)
    rows.insert(before, {"id": hit.chunk.chunk_id, "side": "hit", "text": beginning(hit.chunk)})
    return rows if len(rows) > 1 else []


def _repeat(place: RepeatedText) -> dict[str, str]:
    return {"id": place.chunk_id, "citation": place.citation}


def _children(hit: Result, digits: str) -> dict[str, Any] | None:
    """The chunks that were found in a parent, best first."""
    if not hit.matched:
        return None
    rows = [
        {
            "id": child.chunk.chunk_id,
            "rank": child.rank,
            "score": number(child.score, digits),
            "pieces": chunk_snippet(child.chunk, child.highlights, characters=_CHILD_CHARACTERS),
        }
        for child in hit.matched
    ]
    whole = max(len(hit.chunk.children), len(rows))
    noun = "chunk" if all(child.chunk.level == CHUNK for child in hit.matched) else "part"
    return {"label": f"{len(rows)} of {quantity(whole, noun)} found", "rows": rows, "found": len(rows), "of": whole}
