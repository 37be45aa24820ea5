"""From files to an index: what would be done (a plan), and doing it with progress and cancel."""

from __future__ import annotations

from chunking.indexing.adding import add_files, save
from chunking.indexing.building import build_index, index_documents, run_plan
from chunking.indexing.ids import Ids, renamed
from chunking.indexing.planning import make_plan
from chunking.indexing.reading import FilesRead, SourceFiles, read_files
from chunking.indexing.records import Failure, IndexReport, Phase, Plan, Progress
from chunking.indexing.stale import staleness

__all__ = [
    "Failure",
    "FilesRead",
    "Ids",
    "IndexReport",
    "Phase",
    "Plan",
    "Progress",
    "SourceFiles",
    "add_files",
    "build_index",
    "index_documents",
    "make_plan",
    "read_files",
    "renamed",
    "run_plan",
    "save",
    "staleness",
]
