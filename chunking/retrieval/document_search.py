"""Full-text search over whole documents, for a workspace without an index.

Every text is read once per search and scored with BM25 (Robertson and Zaragoza 2009) over stems in its language and
pairs of Chinese characters, as highlights are. Nothing is cached and no model is loaded. The best documents are then
split with the default settings, and each is represented by the chunk that matches best.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from chunking.config import Config, QuerySyntax, Retrieval, SearchConfig, SearchMode
from chunking.errors import NotFoundError, QueryError
from chunking.model import Chunk, Document
from chunking.retrieval.context.context import assemble, hit_tokens
from chunking.retrieval.context.context_tokens import counter
from chunking.retrieval.query.query_parts import QueryParts, understand
from chunking.retrieval.query.query_terms import (
    content_parts,
    phrases_occur_in,
    search_terms,
    text_forms,
    unspaced_runs,
    word_stem,
)
from chunking.retrieval.ranking.fused_hits import Fused, fuse
from chunking.retrieval.ranking.ranked import Ranked
from chunking.retrieval.ranking.sentence_evidence import LanguageText
from chunking.retrieval.results.judging import Candidates, JudgedResults, judge
from chunking.retrieval.results.result_items import ShownResult, as_result, group
from chunking.retrieval.results.search_result import Result, SearchResult
from chunking.retrieval.search_trace import Trace
from chunking.text.folding import fold_for_search
from chunking.text.search_text import UNSPACED

if TYPE_CHECKING:
    from chunking.store import DocumentRow, Workspace

__all__ = ["NO_INDEX", "search_documents"]

_SATURATION, _LENGTH = 1.2, 0.75
"""BM25's k1 and b, equal to those of the full-text index."""
_UNSPACED = re.compile(f"[{UNSPACED}]")
_PREFIXED = re.compile("[\u0620-\u06ff\u0b80-\u0bff]")
"""First letter of an Arabic or Tamil word, whose stemmers remove prefixes."""
_TITLE = 3
"""Weight of a word in the title or the path, counted as words of the text."""

NO_INDEX = (
    "There is no index yet: whole documents are searched, full text only. Build an index to search chunks and vectors."
)
"""Note in every search without an index."""
_ONLY_PHRASES = "Only documents that contain the quoted phrases are shown."
_NO_PHRASES = "No document contains the quoted phrases; documents with their words are shown instead."


def search_documents(
    workspace: Workspace,
    query: str,
    config: SearchConfig | None = None,
    *,
    where: Mapping[str, str] | None = None,
    syntax: QuerySyntax = QuerySyntax.OPERATORS,
) -> SearchResult:
    """Search documents by words, best first; each result is the best matching chunk of one.

    Makes one storage call per eight million characters of text, and one per sixteen results.

    Args:
        workspace: whose documents are searched.
        query: any text; every document contains its quotations as phrases, if any does (else a note says so).
        config: its `k` counts documents; `before`, `after`, `across_parents`, `budget`, `cut` and `trim` mean what they
            mean in any search.
        where: conditions on documents: `document`, `path`, `category`, `language`.
        syntax: PLAIN ignores quotation marks.
    Raises:
        NotFoundError: the workspace has no document.
        QueryError: the query is empty, or `where` has a key that is unknown or is about chunks.
    """
    config, understood, trace, calls_before = (
        config or SearchConfig(),
        understand(query, syntax),
        Trace(),
        workspace.calls,
    )
    rows = workspace.documents()
    if not rows:
        raise NotFoundError(f"The workspace {workspace.uri} has no index yet, and no document; add some first.")
    chosen = {row.doc_id: row for row in rows if _fits(row, where or {})}
    query_counter = _QueryCounter.of(understood)
    counts = trace.timed(
        "documents read",
        "legs",
        lambda: _all_counts(workspace, chosen, understood, query_counter),
        lambda counts: len(counts.by_id),
    )
    weights = counts.weights(query_counter)
    ranked = _with_phrases(trace, fuse({"text": counts.scores(weights)}, {"text": 1.0}), counts, understood)
    trace.note(NO_INDEX)
    first = ranked[: config.k]
    every = trace.timed(
        "best chunks", "expand", lambda: _results(workspace, first, understood, query_counter, weights, config), len
    )
    judged = _judged(trace, understood, config, ranked, every)
    results = judged.results
    tokens = counter(Config().embedding)
    context = trace.timed(
        "context", "assemble", lambda: assemble(results, config.budget, tokens), lambda context: len(context.sources)
    )
    return SearchResult(
        query=query,
        mode=SearchMode.TEXT,
        retrieval=Retrieval.CHUNK,
        index="",
        fingerprint="",
        language=understood.language,
        weights={"text": 1.0},
        notes=(*understood.notes, *trace.notes),
        results=results,
        documents=group(results),
        doc_tocs={result.chunk.doc_id: chosen[result.chunk.doc_id].doc_toc for result in results},
        stages=tuple(trace.stages),
        storage_calls=workspace.calls - calls_before,
        context=context,
        hit_tokens=sum(hit_tokens(result, tokens) for result in results),
        left_out=judged.left_out,
        evidence=judged.evidence,
    )


