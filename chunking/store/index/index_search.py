"""Searches of an index by vector, full text and substring, each one query; and their hits."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import and_, or_
from typing import TYPE_CHECKING, Any

from chunking.errors import QueryError
from chunking.model import CHUNK, Chunk
from chunking.store.engine.filters import clean, predicate
from chunking.store.engine.table_batches import read_batches
from chunking.store.index.chunk_arrow import no_rows, restored_chunks
from chunking.store.index.full_text import STEMMED, TextQuery, full_text_query
from chunking.store.index.open_index import OpenIndex, known_levels, level_condition
from chunking.text.folding import fold

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from chunking.config.choices import VectorIndex
    from chunking.store.index.build_record import BuildReport

__all__ = ["IndexSearches", "StoreHit", "describe_vector_index"]

_CHUNKS = (CHUNK,)
_ALL_PARTITIONS = 2**15
"""More partitions than any vector index has."""

_ROWS_AT_ONCE = 8_192
"""Vectors read at once in a pass over all: 13 MB of 384 numbers each."""
_MARGIN = 4
"""Safety factor, since partitions differ in size and a level is spread unevenly over them."""
_PARTITIONS = re.compile(r"(\d+) partitions")


@dataclass(frozen=True, slots=True)
class StoreHit:
    """Chunk found by a search, with its rank and score."""

    rank: int
    """1-based, by score, then in reading order, so that ties have a fixed order."""
    chunk: Chunk
    score: float
    """Cosine in a vector search, BM25 in a full-text search, 1 in a substring search."""


class IndexSearches(OpenIndex):
    """Base with the searching methods of an index: by vector, full text and substring.

    All take `where`, conditions by key (see `FILTERS`), and `levels` to search; ranking ones also `ids`, the only rows
    to search: the chunks under the summaries that a tree search chose.
    """

    def vector_search(
        self,
        vector: np.ndarray,
        limit: int,
        where: Mapping[str, str] | None = None,
        *,
        levels: Sequence[str] = _CHUNKS,
        ids: Collection[str] | None = None,
        probes: int = 20,
        refine: int = 5,
        ef: int = 0,
        exact: bool = False,
    ) -> list[StoreHit]:
        """Return up to `limit` chunks with the nearest vectors, best first.

        With a vector index the result is approximate, unless `exact`.

        Args:
            vector: (d,) float32, of unit length.
            where: conditions, see `FILTERS`; applied before the search, so that `limit` chunks come if as many match.
            levels: levels to search.
            ids: only rows of these ids.
            probes: partitions of the vector index to search; more if those would hold too few rows of the levels, and
                all under conditions.
            refine: this many times `limit` candidates of the vector index are compared exactly. Without a vector index,
                `probes`, `refine` and `ef` have no effect.
            ef: candidates kept in the search of an HNSW graph, at least `refine` times `limit`; 0: one and a half times
                as many.
            exact: bypass the vector index.
        Raises:
            QueryError: the vector's dimension differs from the index's, or a filter is unknown.
        """
        query = self._nearest(vector, limit, where, levels, ids, probes=probes, refine=refine, ef=ef, exact=exact)
        rows = self._rows_of(query, (*self._chunk_fields, "_distance"), limit, where, levels, _has_id(ids))()
        return ranked(rows, similarities(rows))

    def check(self) -> None:
        """Check that vectors and full text can be searched, by a search of each. Raises StoreError."""
        import numpy as np

        self.vector_search(np.eye(1, self.dimension, dtype=np.float32)[0], 1, probes=_ALL_PARTITIONS)
        self.text_search(TextQuery("a"), 1)

    def vector_scores(
        self,
        vector: np.ndarray,
        limit: int,
        where: Mapping[str, str] | None = None,
        *,
        levels: Sequence[str] = _CHUNKS,
        probes: int = 20,
        refine: int = 5,
        ef: int = 0,
    ) -> dict[str, float]:
        """Return the scores of `vector_search` by chunk id, in half the time: no chunk is read."""
        query = self._nearest(vector, limit, where, levels, None, probes=probes, refine=refine, ef=ef)
        rows = self._rows_of(query, ("id", "_distance"), limit, where, levels)()
        return dict(zip(rows["id"].to_pylist(), similarities(rows), strict=True))

    def nearest_cosines(self, vectors: np.ndarray, most: int) -> np.ndarray:
        """Return the exact cosines of the chunks nearest to each vector, in one pass over all.

        Args:
            vectors: (n, d) float32, of unit length.
            most: number of chunks for each; fewer if there are fewer.
        Returns:
            (n, most) float32, best first.
        """
        import numpy as np

        only = level_condition(known_levels(self._tables, self.row), _CHUNKS)
        query = self._query().select(["vector"])
        query = query if only is None else query.where(only)
        best = np.zeros((len(vectors), 0), np.float32)
        for batch in read_batches(self._tables, f"searching the index {self.name}", query, _ROWS_AT_ONCE):
            column = batch["vector"].drop_null()
            rows = column.flatten().to_numpy(zero_copy_only=False).reshape(-1, self.dimension)
            lengths = np.maximum(np.linalg.norm(rows, axis=1), np.finfo(np.float32).tiny)
            best = np.concatenate([best, (vectors @ rows.T) / lengths], axis=1)
            best = -np.sort(-best, axis=1)[:, :most]
        return best

    def _nearest(
        self,
        vector: np.ndarray,
        limit: int,
        where: Mapping[str, str] | None,
        levels: Sequence[str],
        ids: Collection[str] | None,
        *,
        probes: int,
        refine: int,
        ef: int,
        exact: bool = False,
    ) -> Callable[[], Any]:
        """Build the engine's query, without conditions and columns."""
        if vector.shape != (self.dimension,):
            raise QueryError(
                (
                    f"The query's vector has the shape {vector.shape}, the index {self.name} has "
                    f"{self.dimension} dimensions; search it with the model it was built with."
                ),
                where=self.name,
            )

        def query() -> Any:
            nearest = self._query().nearest_to(vector).column("vector").distance_type("cosine")
            if exact:
                return nearest.bypass_vector_index()
            # Without refining, distances of a compressed vector are off by up to a factor of two; so it is never left
            # out.
            nearest = nearest.refine_factor(refine)
            if ef:
                nearest = nearest.ef(max(ef, refine * limit))  # the engine refuses fewer than it is to find
            if where or ids is not None:
                # Matching rows may be in any partition. A maximum over the minimum has them all searched,
                # not only as many as are needed, as the engine's documentation has it.
                return nearest.nprobes(probes).maximum_nprobes(0)
            return nearest.nprobes(enough_probes(self.row.built, levels, limit, probes))

        return query

    def text_search(
        self,
        query: TextQuery,
        limit: int,
        where: Mapping[str, str] | None = None,
        *,
        levels: Sequence[str] = _CHUNKS,
        ids: Collection[str] | None = None,
    ) -> list[StoreHit]:
        """Return up to `limit` chunks that match a full-text query, best first.

        Empty for a query without words and phrases.
        """
        return self.start_text_search(query, limit, where, levels=levels, ids=ids)()

    def start_text_search(
        self,
        query: TextQuery,
        limit: int,
        where: Mapping[str, str] | None = None,
        *,
        levels: Sequence[str] = _CHUNKS,
        ids: Collection[str] | None = None,
    ) -> Callable[[], list[StoreHit]]:
        """Start a `text_search`, and return a function that waits for its hits: other searches run beside it."""
        request = self._text_request(query)
        if request is None:
            return list
        search, columns = partial(self._words, request), (*self._chunk_fields, "_score")
        pending = self._rows_of(search, columns, limit, where, levels, _has_id(ids))

        def hits() -> list[StoreHit]:
            rows = pending()
            return ranked(rows, rows["_score"].to_pylist())

        return hits

    def start_text_scores(
        self, query: TextQuery, limit: int, where: Mapping[str, str] | None = None, *, levels: Sequence[str] = _CHUNKS
    ) -> Callable[[], dict[str, float]]:
        """Start a `text_search` that reads no chunk; returns a function that waits for its scores by chunk id."""
        request = self._text_request(query)
        if request is None:
            return dict
        pending = self._rows_of(partial(self._words, request), ("id", "_score"), limit, where, levels)
        return lambda: {row["id"]: row["_score"] for row in pending().to_pylist()}

    def _text_request(self, query: TextQuery) -> Any | None:
        return full_text_query(query, self.row.text_form, self.row.languages, self.config.index.tokenizer)

    def _words(self, request: Any) -> Any:
        return self._query().nearest_to_text(request)

    def substring_search(
        self,
        text: str | Sequence[str],
        limit: int,
        where: Mapping[str, str] | None = None,
        *,
        levels: Sequence[str] = _CHUNKS,
    ) -> list[StoreHit]:
        """Return up to `limit` chunks that contain a text (`->`, half a name), by a scan.

        Every score is 1; the chunks are in reading order. If more than `limit` match, which ones come is undefined.

        Args:
            text: as in the content, or another form of the same letters (`fold`) in content or prefix; of several
                texts, one must match.
        """
        from lancedb.expr import col, lit

        # Indexes of earlier forms have no folded copy, but full text that is not stemmed.
        copy = "folded" if self.row.text_form >= STEMMED else "indexed_text"
        copies = [copy] if not self._tables.missing(self.row.table, [copy]) else []
        texts = [one for one in ([text] if isinstance(text, str) else text) if one]
        parts = [col("content").contains(lit(clean(one))) for one in texts]
        forms = [clean(form) for one in texts if (form := fold(one)).strip()]
        parts += [col(copy).contains(lit(form)) for copy in copies for form in forms]
        if not parts:
            return []
        rows = self._rows_of(self._query, self._chunk_fields, limit, where, levels, reduce(or_, parts))()
        return ranked(rows, [1.0] * len(rows))

    def _rows_of(
        self,
        query: Callable[[], Any],
        columns: Sequence[str],
        limit: int,
        where: Mapping[str, str] | None,
        levels: Sequence[str],
        holds: Any | None = None,
    ) -> Callable[[], pa.Table]:
        """Start a query; returns a function that waits for its rows.

        Args:
            columns: columns to read, including the score's.
            holds: a further condition.
        """
        rows_per_level, filters = known_levels(self._tables, self.row), predicate(where)
        if rows_per_level is not None and not rows_per_level.keys() & set(levels):
            return lambda: no_rows(columns)
        parts = [part for part in (holds, filters, level_condition(rows_per_level, levels)) if part is not None]

        def limited() -> Any:
            page = query().limit(limit)
            return page.where(reduce(and_, parts)) if parts else page

        return self._tables.start_columns(f"searching the index {self.name}", self.row.table, limited, columns)


