"""Search structures of a table in segments, built by many processes and committed by one.

Small files are merged first, by many processes as well, to a few for each segment, which covers some of the table's
files. Segments of a vector index share their partitions, which are trained once, so that a search reads as
many rows as in an index of one piece. Full-text scores are the same, as the engine adds up the segments' counts.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from chunking.store.bulk.fragments import pylance
from chunking.store.engine.faults import guarded
from chunking.store.index.index import scalar_indexes
from chunking.store.index.vector_index import VectorIndexParameters, parameters_of

if TYPE_CHECKING:
    import pyarrow as pa

    from chunking.store.index.index import Index

__all__ = [
    "SegmentedIndex",
    "commit_merged",
    "commit_segments",
    "fragment_groups",
    "merge_files",
    "plan_merges",
    "segmented_indexes",
    "train_vector_index",
    "write_segment",
]

_TYPES = {"BTree": "BTREE", "Bitmap": "BITMAP", "FTS": "INVERTED"}
"""Names of the engine's index types by those of LanceDB's configurations."""
_FULL_TEXT = {
    "ngram_min_length": "min_ngram_length",
    "ngram_max_length": "max_ngram_length",
    **dict.fromkeys(("memory_limit", "num_workers", "document_granularity", "custom_stop_words"), ""),
}
"""The engine's names of full-text parameters that have another in LanceDB; empty: its default is meant."""
_VECTORS = "vector"
_IVF_SAMPLE = 256
"""Maximum vectors per centroid from which partitions are trained, the engine's own default."""
_CODEBOOK_CENTROIDS = 256
_CENTROIDS, _CODEBOOK = "centroids", "codebook"


@dataclass(frozen=True)
class SegmentedIndex:
    """One search structure of a table, as all processes build it."""

    name: str
    column: str
    type: str
    """The engine's name of its type, such as `IVF_SQ`."""
    options: Mapping[str, Any]
    """Its parameters, in the engine's names."""

    @property
    def is_trained(self) -> bool:
        """True if its segments need the result of `train_vector_index`."""
        return self.column == _VECTORS


def segmented_indexes(index: Index) -> list[SegmentedIndex]:
    """Return the search structures that an index needs: those of `Index.build`, and a vector index."""
    scalar = [
        SegmentedIndex(f"{column}_idx", column, _TYPES[type(config).__name__], _options(config))
        for column, config in scalar_indexes(index.row).items()
    ]
    vectors = parameters_of(index)
    return scalar if vectors is None else [*scalar, _vector_index(vectors, index.dimension)]


def _options(config: Any) -> dict[str, Any]:
    """Parameters of a full-text index by the engine's names; its other kinds have none."""
    values = {_FULL_TEXT.get(name, name): value for name, value in vars(config).items()}
    return {name: value for name, value in values.items() if name}


def _vector_index(parameters: VectorIndexParameters, dimension: int) -> SegmentedIndex:
    options: dict[str, Any] = {
        "metric": "cosine",
        "num_partitions": parameters.partitions,
        "target_partition_size": parameters.rows,
    }
    return SegmentedIndex(parameters.name, _VECTORS, parameters.kind.upper(), options | parameters.options(dimension))


def plan_merges(uri: str, rows: int) -> tuple[int, list[str]]:
    """Return a table's version, and which of its small files are to be merged, for `merge_files`.

    Args:
        rows: of a merged file, about.
    """
    engine = pylance()
    from lance.optimize import Compaction

    with guarded(uri, "listing the table's files"):
        dataset = engine.dataset(uri)
        plan = Compaction.plan(dataset, {"target_rows_per_fragment": rows})
        return int(dataset.version), [task.json() for task in plan.tasks]


def merge_files(uri: str, task: str) -> str:
    """Write some files of a table as one, and return its description, for `commit_merged`.

    Args:
        task: of `plan_merges`.
    """
    engine = pylance()
    from lance.optimize import CompactionTask

    with guarded(uri, "merging files"):
        merged: str = CompactionTask.from_json(task).execute(engine.dataset(uri)).json()
    return merged


def commit_merged(uri: str, merged: Sequence[str]) -> None:
    """List merged files instead of those that they were made of, in one commit."""
    engine = pylance()
    from lance.optimize import Compaction, RewriteResult

    with guarded(uri, "merging files"):
        if merged:
            Compaction.commit(engine.dataset(uri), [RewriteResult.from_json(one) for one in merged])


