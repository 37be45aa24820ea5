"""Build the vector index of a table once it has enough vectors, and measure its recall.

Without one every vector of the levels searched is compared, exactly: 36 ms at 64,000 vectors of 384 numbers, against
5 ms with ivf_sq. The kinds are the engine's (Lance): k-means puts vectors into partitions (IVF), of which a search
reads the nearest; inside them they are 8 bits a number (scalar quantisation), a byte for eight numbers (product
quantisation; Jégou et al. 2011), or a graph over 8 bits a number (HNSW; Malkov and Yashunin 2018).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import methodcaller
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any

from chunking.config import IndexConfig
from chunking.config.choices import VectorIndex
from chunking.model import PARENT
from chunking.store.index.index_search import StoreHit, describe_vector_index

if TYPE_CHECKING:
    import numpy as np

    from chunking.store.index.index import Index

__all__ = [
    "VectorIndexParameters",
    "VectorRecall",
    "build_vector_index",
    "measure_recall",
    "measured_vector_index",
    "parameters_of",
    "segment_count",
]

_LEAST = 256
"""Minimum vectors from which the engine can find a partition's centroid, or product quantisation's 256."""
_VECTORS_PER_GRAPH = 15_000
"""Vectors in a partition that is a graph.

At 64,000 vectors four graphs find all of the best hundred in 14 ms, sixteen in 33; they take 31 and 21 s of
processor to build.
"""
_NUMBERS_PER_BYTE = 8
"""Vector components per byte of product quantisation.

At 64,000 vectors, 20 partitions and refine 5: .994 of the best hundred, .776 with refine 1.
"""
_SAMPLE = 64
"""Vectors per centroid that product quantisation is trained on: a quarter of the engine's default.

The recall above is with this sample.
"""
_MOST_PARTS = 8
"""Maximum parts of a vector index before it is rebuilt, besides its segments.

Each run adds a part, which every search reads and which keeps files from being merged: at 60,000 vectors a search takes
1.7 times as long with eight parts, and 2.5 times with sixteen.
"""
_MOST_SEGMENTS, _ROWS_PER_SEGMENT = 8, 250_000
"""Maximum segments that an index is built in, and their rows at least: an index of that size bears more parts."""
_NAME = re.compile(r"vector_(?P<kind>[a-z_]+)_(?P<partitions>\d+)x(?P<rows>\d+)(?:_m(?P<m>\d+)_ef(?P<ef>\d+))?")
"""An index's name encodes its parameters, which the engine does not tell."""
_GRAPH = IndexConfig().m, IndexConfig().ef_construction
"""Parameters of a graph whose name does not encode them."""

_NEAREST = 10
_GOOD_RECALL = 0.97
"""Recall below which a vector index that was better before is built anew."""
_SAMPLED = 20
"""Searches that measure it after a run, held against one pass over all vectors."""
_TOLERANCE = 1e-5
"""Cosines that differ by less are equal: either of two duplicates may be found."""


@dataclass(frozen=True, slots=True)
class VectorIndexParameters:
    """Kind and parameters of a vector index."""

    kind: VectorIndex
    partitions: int
    rows: int
    """Rows of a partition that the engine aims at.

    It divides a partition of over four times as many, and joins those of less than a quarter. Asked for a number of
    partitions instead, it aims at 8,192 rows (a million for graphs): the first update joined 30 partitions of 1,000
    rows to three of 10,000, and graphs to one.
    """
    graph: tuple[int, int] = _GRAPH
    """m and ef_construction, for kinds made of graphs."""

    @property
    def name(self) -> str:
        graph = "" if self.graph == _GRAPH else f"_m{self.graph[0]}_ef{self.graph[1]}"
        return f"vector_{self.kind}_{self.partitions}x{self.rows}{graph}"

    def serves(self, kind: VectorIndexParameters) -> bool:
        """True if an index of this kind can stand for `kind`: at most twice or half the partitions."""
        alike = (self.kind, self.graph) == (kind.kind, kind.graph)
        return alike and kind.partitions / 2 <= self.partitions <= kind.partitions * 2

    def options(self, dimension: int) -> dict[str, int]:
        """Return the parameters that only some kinds have, in the engine's names."""
        if self.kind is VectorIndex.IVF_HNSW_SQ:
            return {"m": self.graph[0], "ef_construction": self.graph[1]}
        if self.kind is VectorIndex.IVF_PQ:
            return {"num_sub_vectors": _sub_vectors(dimension), "sample_rate": _SAMPLE}
        return {}


@dataclass(frozen=True, slots=True)
class _ExistingIndex:
    """Vector index that a table has."""

    name: str
    kind: VectorIndexParameters | None
    """None for a name of another version; it is then built anew."""
    parts: int
    behind: int
    """Rows not yet in it; searches compare them one by one."""


