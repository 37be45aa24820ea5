"""Documents with similar content, and the reasons."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chunking.errors import NotFoundError
from chunking.model import Chunk
from chunking.retrieval.query.query_terms import content_words, unspaced_runs
from chunking.retrieval.ranking.ranked import RepeatedText, repeated_text
from chunking.store.documents.document_rows import documents_by_id
from chunking.text.byte_caches import MB, ByteCache

if TYPE_CHECKING:
    import numpy as np

    from chunking.store import DocumentRow, Index, Workspace

__all__ = ["RelatedDocument", "related_documents"]

_WORDS = 5
"""Maximum shared words named."""
_CHUNKS = 200
"""Maximum chunks compared per document, spread evenly over it."""
_ALL = 20_000
"""Most chunks of an index whose documents are all compared: 30 MB of vectors of 384 dimensions."""
_CANDIDATES = 50
"""Documents compared in a larger index: those with the chunks nearest to the document's mean vector."""
_NEAREST = 300
"""Chunks searched for them."""

_answers: ByteCache[tuple[RelatedDocument, ...]] = ByteCache(f"{__name__}.answers", 8 * MB)
_means: ByteCache[tuple[list[str], np.ndarray]] = ByteCache(f"{__name__}.means", 64 * MB, holds_text=False)
"""Mean vectors of indexed documents: 1.5 KB per document of 384 dimensions."""


@dataclass(frozen=True, slots=True)
class RelatedDocument:
    """A document similar to another, with the reasons."""

    row: DocumentRow
    similarity: float
    """Cosine between the means of both documents' chunk vectors."""
    words: tuple[str, ...]
    """Words that both contain and few others do, most distinctive first."""
    headings: tuple[str, ...]
    """Headings that both have."""
    here: RepeatedText | None
    """Chunk of the requested document that is most similar to `there`, a chunk of this document."""
    there: RepeatedText | None
    nearness: float
    """Cosine between `here` and `there`."""

    @property
    def why(self) -> str:
        """Reasons in one sentence."""
        parts = [
            f"both mention {', '.join(self.words)}" if self.words else "",
            f"both have the heading{'s' if len(self.headings) > 1 else ''} {', '.join(self.headings)}"
            if self.headings
            else "",
            f"nearest are {self.here.citation} and {self.there.citation} ({self.nearness:.2f})"
            if self.here and self.there
            else "",
        ]
        sentence = "; ".join(part for part in parts if part) or "similar overall"
        return f"{sentence[:1].upper()}{sentence[1:]}."


def related_documents(
    workspace: Workspace, doc_id: str, n: int = 5, *, index: str | None = None
) -> tuple[RelatedDocument, ...]:
    """Find the documents most similar to one by the means of their chunks' vectors, best first.

    At most seven storage calls for any `n`; none for a repeated call until something is written to the workspace. In
    an index of more than 20,000 chunks only the documents of the 300 chunks nearest to the mean are compared.

    Args:
        n: maximum number of documents.
        index: whose vectors are compared; None: the newest index.
    Raises:
        NotFoundError: no such document or index, or the index does not contain the document.
    """
    table = workspace.index(index)
    key = (workspace.uri, workspace.version(), table.name)
    documents = _answers.get((*key, doc_id, n))
    if documents is None:
        documents = _compute(workspace, table, key, doc_id, n)
        _answers.put((*key, doc_id, n), documents)
    return documents


def _compute(
    workspace: Workspace, index: Index, key: tuple[str, ...], doc_id: str, n: int
) -> tuple[RelatedDocument, ...]:
    doc_ids, means = _compared_means(index, key, doc_id)
    if doc_id not in doc_ids:
        workspace.document(doc_id)
        message = (
            f"The index '{index.name}' does not contain the document '{doc_id}'; build it again, or choose "
            f"another index."
        )
        raise NotFoundError(message, where=doc_id)
    own = doc_ids.index(doc_id)
    likeness = means @ means[own]
    nearest = sorted(
        (at for at in range(len(doc_ids)) if at != own), key=lambda at: (-float(likeness[at]), doc_ids[at])
    )[: max(n, 0)]
    if not nearest:
        return ()
    rows = workspace.derived(documents_by_id)
    texts = _Texts(index, [doc_id, *(doc_ids[at] for at in nearest)])
    return tuple(texts.related(rows[doc_ids[at]], float(likeness[at])) for at in nearest if doc_ids[at] in rows)


def _compared_means(index: Index, key: tuple[str, ...], doc_id: str) -> tuple[list[str], np.ndarray]:
    """Return the ids and mean vectors of all documents, cached, or in a large index of those near one."""
    vectors = _means.get(key)
    if vectors is None:
        if (index.row.chunks or index.count()) > _ALL:
            return _nearest_means(index, doc_id)
        vectors = index.document_vectors()
        _means.put(key, vectors)
    return vectors


