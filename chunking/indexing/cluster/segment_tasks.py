"""What a worker does for a large index: merge files, train a vector index, write a segment.

As in `build_tasks`: a task that is repeated gives the same result, one whose record exists does nothing, and none
commits.
"""

from __future__ import annotations

from collections.abc import Sequence

from chunking.indexing.cluster.build_tasks import BuildJob, guarded_task
from chunking.indexing.cluster.run_folder import Record
from chunking.store.bulk.index_segments import SegmentedIndex, merge_files, train_vector_index, write_segment

__all__ = ["merge_part", "segment_part", "train_part"]


@guarded_task
def merge_part(job: BuildJob, part: str, task: str) -> Record:
    """Write some small files of the table as one, and record its description.

    Args:
        task: of `plan_merges`.
    """
    if (done := job.folder.read("merge", part)) is not None:
        return done
    job.check_worker()
    return job.folder.write("merge", part, {"merged": merge_files(job.uri(job.table), task)})


@guarded_task
def train_part(job: BuildJob, part: str, index: SegmentedIndex) -> Record:
    """Train a vector index, and leave its centroids in the run's folder."""
    if (done := job.folder.read("train", part)) is not None:
        return done
    job.check_worker()
    job.folder.write_table("train", part, train_vector_index(job.uri(job.table), index))
    return job.folder.write("train", part, {"index": index.name})


@guarded_task
def segment_part(job: BuildJob, part: str, index: SegmentedIndex, fragments: Sequence[int], trained: str) -> Record:
    """Write a segment of an index over some fragments of the table, and record its description.

    Args:
        trained: part of `train_part` with the index's centroids; empty if it needs none.
    """
    if (done := job.folder.read("segment", part)) is not None:
        return done
    job.check_worker()
    centroids = job.folder.read_table("train", trained) if trained else None
    segment = write_segment(job.uri(job.table), index, fragments, centroids)
    return job.folder.write("segment", part, {"segment": segment})
