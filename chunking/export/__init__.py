"""Exports: settings, chunks, framework objects, scripts, questions with results, and the report.

No export contains paths or addresses of this machine. Names are imported on first use: the command line lists the
exports without loading the evaluation package.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chunking.export.chunk_exports import chunk_row as chunk_row
    from chunking.export.chunk_exports import chunks_csv as chunks_csv
    from chunking.export.chunk_exports import chunks_jsonl as chunks_jsonl
    from chunking.export.chunk_exports import write_parquet as write_parquet
    from chunking.export.configuration import configuration_yaml as configuration_yaml
    from chunking.export.configuration import scrubbed as scrubbed
    from chunking.export.configuration import shared_config as shared_config
    from chunking.export.element_exports import element_rows as element_rows
    from chunking.export.export_files import export_file as export_file
    from chunking.export.export_job import Material as Material
    from chunking.export.export_job import choose_runs as choose_runs
    from chunking.export.export_job import gather as gather
    from chunking.export.export_job import matching_part as matching_part
    from chunking.export.export_job import question_set_of as question_set_of
    from chunking.export.export_job import shared_run as shared_run
    from chunking.export.export_table import EXPORTS as EXPORTS
    from chunking.export.export_table import Export as Export
    from chunking.export.export_table import ExportNeeds as ExportNeeds
    from chunking.export.export_table import find_export as find_export
    from chunking.export.frameworks import PageContent as PageContent
    from chunking.export.frameworks import as_langchain as as_langchain
    from chunking.export.frameworks import as_llama_index as as_llama_index
    from chunking.export.frameworks import langchain_row as langchain_row
    from chunking.export.frameworks import llama_index_row as llama_index_row
    from chunking.export.report import report_html as report_html
    from chunking.export.result_exports import result_rows as result_rows
    from chunking.export.result_exports import results_csv as results_csv
    from chunking.export.result_exports import results_jsonl as results_jsonl
    from chunking.export.script_export import library_script as library_script
    from chunking.export.script_export import plain_script as plain_script

_NAMES = {
    "chunk_exports": ("chunk_row", "chunks_csv", "chunks_jsonl", "write_parquet"),
    "configuration": ("configuration_yaml", "scrubbed", "shared_config"),
    "frameworks": ("PageContent", "as_langchain", "as_llama_index", "langchain_row", "llama_index_row"),
    "element_exports": ("element_rows",),
    "export_files": ("export_file",),
    "export_job": ("Material", "matching_part", "choose_runs", "gather", "question_set_of", "shared_run"),
    "script_export": ("library_script", "plain_script"),
    "report": ("report_html",),
    "result_exports": ("result_rows", "results_csv", "results_jsonl"),
    "export_table": ("EXPORTS", "Export", "ExportNeeds", "find_export"),
}
_HOMES = {name: f"chunking.export.{module}" for module, names in _NAMES.items() for name in names}

__all__ = [
    "EXPORTS",
    "Export",
    "ExportNeeds",
    "Material",
    "PageContent",
    "as_langchain",
    "as_llama_index",
    "choose_runs",
    "chunk_row",
    "chunks_csv",
    "chunks_jsonl",
    "configuration_yaml",
    "element_rows",
    "export_file",
    "find_export",
    "gather",
    "langchain_row",
    "library_script",
    "llama_index_row",
    "matching_part",
    "plain_script",
    "question_set_of",
    "report_html",
    "result_rows",
    "results_csv",
    "results_jsonl",
    "scrubbed",
    "shared_config",
    "shared_run",
    "write_parquet",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'chunking.export' has no attribute '{name}'")
    return getattr(importlib.import_module(_HOMES[name]), name)