def _nearest_means(index: Index, doc_id: str) -> tuple[list[str], np.ndarray]:
    """Return the ids and mean vectors of a document and of those with the chunks nearest to its mean."""
    own_ids, means = _document_means(index, [doc_id])
    if not own_ids:
        return own_ids, means
    scores = index.vector_scores(means[0], _NEAREST)
    nearest = dict.fromkeys(_document_of(chunk_id) for chunk_id in sorted(scores, key=lambda one: -scores[one]))
    return _document_means(index, [doc_id, *(other for other in nearest if other != doc_id)][: _CANDIDATES + 1])


def _document_means(index: Index, doc_ids: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """Return the ids and mean vectors of those documents that have vectors, over at most `_CHUNKS` chunks each."""
    import numpy as np

    sums: dict[str, np.ndarray] = {}
    for chunk_id, vector in index.vectors_by_id(_chunk_ids(index, doc_ids)).items():
        doc_id = _document_of(chunk_id)
        sums[doc_id] = sums[doc_id] + vector if doc_id in sums else vector
    means = np.array(list(sums.values()), np.float32).reshape(len(sums), index.dimension)
    return list(sums), means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), np.finfo(np.float32).tiny)


def _document_of(chunk_id: str) -> str:
    return chunk_id.rpartition("_chunk")[0]


def _chunk_ids(index: Index, doc_ids: Sequence[str]) -> list[str]:
    counts = index.some_documents(doc_ids)
    return [f"{doc_id}_chunk{n}" for doc_id in doc_ids if doc_id in counts for n in _spread(counts[doc_id].chunks)]


class _Texts:
    """Texts and vectors of a document and its candidates."""

    def __init__(self, index: Index, doc_ids: Sequence[str]) -> None:
        ids = _chunk_ids(index, doc_ids)
        self._own = doc_ids[0]
        self._vectors = index.vectors_by_id(ids)
        self._chunks: dict[str, list[Chunk]] = {doc_id: [] for doc_id in doc_ids}
        for chunk in sorted(index.chunks_by_id(ids).values(), key=lambda chunk: chunk.chunk_index):
            self._chunks[chunk.doc_id].append(chunk)
        self._words = {doc_id: Counter(_words(chunks)) for doc_id, chunks in self._chunks.items()}

    def related(self, row: DocumentRow, similarity: float) -> RelatedDocument:
        """Describe the relation of the document to a candidate."""
        here, there, nearness = self._nearest(row.doc_id)
        return RelatedDocument(
            row, similarity, self._shared(row.doc_id), self._headings(row.doc_id), here, there, nearness
        )

    def _shared(self, doc_id: str) -> tuple[str, ...]:
        """Return shared words by the lesser share in both documents, times their rarity among the candidates."""
        own, other = self._words[self._own], self._words[doc_id]
        totals = own.total(), other.total()

        def weight(word: str) -> float:
            share = min(own[word] / totals[0], other[word] / totals[1])
            return share * math.log((len(self._words) + 1) / sum(word in words for words in self._words.values()))

        return tuple(sorted(own.keys() & other.keys(), key=lambda word: (-weight(word), word))[:_WORDS])

    def _headings(self, doc_id: str) -> tuple[str, ...]:
        other = {title.casefold() for chunk in self._chunks[doc_id] for title in chunk.title_path}
        mine = dict.fromkeys(title for chunk in self._chunks[self._own] for title in chunk.title_path)
        return tuple(title for title in mine if title.casefold() in other)[:_WORDS]

    def _nearest(self, doc_id: str) -> tuple[RepeatedText | None, RepeatedText | None, float]:
        """Return the most similar pair of chunks of the two documents, and its cosine."""
        import numpy as np

        mine, others = self._with_vectors(self._own), self._with_vectors(doc_id)
        if not (mine and others):
            return None, None, 0.0
        likeness = self._matrix(mine) @ self._matrix(others).T
        here, there = np.unravel_index(int(likeness.argmax()), likeness.shape)
        return repeated_text(mine[int(here)]), repeated_text(others[int(there)]), float(likeness.max())

    def _with_vectors(self, doc_id: str) -> list[Chunk]:
        return [chunk for chunk in self._chunks[doc_id] if chunk.chunk_id in self._vectors]

    def _matrix(self, chunks: Iterable[Chunk]) -> np.ndarray:
        import numpy as np

        return np.stack([self._vectors[chunk.chunk_id] for chunk in chunks])


def _words(chunks: Iterable[Chunk]) -> Iterator[str]:
    """Yield content words; in scripts without spaces, words of the full-text tokenizer."""
    from chunking.store import words

    text = "\n".join(chunk.content for chunk in chunks)
    yield from content_words(text)
    yield from (word for run in unspaced_runs(text) for word in words(run) if len(word) > 1)


def _spread(count: int) -> list[int]:
    """Return at most `_CHUNKS` numbers of 0 … count - 1, evenly spread.

    >>> _spread(3), len(_spread(1_000)), _spread(1_000)[-1]
    ([0, 1, 2], 200, 995)
    """
    return [number * count // _CHUNKS for number in range(_CHUNKS)] if count > _CHUNKS else list(range(count))
