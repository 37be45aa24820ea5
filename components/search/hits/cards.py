"""Data of the hit cards: plain texts and numbers, worded here and only drawn by the browser.

Document text is untrusted: it is sent as JSON strings and drawn with `textContent`, never as markup.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from chunking.config import Fusion
from chunking.evaluation import AnswerSpan
from chunking.model import CHUNK, CLUSTER, DOCUMENT, PARENT, SECTION, Chunk, Flag, Span
from chunking.retrieval import Leg, RepeatedText, Result, SearchResult
from chunking.retrieval.ranking.reranking import RERANKERS
from components.kit.text_looks import text_looks
from components.kit.wording import quantity
from components.search.hits.snippets import AS_IT_STANDS, beginning, chunk_snippet

__all__ = ["ONLY", "cards", "level_words", "spans_in"]

ONLY = "only here"
"""Highlighted tag of a hit that the compared search did not return."""

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
"""Level to (label on the card, tooltip)."""

_SUMMARIES: dict[str, tuple[str, str]] = {
    SECTION: ("section summary", "The summary of a section was found."),
    DOCUMENT: ("document summary", "The summary of a document was found."),
    CLUSTER: (
        "cluster summary",
        "The summary of a cluster of similar chunks was found; they may come from several documents.",
    ),
}
"""Level of a summary to (label on the card, tooltip)."""
_LARGER = "A larger granularity: a chunk made of several chunks of the set size."

_LEGS: dict[str, tuple[str, str, str]] = {"vector": ("vector", "cosine", ".3f"), "text": ("full text", "BM25", ".2f")}
"""Leg to (label, unit of its own score, number format)."""

_STEPS: dict[str, tuple[str, str]] = {
    "vector": ("vector", "meaning"),
    "text": ("full text", "words"),
    **{str(row.name): (row.stage, "second") for row in RERANKERS.values()},
    "children": ("chunks found", "larger"),
}
"""Step to (label, tone of search/hits/style.css); other steps show their name."""

_LARGER_STEP = re.compile(r"x(\d+)$")


def cards(
    result: SearchResult,
    fusion: Fusion = Fusion.STANDARDISED,
    notes: Mapping[str, tuple[str, str]] | None = None,
    answers: Sequence[AnswerSpan] = (),
) -> dict[str, Any]:
    """Convert the hits of a search to data for the browser.

    Args:
        result: the search.
        fusion: fusion of the scores; decides digits and tooltip of the score.
        notes: chunk id to (tag on its card, tooltip).
        answers: gold answers of the query; a card whose hit has a part of one shows and marks it.
    Returns:
        JSON: `hits` (a row a card, best first), `documents` (id, title, file, best score, places in `hits`), `scale`
            (least and greatest end of the bars), `words` (tooltips of columns and numbers), `evidence` (how the
            results were judged, or empty), `left_out` (a row a result with too little evidence).
    """
    digits, meaning = score_words(result, fusion)
    places = {hit.chunk.chunk_id: place for place, hit in enumerate(result.results)}
    return {
        "hits": [_card(hit, digits, (notes or {}).get(hit.chunk.chunk_id), answers) for hit in result.results],
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
        "evidence": result.evidence.sentence if result.evidence else "",
        "left_out": [_left_out_row(hit) for hit in result.left_out],
    }


def level_words(chunk: Chunk) -> tuple[str, str]:
    """Return (label, tooltip) of a result's level, such as a parent; empty strings for a chunk."""
    words = (_LEVELS if chunk.content else _SUMMARIES).get(chunk.level)
    return words or (f"{chunk.level.removeprefix('x')}× chunk", _LARGER)


