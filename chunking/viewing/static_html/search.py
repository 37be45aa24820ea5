"""Searches and hits as HTML cards, with matches marked."""

from __future__ import annotations

from collections.abc import Iterator

from chunking.display import quantity
from chunking.retrieval.results.search_result import Result, SearchResult, search_facts
from chunking.viewing.static_html.elements import (
    FAINT,
    Html,
    card,
    clipped,
    disclosure,
    edge,
    element,
    faint,
    head,
    text_block,
    tint,
)

__all__ = ["result_html", "search_html"]

_MOST_RESULTS, _MOST_NOTES, _MOST_SPANS = 20, 10, 40
_MOST_TEXT, _MOST_CONTEXT, _MOST_LABEL = 900, 8_000, 300
"""Maximum characters of a hit, of the context, and of a heading."""
_BEFORE = 120
"""Characters shown before the first match of a long hit."""


def search_html(answer: SearchResult) -> Html:
    """Return a search's card: notes, first 20 hits, and the context for a language model."""
    rest = len(answer.results) - _MOST_RESULTS
    sign = answer.absence
    context = answer.context
    return card(
        head(clipped(answer.query, _MOST_LABEL), quantity(len(answer.results), "result"), *search_facts(answer)),
        *([faint(f"Probably not in the documents: {sign.evidence}")] if sign is not None and sign.probable else []),
        *([faint(answer.evidence.sentence)] if answer.evidence else []),
        *(faint(clipped(note, _MOST_LABEL)) for note in answer.notes[:_MOST_NOTES]),
        *(_hit(one) for one in answer.results[:_MOST_RESULTS]),
        *([faint(f"… and {quantity(rest, 'more result')}.")] if rest > 0 else []),
        disclosure(f"Context for a language model, {quantity(context.tokens, 'token')}", *_context(context.text)),
    )


def result_html(result: Result) -> Html:
    """Return a hit's card, with the steps of its score."""
    steps = (f"{step.name} {step.amount:+.2f}: {step.explanation}" for step in result.steps)
    judged = result.evidence.explanation if result.evidence else ""
    lines = [result.explanation, *steps, judged]
    return card(
        _hit(result),
        disclosure("Score", *(faint(clipped(line, _MOST_LABEL)) for line in lines if line)),
    )


def _context(text: str) -> list[str]:
    return [text_block(clipped(text, _MOST_CONTEXT))] if text else []


def _hit(result: Result) -> Html:
    legs = [f"{name} {leg.rank}" for name, leg in result.legs.items() if leg.rank is not None]
    facts = [clipped(result.citation, _MOST_LABEL), f"score {result.score:.2f}", *legs]
    return element(
        "div",
        element(
            "div", element("b", f"{result.rank}"), " ", element("span", " · ".join(facts), style=FAINT, dir="auto")
        ),
        text_block(*_marked(result)),
        style=f"border-left:3px solid {edge('hit')};padding:2px 10px 6px;margin:8px 0 0",
    )


def _marked(result: Result) -> Iterator[str]:
    """Yield a hit's text with its matches marked; a long text starts shortly before the first match."""
    chunk = result.part
    if not chunk.content:
        yield clipped(chunk.summary, _MOST_TEXT)
        return
    inside = [span for span in result.highlights if chunk.start <= span.start and span.end <= chunk.end]
    spans = [(span.start - chunk.start, span.end - chunk.start) for span in inside[:_MOST_SPANS]]
    first = min((start for start, _ in spans), default=0)
    at = first - _BEFORE if len(chunk.content) > _MOST_TEXT and first > _MOST_TEXT // 2 else 0
    end = min(at + _MOST_TEXT, len(chunk.content))
    if at:
        yield "… "
    for start, after in spans:
        start, after = max(start, at), min(after, end)
        if start < after:
            yield chunk.content[at:start]
            yield element(
                "span", chunk.content[start:after], style=f"background:{tint('highlight', 0.38)};border-radius:2px"
            )
            at = after
    yield chunk.content[at:end]
    if end < len(chunk.content):
        yield " …"