def build_vector_index(index: Index) -> str:
    """Build, update or delete the engine's vector index of an index's table, as its settings ask.

    An existing one stays if it is of the configured kind, has at most twice or half as many partitions as a new one
    would have, and is in few parts. Call it after a run's last commit. Searches continue meanwhile, with right results
    at any moment. Under 256 vectors there is none, whatever the settings say.

    Returns:
        Description for `BuildReport.vector_index`; empty if vectors are compared one by one.
    Raises:
        StoreError: the disk is full, say; the index is then searched with the vector index it had, or with none.
    """
    there = _existing_indexes(index)
    count = _count(index, exact=not there)
    rows = index.on_table("counting rows", lambda table: int(table.count_rows()))
    kind = _chosen_kind(index.config.index, count, rows)
    most = _MOST_PARTS + segment_count(rows)
    kept = next((one for one in there if kind and one.kind and one.kind.serves(kind) and one.parts <= most), None)
    if kept is not None and kept.behind:
        index.optimize_if_due()
    elif kept is None and kind is not None:
        _create(index, kind)
    name = kept.name if kept is not None else kind.name if kind is not None else ""
    for other in (one.name for one in there if one.name != name):
        index.change_table("deleting a vector index", methodcaller("drop_index", other))
    now = kept.kind if kept is not None else kind
    if now is None:
        return ""
    return describe_vector_index(
        now.kind, now.partitions, count, now.graph if now.kind is VectorIndex.IVF_HNSW_SQ else None
    )


def measured_vector_index(index: Index, *, updated: bool) -> tuple[str, float | None]:
    """Run `build_vector_index` and measure recall; build it again where recall has fallen.

    The engine adds new vectors to the partitions that it has, whose centroids were found without them, so that recall
    can fall unseen.

    Args:
        updated: rows may have been added to the vector index since it was measured.
    Returns:
        The description, and the average share (0 to 1) of the ten nearest that a search with the index's settings
        finds, for 20 of its own chunks; None without a vector index.
    """
    before, measured = _rows_behind(index), index.row.built.vector_recall
    description = build_vector_index(index)
    if not description:
        return "", None
    if measured is not None and not updated and _rows_behind(index) == before:
        return description, measured
    recall = _own_recall(index)
    kind = next(one.kind for one in _existing_indexes(index))
    was_good = measured is None or measured >= _GOOD_RECALL
    if kind is not None and kind.name in before and recall < _GOOD_RECALL and was_good:
        _create(index, kind)
        recall = _own_recall(index)
    return description, recall