def _card(hit: Result, digits: str, note: tuple[str, str] | None, answers: Sequence[AnswerSpan]) -> dict[str, Any]:
    chunk, (shown, marked) = hit.chunk, _snippet_of(hit)
    gold = spans_in(shown, answers)
    steps = step_rows(hit, digits)
    adds = {step["key"]: step["adds"] for step in steps}
    return {
        "id": chunk.chunk_id,
        "rank": hit.rank,
        "title": chunk.title_path[-1] if chunk.title_path else _title(chunk),
        "citation": hit.citation,
        "tags": _tags(hit, note, answered=bool(gold)),
        "lines": shown.content_type in AS_IT_STANDS and bool(shown.content),
        "pieces": (pieces := chunk_snippet(shown, gold or marked)),
        "answered": bool(gold),
        "looks": _looks(shown, "".join(text for text, _ in pieces)),
        "score": number(hit.score, digits),
        "legs": [
            leg_row(name, leg, digits, exact=hit.exact) | ({"adds": adds[name]} if name in adds else {})
            for name, leg in hit.legs.items()
        ],
        "steps": steps,
        "why": hit.explanation if len(steps) == 1 else hit.note,
        "evidence": hit.evidence.explanation if hit.evidence else "",
        "near": _neighbour_rows(hit),
        "repeats": [_repeat(place) for place in hit.repeats],
        "children": _children(hit, digits),
    }


def _snippet_of(hit: Result) -> tuple[Chunk, list[Span]]:
    """Return the chunk whose text is shown, and the matches in it: what is left of the hit, or its best child."""
    if hit.trimmed or not hit.matched:
        part = hit.part
        return part, [span for span in hit.highlights if part.start <= span.start and span.end <= part.end]
    return hit.matched[0].chunk, list(hit.matched[0].highlights)


def spans_in(chunk: Chunk, answers: Sequence[AnswerSpan]) -> list[Span]:
    """Return the parts of gold answers that a chunk's text holds, as spans of its document, in order."""
    parts = (
        Span(max(one.start, chunk.start), min(one.end, chunk.end))
        for one in answers
        if one.doc_id == chunk.doc_id and chunk.content
    )
    return sorted(part for part in parts if part.start < part.end)


def _left_out_row(hit: Result) -> dict[str, Any]:
    """Return the row of a result with too little evidence."""
    why = hit.evidence.explanation if hit.evidence else ""
    return {"id": hit.chunk.chunk_id, "rank": hit.rank, "citation": hit.citation, "why": why}


def _looks(chunk: Chunk, text: str) -> dict[str, Any]:
    """Return the styles of code and tables in a snippet; none if its white space was collapsed."""
    if chunk.content_type not in AS_IT_STANDS or not chunk.content:
        return text_looks("")
    language = chunk.source_hint.removeprefix("[Code] ").strip() if chunk.content_type == "code" else ""
    fields = chunk.content_type == "table" and chunk.metadata.get("format") == "csv"
    return text_looks(text, language="" if language == chunk.source_hint else language, fields=fields)


def _title(chunk: Chunk) -> str:
    if chunk.level == CLUSTER:
        return f"Cluster of {quantity(len(chunk.children), 'part')}"
    return str(chunk.metadata.get("title") or chunk.metadata.get("file_name") or chunk.doc_id)


def _tags(hit: Result, note: tuple[str, str] | None, *, answered: bool) -> list[tuple[str, str, str]]:
    """Return (text, tooltip, class) of each tag."""
    chunk = hit.chunk
    kind = chunk.source_hint or ("" if chunk.content_type == "paragraph" else chunk.content_type)
    fields = " and ".join(_FIELDS.get(name, name) for name in hit.matched_fields)
    tags = [
        (
            "✓ gold answer" if answered else "",
            "This hit contains the gold answer to this question, or part of it.",
            "answer",
        ),
        (*(note or ("", "")), "only" if note and note[0] == ONLY else "note"),
        (*level_words(chunk), "level"),
        (
            "trimmed" if hit.trimmed else "",
            "Only the sentences that carry its evidence count; the rest of its text is dimmed in the document.",
            "",
        ),
        (kind if chunk.level == CHUNK else "", "The main content of the chunk.", ""),
        (f"words in {fields}" if fields else "", "Where words of the query occur.", ""),
        (
            "LLM-generated" if Flag.GENERATED in chunk.flags else "",
            "A language model wrote its summary or part of its prefix.",
            "",
        ),
    ]
    return [tag for tag in tags if tag[0]]