def _judged(
    trace: Trace, query: QueryParts, config: SearchConfig, ranked: Sequence[Fused], results: tuple[Result, ...]
) -> JudgedResults:
    """Leave results out and trim the others by the words of their sentences, if configured."""
    if not config.judges:
        return JudgedResults(results)
    compared = Candidates(
        [hit.score for hit in ranked],
        (LanguageText(result.chunk.content, result.chunk.language) for result in results),
        {result.chunk.language for result in results},
    )
    judged = trace.timed(
        "evidence",
        "evidence",
        lambda: judge(results, query, config, compared, None),
        lambda one: len(one.results),
    )
    for note in judged.notes:
        trace.note(note)
    return judged


# -- which documents


def _fits(row: DocumentRow, where: Mapping[str, str]) -> bool:
    for key in where:
        if key not in _CONDITIONS:
            raise QueryError(
                f"Without an index, documents can be filtered by {', '.join(_CONDITIONS)} only, not by '{key}'; build "
                "an index, or leave the filter out.",
                where=key,
            )
    return all(_CONDITIONS[key](row, value) for key, value in where.items())


def _in_folder(row: DocumentRow, value: str) -> bool:
    folder = value.replace("\\", "/").removeprefix("./").strip("/")
    return folder in ("", ".", row.source) or row.source.startswith(f"{folder}/")


_CONDITIONS: Mapping[str, Callable[[DocumentRow, str], bool]] = {
    "document": lambda row, value: value in (row.doc_id, row.source),
    "path": _in_folder,
    "category": lambda row, value: row.category == value,
    "language": lambda row, value: row.language == value,
}
"""Filters of an index (`store.FILTERS`) that apply to documents."""


# -- how well they match


@dataclass(frozen=True, slots=True)
class _WordCounts:
    """Word counts of a text, normalised as for full text."""

    folded: str
    words: Counter[str]
    """Counts of words of scripts with spaces."""

    @classmethod
    def of(cls, text: str) -> _WordCounts:
        """Count the words of a text, reading each different stretch without white space once.

        Stretches that occur equally often are read together.
        """
        folded, words, alike = fold_for_search(text), Counter[str](), defaultdict[int, list[str]](list)
        for stretch, times in Counter(folded.split()).items():
            alike[times].append(stretch)
        for times, stretches in alike.items():
            for word in text_forms(" ".join(stretches)):
                words[word] += times
        return cls(folded, words)

    @property
    def length(self) -> int:
        """Length in words, or characters of scripts without spaces."""
        return self.words.total() + (0 if self.folded.isascii() else len(_UNSPACED.findall(self.folded)))


@dataclass(frozen=True, slots=True)
class _QueryStems:
    """The stems of a query's words in one language."""

    words: Mapping[str, str]
    """Word of the query by stem; of several with one stem, the first."""
    initials: frozenset[str]
    """First letters of the stems. Stemmers keep them, so only few words of a document need stemming."""
    prefixed: bool
    """True if a word's script has prefixes that its stemmer removes."""

    @classmethod
    def of(cls, words: Sequence[str], language: str) -> _QueryStems:
        stems = {stem: word for word in reversed(words) if (stem := word_stem(word, language))}
        return cls(stems, frozenset(map(_initial, stems)), any(map(_PREFIXED.match, words)))

    def may_match(self, word: str) -> bool:
        """False if the stem of a word is certainly none of these."""
        return _initial(word) in self.initials or (self.prefixed and bool(_PREFIXED.match(word)))


@dataclass(frozen=True, slots=True)
class _QueryCounter:
    """Counter of a query's words and character pairs in texts."""

    words: tuple[str, ...]
    """Words of scripts with spaces, each once."""
    grams: frozenset[str]
    """Pairs of characters of scripts without spaces; single ones if the query has nothing longer."""
    stems: dict[str, _QueryStems] = field(default_factory=dict)
    """Stems of the words, by language of the texts so far."""

    @classmethod
    def of(cls, query: QueryParts) -> _QueryCounter:
        words, runs = content_parts(query.text, spellings=True)
        if not (words or runs):
            words, runs = text_forms(query.text), unspaced_runs(query.text)
        size = 2 if any(len(run) > 1 for run in runs) else 1
        grams = frozenset(run[start : start + size] for run in runs for start in range(len(run) - size + 1))
        return cls(tuple(dict.fromkeys(words)), grams)

    @property
    def terms(self) -> frozenset[str]:
        """Names that `count` counts under."""
        return self.grams.union(self.words)

    def count(self, text: str, language: str) -> Counter[str]:
        """Count each word, by its stem in a language, and each pair in a text."""
        return self.count_in(_WordCounts.of(text), language)

    def count_in(self, counted: _WordCounts, language: str) -> Counter[str]:
        """Count each word and pair in a text whose words are counted."""
        occurrences: Counter[str] = Counter()
        if language not in self.stems:
            self.stems[language] = _QueryStems.of(self.words, language)
        query = self.stems[language]
        for word, times in counted.words.items() if query.words else ():
            if query.may_match(word) and (term := query.words.get(word_stem(word, language))) is not None:
                occurrences[term] += times
        for gram in self.grams:
            if times := counted.folded.count(gram):
                occurrences[gram] += times
        return occurrences


