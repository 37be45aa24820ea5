"""Results of a search made from its ranked candidates: highlighted, and grouped by document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from chunking.display import LANGUAGES
from chunking.model import Chunk, Span
from chunking.retrieval.context.expansion import passages
from chunking.retrieval.query.query_parts import query_language
from chunking.retrieval.query.query_terms import LONGEST_RUN, UNSPACED_RUN, Terms, stemmer, text_words
from chunking.retrieval.ranking.fused_hits import Fused
from chunking.retrieval.ranking.ranked import Ranked
from chunking.retrieval.results.citation import cite, document_file, document_title
from chunking.retrieval.results.search_result import DocumentGroup, MatchedChild, Result, ScoreStep
from chunking.text.folding import fold_with_offsets

__all__ = ["ShownResult", "as_matched", "as_result", "group", "highlights", "match_spans", "matched_fields"]

_EXACTLY = "Contains exactly the characters of the query; all such hits have the same score."


@dataclass(frozen=True, slots=True)
class ShownResult:
    """A candidate to show, or a parent in place of its matched children."""

    chunk: Chunk
    hit: Fused
    """Hit of the chunk, or of its best child."""
    children: tuple[Fused, ...] = ()
    """Matched children, best first; empty if the chunk itself matched."""
    because: str = ""
    """Reason for which a parent replaces its children."""


def as_result(
    shown: ShownResult,
    rank: int,
    ranked: Ranked,
    ranks: Mapping[str, int],
    neighbours: tuple[Chunk, ...],
    *,
    language: str = "und",
) -> Result:
    """Make the result of a shown candidate.

    Args:
        rank: among the results, from 1.
        ranked: all candidates.
        ranks: of the children, among all candidates.
        language: of the query, by its script (`query_language`).
    """
    chunk, hit, exact, terms = shown.chunk, shown.hit, ranked.exact, ranked.terms
    steps = (ScoreStep("characters", hit.score, _EXACTLY),) if exact else tuple(ScoreStep(*part) for part in hit.parts)
    content = match_spans(chunk.content, terms, chunk.language)
    fields = matched_fields(chunk, terms, content)
    note = "" if exact else _crossing(language, chunk, fields)
    explanation = _EXACTLY if exact else f"{hit.explanation} {note}".rstrip()
    if shown.children:
        steps = (*steps, ScoreStep("children", 0.0, shown.because))
    return Result(
        rank=rank,
        chunk=chunk,
        score=hit.score,
        legs=hit.legs,
        explanation=explanation,
        matched_fields=fields,
        highlights=_in_document(chunk, content),
        neighbours=neighbours,
        repeats=tuple(text for one in shown.children or (hit,) for text in ranked.repeats.get(one.chunk_id, ())),
        citation=cite(chunk),
        matched=tuple(as_matched(one, ranks[one.chunk_id], ranked.chunks, terms) for one in shown.children),
        steps=steps,
        exact=exact,
        note=note,
    )


def _crossing(language: str, chunk: Chunk, fields: Sequence[str]) -> str:
    """Return a sentence if query and text are in different languages, by their scripts; else an empty one.

    Latin letters (`en`) do not tell in which language a query is, and a code or a name that the text contains is in
    none. A passage in other letters, such as code, is in the language of its document.
    """
    named = LANGUAGES.keys() - {"und"}
    written, document = query_language(chunk.content or chunk.summary), chunk.language.partition("-")[0]
    own = document if document in named else written
    if language in (written, own) or not {language, written} <= named or (language == "en" and fields):
        return ""
    by_vector = "" if fields else " It has none of the query's words: the vector found it."
    if language == "en":
        return f"This text is in {LANGUAGES[own]}, and the query is not.{by_vector}"
    return f"The query is in {LANGUAGES[language]}, this text in {LANGUAGES[own]}.{by_vector}"


def as_matched(hit: Fused, rank: int, chunks: Mapping[str, Chunk], terms: Terms | None = None) -> MatchedChild:
    """Combine a candidate with its chunk; with highlights if terms are passed."""
    chunk = chunks[hit.chunk_id]
    return MatchedChild(chunk, hit.score, rank, hit.legs, highlights(chunk, terms) if terms else ())


# -- spans that match the query


def highlights(chunk: Chunk, terms: Terms) -> tuple[Span, ...]:
    """Return the matches in a chunk's content, as spans of the document."""
    return _in_document(chunk, match_spans(chunk.content, terms, chunk.language))


def _in_document(chunk: Chunk, spans: Iterable[Span]) -> tuple[Span, ...]:
    return tuple(Span(chunk.start + start, chunk.start + end) for start, end in spans)


def matched_fields(chunk: Chunk, terms: Terms, content: Sequence[Span] | None = None) -> tuple[str, ...]:
    """Return the fields that match, of `content` (or summary) and `heading`; none if only vectors match.

    Args:
        content: matches in the chunk's content, if they are known.
    """

    def matches(text: str) -> bool:
        return bool(match_spans(text, terms, chunk.language))

    in_content = bool(content) if content is not None and chunk.content else matches(chunk.content or chunk.summary)
    fields = (("content", in_content), ("heading", matches("\n".join(chunk.title_path))))
    return tuple(name for name, matched in fields if matched)


def match_spans(text: str, terms: Terms, language: str = "") -> tuple[Span, ...]:
    """Return the spans of `text` that match, in order, joined if they touch or overlap.

    Args:
        language: of the text (BCP 47).
    """
    is_match = _StemMatches(terms.stems(language), language).__getitem__
    spans = [Span(word.start, word.end) for word in text_words(text, is_match)] if terms.words else []
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
    """Cached answers whether a word has one of the stems; each distinct word of a text is stemmed once."""

    def __init__(self, stems: frozenset[str], language: str) -> None:
        self._stems, self._stem = stems, stemmer(language)

    def __missing__(self, word: str) -> bool:
        matches = self[word] = self._stem(word) in self._stems
        return matches


def _matching_grams(run: str, grams: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Yield the longest gram from each start."""
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


# -- documents


def group(results: Sequence[Result]) -> tuple[DocumentGroup, ...]:
    """Group results by document.

    Args:
        results: best first.
    Returns:
        One group per document, in the order of their best hits; its score is that hit's.
    """
    by_document: dict[str, list[Result]] = {}
    for result in results:
        by_document.setdefault(result.chunk.doc_id, []).append(result)
    return tuple(_group(doc_id, matched) for doc_id, matched in by_document.items())


def _group(doc_id: str, matched: Sequence[Result]) -> DocumentGroup:
    hit_ids = {result.chunk.chunk_id for result in matched}
    neighbours: dict[str, Chunk] = {
        chunk.chunk_id: chunk for result in matched for chunk in result.neighbours if chunk.chunk_id not in hit_ids
    }
    return DocumentGroup(
        doc_id,
        document_title(matched[0].chunk),
        matched[0].score,
        tuple(matched),
        tuple(sorted(neighbours.values(), key=lambda chunk: chunk.chunk_index)),
        passages(
            (result.part, [chunk for chunk in result.neighbours if chunk.chunk_id not in hit_ids]) for result in matched
        ),
        document_file(matched[0].chunk),
    )
