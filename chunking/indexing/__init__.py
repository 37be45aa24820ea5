"""From files to an index: what would be done (a plan), and doing it with progress and cancel."""

from __future__ import annotations

from chunking.indexing.adding import add_files, doc_id_for, read_files
from chunking.indexing.planning import make_plan
from chunking.indexing.records import Failure, IndexReport, Plan, Progress
from chunking.indexing.running import build_index, index_documents, run_plan
from chunking.indexing.stale import staleness

__all__ = [
    "Failure",
    "IndexReport",
    "Plan",
    "Progress",
    "add_files",
    "build_index",
    "doc_id_for",
    "index_documents",
    "make_plan",
    "read_files",
    "run_plan",
    "staleness",
]