def fragment_groups(uri: str, count: int) -> list[list[int]]:
    """Divide a table's fragments into at most `count` groups of about as many rows, one for each segment."""
    with guarded(uri, "listing the table's files"):
        sizes = {one.fragment_id: one.count_rows() for one in pylance().dataset(uri).get_fragments()}
    groups: list[list[int]] = [[] for _ in range(min(count, len(sizes)))]
    rows = [0] * len(groups)
    for fragment, size in sorted(sizes.items(), key=lambda one: -one[1]):
        smallest = rows.index(min(rows))
        groups[smallest].append(fragment)
        rows[smallest] += size
    return [sorted(group) for group in groups]


def train_vector_index(uri: str, index: SegmentedIndex) -> pa.Table:
    """Return the partitions' centroids, found from a sample of all rows.

    Returns:
        A row with a list of vectors in each column: the centroids, and for product quantisation its codebook.
    """
    import pyarrow as pa

    engine = pylance()
    from lance.indices import IndicesBuilder

    with guarded(uri, "training the vector index"):
        dataset = engine.dataset(uri)
        rows, partitions = dataset.count_rows("vector IS NOT NULL"), index.options["num_partitions"]
        builder = IndicesBuilder(dataset, _VECTORS)
        ivf = builder.train_ivf(
            partitions, distance_type=index.options["metric"], sample_rate=min(_IVF_SAMPLE, rows // partitions)
        )
        columns = {_CENTROIDS: _listed(ivf.centroids)}
        if "num_sub_vectors" in index.options:
            rate = min(index.options["sample_rate"], rows // _CODEBOOK_CENTROIDS)
            codebook = builder.train_pq(ivf, index.options["num_sub_vectors"], sample_rate=rate).codebook
            columns[_CODEBOOK] = _listed(codebook)
    return pa.table(columns)


def _listed(vectors: pa.FixedSizeListArray) -> pa.ListArray:
    import pyarrow as pa

    return pa.ListArray.from_arrays(pa.array([0, len(vectors)], pa.int32()), vectors)


def write_segment(uri: str, index: SegmentedIndex, fragments: Sequence[int], trained: pa.Table | None) -> str:
    """Write the segment of some fragments to the table's folder, and return its description.

    Args:
        trained: of `train_vector_index`, for a vector index.
    Returns:
        What `commit_segments` takes.
    """
    options = dict(index.options)
    if trained is not None:
        options["ivf_centroids"] = trained[_CENTROIDS][0].values
        if _CODEBOOK in trained.column_names:
            options["pq_codebook"] = trained[_CODEBOOK][0].values
    with guarded(uri, f"indexing {index.column}"):
        segment = (
            pylance()
            .dataset(uri)
            .create_index_uncommitted(
                index.column, index.type, name=index.name, fragment_ids=list(fragments), **options
            )
        )
    return _described(segment)


def commit_segments(uri: str, index: SegmentedIndex, segments: Sequence[str]) -> None:
    """List segments as one index of the table, unless it has an index of that name."""
    with guarded(uri, f"indexing {index.column}"):
        dataset = pylance().dataset(uri)
        if index.name not in {one.name for one in dataset.describe_indices()}:
            dataset.commit_existing_index_segments(index.name, index.column, [_segment(one) for one in segments])


# -- descriptions that pass between processes


def _described(segment: Any) -> str:
    kind, details = segment.index_details
    return json.dumps(
        {
            **{name: getattr(segment, name) for name in ("uuid", "name", "fields", "dataset_version", "base_id")},
            "index_version": segment.index_version,
            "covering_fields": segment.covering_fields,
            "fragment_ids": sorted(segment.fragment_ids),
            "created_at": segment.created_at.isoformat(),
            "files": [asdict(file) for file in segment.files],
            "index_details": [kind, b64encode(details).decode("ascii")],
        }
    )


def _segment(described: str) -> Any:
    from lance.dataset import Index, IndexFile

    values = json.loads(described)
    kind, details = values["index_details"]
    return Index(
        **{
            **values,
            "fragment_ids": set(values["fragment_ids"]),
            "created_at": datetime.fromisoformat(values["created_at"]),
            "files": [IndexFile(**file) for file in values["files"]],
            "index_details": (kind, b64decode(details)),
        }
    )