def _neighbour_rows(hit: Result) -> list[dict[str, str]]:
    """Return the hit among its neighbours, in reading order; empty without neighbours."""
    rows = [
        {
            "id": chunk.chunk_id,
            "side": "before" if chunk.start < hit.chunk.start else "after",
            "text": beginning(chunk),
            "why": hit.neighbour_reasons.get(chunk.chunk_id, ""),
        }
        for chunk in hit.neighbours
    ]
    before = sum(row["side"] == "before" for row in rows)
    rows.insert(before, {"id": hit.chunk.chunk_id, "side": "hit", "text": beginning(hit.chunk), "why": ""})
    return rows if len(rows) > 1 else []


def _repeat(place: RepeatedText) -> dict[str, str]:
    return {"id": place.chunk_id, "citation": place.citation}


def _children(hit: Result, digits: str) -> dict[str, Any] | None:
    """Return the matched chunks of a parent, best first."""
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
    total = max(len(hit.chunk.children), len(rows))
    noun = "chunk" if all(child.chunk.level == CHUNK for child in hit.matched) else "part"
    return {"label": f"{len(rows)} of {quantity(total, noun)} found", "rows": rows, "found": len(rows), "of": total}


def number(value: float, digits: str) -> str:
    """Format a number with a typographic minus.

    >>> number(-0.5, "+.2f"), number(0.5, "+.2f")
    ('−0.50', '+0.50')
    """
    return f"{value:{digits}}".replace("-", "−")


def leg_row(name: str, leg: Leg, digits: str, *, exact: bool = False) -> dict[str, Any]:
    """Convert a leg's rank, score, weight and contribution to a hit to data for the browser.

    Args:
        digits: number format of the contribution.
        exact: True for a hit found by its exact characters, which is said in place of the leg's score.
    """
    label, unit, own_digits = _LEGS.get(name, (name, "score", ".3f"))
    own = f"{unit} {number(leg.score, own_digits)}" if leg.score is not None else "none"
    return {
        "name": label,
        "tone": step_words(name)[1],
        "part": leg.part,
        "adds": number(leg.part, f"+{digits}"),
        "rank": f"{leg.rank} of {leg.candidates}" if leg.matched else f"not in {leg.candidates}",
        "raw": "exact characters" if exact else own,
        "z": number(leg.z, "+.2f"),
        "weight": f"{leg.weight:.2f}",
        "found": leg.matched,
    }


def step_words(name: str) -> tuple[str, str]:
    """Return (label, colour tone) of a step or leg; an unknown one keeps its name.

    >>> step_words("text"), step_words("x2"), step_words("own_rule")
    (('full text', 'words'), ('2× chunk', 'larger'), ('own rule', 'second'))
    """
    larger = _LARGER_STEP.match(name)
    return (f"{larger[1]}× chunk", "larger") if larger else _STEPS.get(name, (name.replace("_", " "), "second"))


def step_rows(hit: Result, digits: str) -> list[dict[str, Any]]:
    """Return each step's contribution to a hit's score, with the running sum, rounded to add up.

    The legs count as steps if a result has no others.
    """
    steps = [(step.name, step.amount, step.explanation) for step in hit.steps] or [
        (name, leg.part, "") for name, leg in hit.legs.items()
    ]
    # What a sentence repeats is rounded as there; the legs take what is left of the rounding.
    shown = adding_up([amount for _, amount, _ in steps], [name not in hit.legs for name, _, _ in steps], digits)
    rows: list[dict[str, Any]] = []
    total = printed = 0.0
    for (name, amount, why), adds in zip(steps, shown, strict=True):
        label, tone = step_words(name)
        printed += adds
        rows.append(
            {
                "key": name,
                "name": label,
                "tone": tone,
                "from": total,
                "part": amount,
                "adds": number(adds, f"+{digits}"),
                "why": why,
                "sum": number(printed, digits),
            }
        )
        total += amount
    return rows