def segment_count(rows: int) -> int:
    """Return the maximum number of segments in which workers build the search structures of so many rows.

    >>> segment_count(200_000), segment_count(1_000_000), segment_count(9_000_000)
    (0, 4, 8)
    """
    return min(_MOST_SEGMENTS, rows // _ROWS_PER_SEGMENT)


def parameters_of(index: Index) -> VectorIndexParameters | None:
    """Return the parameters of the vector index that an index without one needs; None: none is needed."""
    rows = index.on_table("counting rows", lambda table: int(table.count_rows()))
    return _chosen_kind(index.config.index, _count(index, exact=True), rows)


def _count(index: Index, *, exact: bool) -> int:
    """Number of vectors: `exact` reads them all, else every row but parents counts, also if it has only zeros."""
    if exact:
        return index.on_table("counting vectors", lambda table: int(table.count_rows("vector IS NOT NULL")))
    return sum(rows for level, rows in index.levels.items() if level != PARENT)


def _rows_behind(index: Index) -> dict[str, int]:
    """Rows that each vector index lacks, by its name."""
    return {one.name: one.behind for one in _existing_indexes(index)}


def _own_recall(index: Index) -> float:
    """Recall with the index's own settings; 1 if it has too few chunks to tell."""
    import numpy as np

    search, sample = index.config.search, _sample(index, _SAMPLED)
    if len(sample) < 2:
        return 1.0
    nearest = index.nearest_cosines(np.stack(list(sample.values())), _NEAREST + 1)
    recalls = []
    for (chunk_id, vector), exact in zip(sample.items(), nearest, strict=True):
        scores = index.vector_scores(
            vector, _NEAREST + 1, probes=search.probes, refine=search.refine, ef=search.ef_search
        )
        others = [score for id, score in scores.items() if id != chunk_id]
        recalls.append(_recall(others[:_NEAREST], exact[1:].tolist()))  # the first is the chunk itself
    return sum(recalls) / len(recalls)


def _chosen_kind(settings: IndexConfig, count: int, all_rows: int) -> VectorIndexParameters | None:
    """Return the configured kind for so many vectors, with the engine's number of partitions; None for no index.

    Args:
        count: vectors.
        all_rows: rows of the table, also those without a vector: the engine divides their number by that of a
            partition.
    """
    kind = settings.vector_index
    if kind is VectorIndex.AUTO:
        kind = VectorIndex.IVF_SQ if count >= settings.vector_index_rows else VectorIndex.NONE
    if kind is VectorIndex.NONE or count < _LEAST:
        return None
    graphs = kind is VectorIndex.IVF_HNSW_SQ
    natural = count / _VECTORS_PER_GRAPH if graphs else math.sqrt(count)
    rows = all_rows // max(1, min(settings.partitions or round(natural), count // _LEAST))
    return VectorIndexParameters(
        kind, all_rows // rows, rows, (settings.m, settings.ef_construction) if graphs else _GRAPH
    )


def _existing_indexes(index: Index) -> list[_ExistingIndex]:
    listed = index.on_table("listing indexes", lambda table: list(table.list_indices()))
    return [
        _ExistingIndex(one.name, _kind_of(one.name), one.num_segments, one.num_unindexed_rows)
        for one in listed
        if one.columns == ["vector"]
    ]


def _kind_of(name: str) -> VectorIndexParameters | None:
    match = _NAME.fullmatch(name)
    if not match or match["kind"] not in list(VectorIndex):
        return None
    return VectorIndexParameters(
        VectorIndex(match["kind"]),
        int(match["partitions"]),
        int(match["rows"]),
        (int(match["m"]), int(match["ef"])) if match["m"] else _GRAPH,
    )


def _create(index: Index, kind: VectorIndexParameters) -> None:
    """Build it from all vectors; the table's current one stays until it is complete."""
    from lancedb.index import HnswSq, IvfPq, IvfSq

    types: dict[VectorIndex, Any] = {
        VectorIndex.IVF_SQ: IvfSq,
        VectorIndex.IVF_PQ: IvfPq,
        VectorIndex.IVF_HNSW_SQ: HnswSq,
    }
    # Another metric than that of the search would have the engine compare one by one, silently.
    config = types[kind.kind](distance_type="cosine", target_partition_size=kind.rows, **kind.options(index.dimension))
    index.change_table(
        "making a vector index",
        lambda table: table.create_index("vector", config=config, name=kind.name, replace=True),
    )


def _sub_vectors(dimension: int) -> int:
    """Number of equal parts that a vector is cut into, a byte each.

    >>> _sub_vectors(384), _sub_vectors(300), _sub_vectors(13)
    (48, 50, 13)
    """
    return dimension // next(length for length in range(_NUMBERS_PER_BYTE, 0, -1) if dimension % length == 0)


# -- recall and speed against exact search


@dataclass(frozen=True, slots=True)
class VectorRecall:
    """Recall and time of vector searches with one pair of `probes` and `refine`."""

    probes: int
    """Partitions searched; 0: every vector was compared, the reference for the others."""
    refine: int
    """Factor of candidates compared exactly; 0 with `probes` 0."""
    recall_at_10: float
    """Average share (0 to 1) of the ten nearest that was found."""
    milliseconds: float
    """Median time of the vector search alone."""


def measure_recall(
    index: Index,
    probes: Sequence[int] = (1, 5, 20, 50),
    refine: Sequence[int] = (1, 5),
    sample: int = 100,
    *,
    ef: int = 0,
    on_progress: Callable[[int, int], None] | None = None,
) -> list[VectorRecall]:
    """Measure recall and time of searches with an index's own vectors, by `probes` and `refine`.

    The chunks are a fixed sample, evenly spread over the index, and are not counted as found themselves. Without a
    vector index all rows are equal.

    Args:
        probes: numbers of partitions to try, each with each factor of `refine`.
        sample: chunks to search from; fewer if the index has fewer.
        ef: candidates kept in the search of an HNSW graph; 0: one and a half times as many as are compared exactly.
        on_progress: called with the searches done and their total; an exception from it stops the measurement.
    Returns:
        First the exact search, then a row for each pair; empty for an index of fewer than two chunks with a vector.
    """
    vectors = _sample(index, sample)
    pairs = [(0, 0), *((some, times) for some in probes for times in refine)]
    rows, exact = [], dict[str, list[float]]()
    for number, (some, times) in enumerate(pairs if len(vectors) > 1 else ()):
        recalls, seconds = [], []
        for place, (chunk_id, vector) in enumerate(vectors.items()):
            if on_progress is not None:
                on_progress(number * len(vectors) + place, len(pairs) * len(vectors))
            started = perf_counter()
            hits = index.vector_search(vector, _NEAREST + 1, probes=some or 1, refine=times or 1, ef=ef, exact=not some)
            seconds.append(perf_counter() - started)
            cosines = _other_scores(hits, chunk_id)
            recalls.append(_recall(cosines, exact.setdefault(chunk_id, cosines)))
        rows.append(VectorRecall(some, times, sum(recalls) / len(recalls), median(seconds) * 1000))
    return rows


def _sample(index: Index, size: int) -> dict[str, np.ndarray]:
    """Vectors of a fixed sample of chunks by id, evenly spread; also warms up the index's pages."""
    sample = index.vector_sample(size).vectors
    stored = dict(zip(sample.ids[:size], sample.vectors, strict=False))
    for vector in list(stored.values())[:1]:
        index.vector_search(vector, _NEAREST)
    return stored


def _other_scores(hits: Sequence[StoreHit], chunk_id: str) -> list[float]:
    """Cosines of the hits except the chunk itself, best first."""
    return [hit.score for hit in hits if hit.chunk.chunk_id != chunk_id][:_NEAREST]


def _recall(scores: Sequence[float], exact: Sequence[float]) -> float:
    """Share of the nearest that was found, by their cosines.

    >>> _recall([0.9, 0.7], [0.9, 0.8])
    0.5
    """
    return sum(cosine >= exact[-1] - _TOLERANCE for cosine in scores) / len(exact) if exact else 1.0