def _has_id(ids: Collection[str] | None) -> Any | None:
    """Condition that a row has one of the ids; None without a restriction."""
    from lancedb.expr import col, lit

    if ids is None:
        return None
    clean_ids = [clean(one) for one in ids]
    return col("id").isin(clean_ids) if clean_ids else col("id") == lit("")


def similarities(rows: pa.Table) -> list[float]:
    """Return the cosine similarities of the rows of a vector search."""
    return [1.0 - distance for distance in rows["_distance"].to_pylist()]


def ranked(rows: pa.Table, scores: Sequence[float]) -> list[StoreHit]:
    """Convert rows and their scores to hits, best first; ties are in reading order."""
    chunks = zip(restored_chunks(rows), scores, strict=True)
    ordered = sorted(chunks, key=lambda hit: (-hit[1], hit[0].doc_id, hit[0].level, hit[0].chunk_index))
    return [StoreHit(rank, chunk, score) for rank, (chunk, score) in enumerate(ordered, 1)]


# -- partitions of the vector index that a search looks into


def describe_vector_index(
    kind: VectorIndex, partitions: int, vectors: int, graph: tuple[int, int] | None = None
) -> str:
    """Return kind, partitions and number of vectors in one line, for `BuildReport.vector_index`.

    Args:
        graph: m and ef_construction, for an index of graphs.
    >>> from chunking.config.choices import VectorIndex
    >>> describe_vector_index(VectorIndex.IVF_SQ, 224, 50_000)
    'ivf_sq, 224 partitions, 50000 vectors'
    >>> describe_vector_index(VectorIndex.IVF_HNSW_SQ, 4, 64_000, (20, 300))
    'ivf_hnsw_sq, 4 partitions, m 20, ef_construction 300, 64000 vectors'
    """
    graphs = f"m {graph[0]}, ef_construction {graph[1]}, " if graph else ""
    return f"{kind}, {partitions} partitions, {graphs}{vectors} vectors"


def enough_probes(built: BuildReport, levels: Collection[str], limit: int, probes: int) -> int:
    """Return how many partitions to search: `probes`, or more if they hold too few rows.

    Args:
        built: describes the index; without partitions in it, the result is `probes`.
    >>> from chunking.store.index.build_record import BuildReport
    >>> index = "ivf_sq, 224 partitions, 50500 vectors"
    >>> built = BuildReport(levels={"chunk": 50_000, "document": 500}, vector_index=index)
    >>> searches = (["chunk"], 100), (["document"], 100), (["chunk"], 10_000)
    >>> tuple(enough_probes(built, levels, count, 20) for levels, count in searches)
    (20, 180, 180)
    """
    match = _PARTITIONS.search(built.vector_index)
    if match is None:
        return probes
    partitions, rows = int(match[1]), sum(built.levels.get(level, 0) for level in levels)
    return max(probes, min(partitions, math.ceil(_MARGIN * limit * partitions / max(rows, 1))))
