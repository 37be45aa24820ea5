"""Build an index from files: read, plan and run, with progress and cancelling."""

from __future__ import annotations

from chunking.indexing.adding.adding_files import AddedDocuments, FilesAdded, FilesRead, add_files, read_files, save
from chunking.indexing.adding.intake import Ids, Intake, SourceFiles, renamed
from chunking.indexing.adding.parser_choices import (
    ParserChoices,
    choose_workspace_parser,
    original_file,
    workspace_parser,
)
from chunking.indexing.adding.reparsing import FileAgain, choose_parser, read_again
from chunking.indexing.adding.table_sample import (
    SampleColumns,
    TableSample,
    TableSampleAdded,
    add_table_sample,
    suggest_columns,
    table_samples,
)
from chunking.indexing.document_inputs import DocumentInputs
from chunking.indexing.file_indexing import index_files
from chunking.indexing.planning.index_differences import staleness
from chunking.indexing.planning.index_plan import make_plan
from chunking.indexing.run.index_building import build_index, index_documents, run_plan
from chunking.indexing.run.run_records import Failure, IndexPhase, IndexProgress, IndexReport, Plan, PlanEstimate
from chunking.indexing.workspace_snapshot import WorkspaceSnapshot

__all__ = [
    "AddedDocuments",
    "DocumentInputs",
    "Failure",
    "FileAgain",
    "FilesAdded",
    "FilesRead",
    "Ids",
    "IndexPhase",
    "IndexProgress",
    "IndexReport",
    "Intake",
    "ParserChoices",
    "Plan",
    "PlanEstimate",
    "SampleColumns",
    "SourceFiles",
    "TableSample",
    "TableSampleAdded",
    "WorkspaceSnapshot",
    "add_files",
    "add_table_sample",
    "build_index",
    "choose_parser",
    "choose_workspace_parser",
    "index_documents",
    "index_files",
    "make_plan",
    "original_file",
    "read_again",
    "read_files",
    "renamed",
    "run_plan",
    "save",
    "staleness",
    "suggest_columns",
    "table_samples",
    "workspace_parser",
]