@dataclass(frozen=True, slots=True)
class _Counts:
    """Counts of a query's terms in all documents."""

    by_id: Mapping[str, Counter[str]]
    """Counts of each document with any match, by id."""
    lengths: Mapping[str, int]
    """Length of every document read, in words or in characters of scripts without spaces, by id."""
    phrased: frozenset[str]
    """Ids of documents that contain every phrase."""

    def weights(self, query_counter: _QueryCounter) -> dict[str, float]:
        """Return the weight of each term: the rarer, the higher."""
        total = len(self.lengths)
        document_counts = Counter(term for counts in self.by_id.values() for term in counts)
        return {
            term: math.log(1 + (total - document_counts[term] + 0.5) / (document_counts[term] + 0.5))
            for term in query_counter.terms
        }

    def scores(self, weights: Mapping[str, float]) -> dict[str, float]:
        """Return the BM25 score of each document with any match."""
        mean = sum(self.lengths.values()) / max(len(self.lengths), 1)
        return {
            doc_id: _bm25(counts, weights, self.lengths[doc_id] / max(mean, 1.0))
            for doc_id, counts in self.by_id.items()
        }


def _bm25(counts: Mapping[str, int], weights: Mapping[str, float], relative_length: float) -> float:
    slow = _SATURATION * (1 - _LENGTH + _LENGTH * relative_length)
    return sum(weights[term] * count * (_SATURATION + 1) / (count + slow) for term, count in counts.items())


def _initial(word: str) -> str:
    first = word[0]
    return first.lower() if first.isascii() else unicodedata.normalize("NFKD", first).casefold()[:1]


def _all_counts(
    workspace: Workspace, rows: Mapping[str, DocumentRow], query: QueryParts, query_counter: _QueryCounter
) -> _Counts:
    phrases = search_terms(query).phrases
    by_id, lengths, phrased = dict[str, Counter[str]](), dict[str, int](), set[str]()
    for doc_id, text in workspace.document_texts(rows.values()):
        row = rows[doc_id]
        named = f"{row.title}\n{row.source}"
        counted = _WordCounts.of(text)
        counts = query_counter.count_in(counted, row.language)
        for term, times in query_counter.count(named, row.language).items():
            counts[term] += _TITLE * times
        lengths[doc_id] = counted.length
        if phrases and phrases_occur_in((counted.folded, named), phrases):
            phrased.add(doc_id)
        if counts or doc_id in phrased:
            by_id[doc_id] = counts
    return _Counts(by_id, lengths, frozenset(phrased))


def _with_phrases(trace: Trace, ranked: Sequence[Fused], counts: _Counts, query: QueryParts) -> Sequence[Fused]:
    """Keep documents with the query's phrases, or all if none has them."""
    hits = [hit for hit in ranked if hit.chunk_id in counts.phrased] if query.phrases else list(ranked)
    if len(hits) < len(ranked):
        trace.note(_ONLY_PHRASES if hits else _NO_PHRASES)
    return hits or ranked


# -- their best chunks


def _results(
    workspace: Workspace,
    ranked: Sequence[Fused],
    query: QueryParts,
    query_counter: _QueryCounter,
    weights: Mapping[str, float],
    config: SearchConfig,
) -> tuple[Result, ...]:
    documents = {document.doc_id: document for document in workspace.read_documents([hit.chunk_id for hit in ranked])}
    best_chunks = [
        (hit, *_best_chunk(documents[hit.chunk_id], query_counter, weights, config))
        for hit in ranked
        if hit.chunk_id in documents
    ]
    shown = [
        (ShownResult(best, replace(hit, chunk_id=best.chunk_id)), neighbours)
        for hit, best, neighbours in best_chunks
        if best is not None
    ]
    candidates = Ranked(
        tuple(one.hit for one, _ in shown), {one.chunk.chunk_id: one.chunk for one, _ in shown}, search_terms(query)
    )
    return tuple(
        as_result(one, rank, candidates, {}, neighbours) for rank, (one, neighbours) in enumerate(shown, start=1)
    )


def _best_chunk(
    document: Document, query_counter: _QueryCounter, weights: Mapping[str, float], config: SearchConfig
) -> tuple[Chunk | None, tuple[Chunk, ...]]:
    """Return the best matching chunk (the first of several) and its neighbours.

    Without text: None and no neighbours.
    """
    from chunking.splitting import chunk_document

    chunks = chunk_document(document)
    if not chunks:
        return None, ()
    values = [_bm25(query_counter.count(chunk.indexed_text, chunk.language), weights, 1.0) for chunk in chunks]
    place = values.index(max(values))
    best = chunks[place]
    before, after = config.reach
    neighbours = [*chunks[max(place - before, 0) : place], *chunks[place + 1 : place + 1 + after]]
    return best, tuple(chunk for chunk in neighbours if config.across_parents or chunk.parent_id == best.parent_id)
