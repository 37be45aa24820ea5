"""Search over whole documents, by words: what a search does in a workspace that has no index yet.

Every document's text is read once a search, and scored with BM25 (Robertson and Zaragoza 2009) over stems and pairs of
Chinese
characters, the same that highlights are found by. Nothing is kept and no model is loaded. Each of the best documents is
then split
with the default settings, and the chunk that holds most of the query stands for it.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from chunking.config import Config, QuerySyntax, Retrieval, SearchConfig, SearchMode
from chunking.errors import NotFoundError, QueryError
from chunking.model import Chunk, Document
from chunking.retrieval.context.context import assemble
from chunking.retrieval.context.context_tokens import counter
from chunking.retrieval.context.costs import hit_tokens
from chunking.retrieval.query_parts import QueryParts, understand
from chunking.retrieval.ranking.fused_hits import Fused, fuse
from chunking.retrieval.results.document_groups import group
from chunking.retrieval.results.highlights import runs_of, said_in, telling_parts, terms, word_stem, words_of
from chunking.retrieval.results.result_items import ShownResult, as_result
from chunking.retrieval.results.results import Result, SearchResult
from chunking.retrieval.search_request import Candidates, Trace
from chunking.text.folding import fold_for_search
from chunking.text.search_text import UNSPACED

if TYPE_CHECKING:
    from chunking.store import DocumentRow, Workspace

__all__ = ["NO_INDEX", "search_documents"]

_SATURATION, _LENGTH = 1.2, 0.75
"""BM25's k1 and b, as the full-text index has them."""
_UNSPACED = re.compile(f"[{UNSPACED}]")
_TITLE = 3
"""A word of the title or the path counts as so many in the text."""

NO_INDEX = (
    "There is no index yet: whole documents are searched, full text only. Build an index to search chunks and vectors."
)
"""The note of every such search."""
_ONLY_PHRASES = "Only documents that hold what stands in quotation marks are shown."
_NO_PHRASES = "No document was found that holds what stands in quotation marks; shown are those with its words."


def search_documents(
    workspace: Workspace,
    query: str,
    config: SearchConfig | None = None,
    *,
    where: Mapping[str, str] | None = None,
    syntax: QuerySyntax = QuerySyntax.OPERATORS,
) -> SearchResult:
    """The documents that hold the words of a query, best first; each result is the chunk of one that says most of it.

    The storage calls are one for every eight million characters of text, and one for every sixteen results.

    Args:
        workspace: whose documents are searched.
        query: any text; what stands in quotation marks every document holds as a phrase, if any does (else a note says
            so).
        config: its `k` counts documents; `before`, `after`, `across_parents` and `budget` mean what they mean in any
            search.
        where: conditions on documents: `document`, `path`, `category`, `language`.
        syntax: PLAIN where quotation marks are no condition.
    Raises:
        NotFoundError: the workspace has no document.
        QueryError: the query is empty, or `where` has a key that is unknown or is about chunks.
    """
    config, understood, trace, before = config or SearchConfig(), understand(query, syntax), Trace(), workspace.calls
    rows = workspace.documents()
    if not rows:
        raise NotFoundError(f"The workspace {workspace.uri} has no index yet, and no document; add some first.")
    chosen = {row.doc_id: row for row in rows if _fits(row, where or {})}
    wanted = _Wanted.of(understood)
    counts = trace.timed(
        "documents read",
        "legs",
        lambda: _all_counts(workspace, chosen, understood, wanted),
        lambda made: len(made.by_id),
    )
    weights = counts.weights(wanted)
    ranked = _with_phrases(trace, fuse({"text": counts.scores(weights)}, {"text": 1.0}), counts, understood)[: config.k]
    trace.note(NO_INDEX)
    results = trace.timed(
        "best chunks", "expand", lambda: _results(workspace, ranked, understood, wanted, weights, config), len
    )
    tokens = counter(Config().embedding)
    context = trace.timed(
        "context", "assemble", lambda: assemble(results, config.budget, tokens), lambda made: len(made.sources)
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
        storage_calls=workspace.calls - before,
        context=context,
        hit_tokens=sum(hit_tokens(result, tokens) for result in results),
    )


