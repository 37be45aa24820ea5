"""Spans of a chunk that match the terms of a query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from chunking.model import Chunk, Span
from chunking.retrieval.query.query_terms import LONGEST_RUN, UNSPACED_RUN, Terms, word_stem
from chunking.text.folding import fold_with_offsets
from chunking.text.search_text import search_words

__all__ = ["highlights", "match_spans", "matched_fields"]


def highlights(chunk: Chunk, terms: Terms) -> tuple[Span, ...]:
    """Matches in a chunk's content, as spans of the document."""
    return tuple(Span(chunk.start + start, chunk.start + end) for start, end in match_spans(chunk.content, terms))


def matched_fields(chunk: Chunk, terms: Terms) -> tuple[str, ...]:
    """Fields that match: `content` (or the summary), `heading`; none where only the meaning is close."""
    fields = (("content", chunk.content or chunk.summary), ("heading", "\n".join(chunk.title_path)))
    return tuple(name for name, text in fields if match_spans(text, terms))


def match_spans(text: str, terms: Terms) -> tuple[Span, ...]:
    """Spans of `text` that match, in order; those that touch or overlap are one."""
    is_match = _StemMatches(terms.stems).__getitem__
    spans = [Span(word.start, word.end) for word in search_words(text, is_match)] if terms.stems else []
    if terms.grams or terms.phrases:
        folded = fold_with_offsets(text)
        for run in UNSPACED_RUN.finditer(folded.text):
            spans.extend(
                Span(*folded.span(run.start() + start, run.start() + end))
                for start, end in _matching_grams(run[0], terms.grams)
            )
        for phrase in terms.phrases:
            spans.extend(Span(*folded.span(*match.span())) for match in phrase.finditer(folded.text))
    return _merged(text, spans)


class _StemMatches(dict[str, bool]):
    """Whether a word has one of the stems; each different word of a text is stemmed once."""

    def __init__(self, stems: frozenset[str]) -> None:
        self._stems = stems

    def __missing__(self, word: str) -> bool:
        matches = self[word] = word_stem(word) in self._stems
        return matches


def _matching_grams(run: str, grams: frozenset[str]) -> Iterator[tuple[int, int]]:
    """The longest gram from each start."""
    shortest = min(map(len, grams), default=1)  # every longer one begins with one of these
    for start in range(len(run)):
        if run[start : start + shortest] not in grams:
            continue
        ends = range(min(len(run), start + LONGEST_RUN), start, -1)
        end = next((end for end in ends if run[start:end] in grams), None)
        if end is not None:
            yield start, end


def _merged(text: str, spans: Iterable[Span]) -> tuple[Span, ...]:
    """Join spans that touch, or that only underscores separate."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and (span.start <= merged[-1].end or not text[merged[-1].end : span.start].strip("_")):
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return tuple(merged)