def adding_up(amounts: Sequence[float], fixed: Sequence[bool], digits: str) -> list[float]:
    """Round amounts so that they sum to their rounded sum.

    The nearest ones go up or down by one in the last digit.

    Args:
        fixed: amounts that are changed last.
        digits: number format, such as `.2f`.

    >>> adding_up([2.345, 3.125, 3.074], [False, False, True], ".2f")  # in all 8.54
    [2.35, 3.12, 3.07]
    >>> adding_up([0.014, 0.014, 0.014], [False, False, False], ".2f")
    [0.02, 0.01, 0.01]
    """
    unit = 10.0 ** int(digits[1:-1])
    shown = [round(float(f"{amount:{digits}}") * unit) for amount in amounts]
    short = round(float(f"{round(math.fsum(amounts), 9):{digits}}") * unit) - sum(shown)
    sign = 1 if short > 0 else -1
    by_rest = sorted(range(len(shown)), key=lambda at: (fixed[at], sign * (shown[at] - amounts[at] * unit)))
    for at in by_rest[: abs(short)]:
        shown[at] += sign
    return [amount / unit for amount in shown]


def scale(results: Sequence[Result]) -> tuple[float, float]:
    """Return the least sum of negative and the greatest sum of positive contributions of a hit."""
    parts = [[row["part"] for row in step_rows(hit, ".2f")] for hit in results]
    low = min((sum(part for part in row if part < 0) for row in parts), default=0.0)
    return low, max((sum(part for part in row if part > 0) for row in parts), default=0.0)


_SINGLE: Mapping[str, tuple[str, str]] = {
    "vector": (
        ".3f",
        (
            "Cosine of the angle between the query's and the chunk's vector: 1 is the same direction, 0 has "
            "nothing in common."
        ),
    ),
    "text": (
        ".2f",
        (
            "BM25: how often the query's words occur in the chunk; rare words count more, long chunks less. No "
            "upper limit."
        ),
    ),
}

_FUSED: Mapping[Fusion, tuple[str, str]] = {
    Fusion.STANDARDISED: (
        ".2f",
        (
            "Sum of both legs, in standard deviations: 0 is an average candidate of this search, +1 is one "
            "deviation better. Comparable only within one search."
        ),
    ),
    Fusion.RECIPROCAL_RANK: (".4f", "Sum over both legs of weight / (60 + rank). Comparable only within one search."),
}
_MORE_STEPS = "Sum of its steps, which “Why this hit” lists. Comparable only within one search."


def score_words(result: SearchResult, fusion: Fusion) -> tuple[str, str]:
    """Return (number format, tooltip) of the score: of the only leg, else of the fusion."""
    (first, *others) = result.weights
    digits, meaning = _FUSED[fusion] if others else _SINGLE[first]
    more = any(step.name not in hit.legs for hit in result.results for step in hit.steps)
    return digits, _MORE_STEPS if more else meaning


def column_words(result: SearchResult, fusion: Fusion) -> dict[str, str]:
    """Return the tooltips of the columns of "Why this hit"; columns with "" are hidden."""
    fused = len(result.weights) > 1
    standardised = fused and fusion is Fusion.STANDARDISED
    adds = "standardised × weight" if standardised else "weight / (60 + rank)"
    return {
        "rank": "Rank among the candidates of this leg.",
        "raw": "Vector: cosine similarity, at most 1. Full text: BM25, no upper limit.",
        "z": (
            "How many standard deviations the score is above the mean of the candidates (z-score); a candidate that "
            "the leg did not find counts as its lowest."
        )
        if standardised
        else "",
        "weight": f"Weight of this leg in the score; set under More. {result.weight_reason}".rstrip() if fused else "",
        "adds": f"Contribution to the score: {adds}." if fused else "",
    }