# -- which documents


def _fits(row: DocumentRow, where: Mapping[str, str]) -> bool:
    for key in where:
        if key not in _CONDITIONS:
            raise QueryError(
                f"Without an index, documents can be filtered by {', '.join(_CONDITIONS)} only, not by "
                f"'{key}'; build an index, or leave "
                "the filter out.",
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
"""The filters of an index (`store.FILTERS`) that are about documents."""


# -- how well they match


@dataclass(frozen=True, slots=True)
class _WordCounts:
    """A text as it is searched without an index: normalised as full text is."""

    folded: str
    words: Counter[str]
    """Of scripts with spaces."""

    @classmethod
    def of(cls, text: str) -> _WordCounts:
        """Reads each different stretch without white space once: those that stand there equally often together."""
        folded, words, alike = fold_for_search(text), Counter[str](), defaultdict[int, list[str]](list)
        for stretch, times in Counter(folded.split()).items():
            alike[times].append(stretch)
        for times, stretches in alike.items():
            for word in words_of(" ".join(stretches)):
                words[word] += times
        return cls(folded, words)

    @property
    def length(self) -> int:
        """In words, or characters of scripts without spaces."""
        return self.words.total() + (0 if self.folded.isascii() else len(_UNSPACED.findall(self.folded)))


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is counted."""

    stems: frozenset[str]
    grams: frozenset[str]
    """Pairs of characters of scripts without spaces; single ones where the query has nothing longer."""
    initials: frozenset[str]
    """First letters of the stems: no stemmer changes them, so that few words of a document need one."""

    @classmethod
    def of(cls, query: QueryParts) -> _Wanted:
        said, runs = telling_parts(query.text, spellings=True)
        if not (said or runs):
            said, runs = words_of(query.text), runs_of(query.text)
        stems = frozenset(stem for word in said for stem in [word_stem(word)] if stem)
        size = 2 if any(len(run) > 1 for run in runs) else 1
        grams = frozenset(run[start : start + size] for run in runs for start in range(len(run) - size + 1))
        return cls(stems, grams, frozenset(map(_initial, stems)))

    def count(self, text: str) -> Counter[str]:
        """How often each stands in a text."""
        return self.count_in(_WordCounts.of(text))

    def count_in(self, counted: _WordCounts) -> Counter[str]:
        """How often each stands in a text whose words are counted."""
        found: Counter[str] = Counter()
        for word, times in counted.words.items() if self.stems else ():
            if _initial(word) in self.initials and (stem := word_stem(word)) in self.stems:
                found[stem] += times
        for gram in self.grams:
            if times := counted.folded.count(gram):
                found[gram] += times
        return found


@dataclass(frozen=True, slots=True)
class _Counts:
    """What the documents hold of a query."""

    by_id: Mapping[str, Counter[str]]
    """Of the documents that hold any of it."""
    lengths: Mapping[str, int]
    """Words, or characters of scripts without spaces, of every document that was read."""
    phrased: frozenset[str]
    """Documents that hold every phrase."""

    def weights(self, wanted: _Wanted) -> dict[str, float]:
        """What each word or pair is worth: the rarer the more."""
        total = len(self.lengths)
        held = Counter(term for counts in self.by_id.values() for term in counts)
        return {
            term: math.log(1 + (total - held[term] + 0.5) / (held[term] + 0.5)) for term in wanted.stems | wanted.grams
        }

    def scores(self, weights: Mapping[str, float]) -> dict[str, float]:
        """BM25 of each document that holds any."""
        mean = sum(self.lengths.values()) / max(len(self.lengths), 1)
        return {
            doc_id: _bm25(counts, weights, self.lengths[doc_id] / max(mean, 1.0))
            for doc_id, counts in self.by_id.items()
        }


def _bm25(counts: Mapping[str, int], weights: Mapping[str, float], length: float) -> float:
    """
    Args:
        length: of the text, as a multiple of the mean.
    """
    slow = _SATURATION * (1 - _LENGTH + _LENGTH * length)
    return sum(weights[term] * count * (_SATURATION + 1) / (count + slow) for term, count in counts.items())


def _initial(word: str) -> str:
    first = word[0]
    return first.lower() if first.isascii() else unicodedata.normalize("NFKD", first).casefold()[:1]


def _all_counts(workspace: Workspace, rows: Mapping[str, DocumentRow], query: QueryParts, wanted: _Wanted) -> _Counts:
    phrases = terms(query).phrases
    by_id, lengths, phrased = dict[str, Counter[str]](), dict[str, int](), set[str]()
    for doc_id, text in workspace.document_texts(rows.values()):
        row = rows[doc_id]
        named = f"{row.title}\n{row.source}"
        counted = _WordCounts.of(text)
        counts = wanted.count_in(counted)
        for term, times in wanted.count(named).items():
            counts[term] += _TITLE * times
        lengths[doc_id] = counted.length
        if phrases and said_in((counted.folded, named), phrases):
            phrased.add(doc_id)
        if counts or doc_id in phrased:
            by_id[doc_id] = counts
    return _Counts(by_id, lengths, frozenset(phrased))


def _with_phrases(trace: Trace, ranked: Sequence[Fused], counts: _Counts, query: QueryParts) -> Sequence[Fused]:
    """The documents that hold the query's phrases; all of them where none does."""
    kept = [hit for hit in ranked if hit.chunk_id in counts.phrased] if query.phrases else list(ranked)
    if len(kept) < len(ranked):
        trace.note(_ONLY_PHRASES if kept else _NO_PHRASES)
    return kept or ranked


# -- what stands for them


def _results(
    workspace: Workspace,
    ranked: Sequence[Fused],
    query: QueryParts,
    wanted: _Wanted,
    weights: Mapping[str, float],
    config: SearchConfig,
) -> tuple[Result, ...]:
    documents = {document.doc_id: document for document in workspace.read_documents([hit.chunk_id for hit in ranked])}
    found = [
        (hit, *_best_chunk(documents[hit.chunk_id], wanted, weights, config))
        for hit in ranked
        if hit.chunk_id in documents
    ]
    shown = [
        (ShownResult(best, replace(hit, chunk_id=best.chunk_id)), near) for hit, best, near in found if best is not None
    ]
    candidates = Candidates(
        tuple(one.hit for one, _ in shown), {one.chunk.chunk_id: one.chunk for one, _ in shown}, terms(query)
    )
    return tuple(as_result(one, rank, candidates, {}, near) for rank, (one, near) in enumerate(shown, start=1))


def _best_chunk(
    document: Document, wanted: _Wanted, weights: Mapping[str, float], config: SearchConfig
) -> tuple[Chunk | None, tuple[Chunk, ...]]:
    """The chunk that says most of the query, the first of several, and its neighbours; none of a document without text."""
    from chunking.splitting import chunk_document

    chunks = chunk_document(document)
    if not chunks:
        return None, ()
    values = [_bm25(wanted.count(chunk.indexed_text), weights, 1.0) for chunk in chunks]
    place = values.index(max(values))
    best = chunks[place]
    around = [*chunks[max(place - config.before, 0) : place], *chunks[place + 1 : place + 1 + config.after]]
    return best, tuple(_near(best, around, across=config.across_parents))


def _near(best: Chunk, around: Iterable[Chunk], *, across: bool) -> list[Chunk]:
    return [chunk for chunk in around if across or chunk.parent_id == best.parent_id]
