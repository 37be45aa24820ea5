"""Table of the exports: name, format, file, input and writer of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from chunking.errors import ConfigError
from chunking.export.chunk_exports import chunks_csv, chunks_jsonl
from chunking.export.configuration import configuration_yaml
from chunking.export.frameworks import langchain_row, llama_index_row
from chunking.export.script_export import library_script, plain_script

if TYPE_CHECKING:
    from chunking.export.export_job import Material

__all__ = ["EXPORTS", "Export", "ExportNeeds", "find_export"]
_JSONL, _CSV = "application/x-ndjson", "text/csv"


class ExportNeeds(StrEnum):
    """Input that an export requires."""

    INDEX = "index"
    QUESTIONS = "questions"
    """Question set, with its runs if there are any."""
    RUNS = "runs"
    DOCUMENTS = "documents"
    """Documents of the workspace, indexed or not."""


@dataclass(frozen=True, slots=True)
class Export:
    """Row of the table of exports: one content in one format."""

    name: str
    """Name on the command line."""
    thing: str
    """Content; several exports may offer it in different formats."""
    format: str
    file: str
    """Default file name, without a folder."""
    mime: str
    needs: ExportNeeds
    help: str
    """Description for the command line's help and the documentation."""
    write: Callable[[Material, BinaryIO], None]
    """Writes the export, a few documents at a time if it may be large.

    Raises:
        ChunkscopeError: its input is missing.
    """
    every_level: bool | None = None
    """Default levels: True for all, False for the chunks of the size setting; None: no chunks."""


def find_export(name: str) -> Export:
    """Return the export of a name.

    Raises:
        ConfigError: there is none.
    """
    for row in EXPORTS:
        if row.name == name:
            return row
    raise ConfigError(
        f"There is no export '{name}'; choose one of {', '.join(row.name for row in EXPORTS)}.", where=name
    )


def _written(pieces: Callable[[Material], Iterable[str]]) -> Callable[[Material, BinaryIO], None]:
    def write(material: Material, sink: BinaryIO) -> None:
        for piece in pieces(material):
            sink.write(piece.encode("utf-8", "replace"))

    return write


def _jsonl(material: Material) -> Iterable[str]:
    return chunks_jsonl(material.chunks(every=True))


def _csv(material: Material) -> Iterable[str]:
    return chunks_csv(material.chunks(every=False))


def _langchain(material: Material) -> Iterable[str]:
    return chunks_jsonl(material.chunks(every=False), partial(langchain_row, text=material.text))


def _llama_index(material: Material) -> Iterable[str]:
    levels = material.levels or ("chunk",)
    return chunks_jsonl(material.chunks(every=False), partial(llama_index_row, levels=levels))


def _elements(material: Material, sink: BinaryIO) -> None:
    from chunking.export.element_exports import write_elements

    write_elements(sink, material.workspace.read_documents(list(material.sources)))


def _parquet(material: Material, sink: BinaryIO) -> None:
    from chunking.export.chunk_exports import write_parquet

    index = material.required_index
    vectors_of = index.vectors_by_id if material.vectors else None
    write_parquet(sink, material.chunks(every=True), dimension=index.dimension, vectors_of=vectors_of)


def _configuration(material: Material) -> Iterator[str]:
    index = material.required_index
    yield configuration_yaml(
        index.config, of=f"the index {index.name}", fingerprint=index.fingerprint, inputs=material.inputs
    )


def _cluster_job(material: Material, sink: BinaryIO) -> None:
    from chunking.export.cluster_job.job_files import write_job

    write_job(material, sink)


def _pins(material: Material) -> Iterator[str]:
    from chunking.splitting.pins.stored_pins import PIN_FILE
    from chunking.store.documents.listed_changes import changed_documents

    yield PIN_FILE.write(changed_documents(material.workspace, PIN_FILE))


def _edits(material: Material) -> Iterator[str]:
    from chunking.parsing.edits import EDIT_FILE
    from chunking.store.documents.listed_changes import changed_documents

    yield EDIT_FILE.write(changed_documents(material.workspace, EDIT_FILE))


def _library(material: Material) -> Iterator[str]:
    index = material.required_index
    yield library_script(
        index.config,
        index=index.name,
        fingerprint=index.fingerprint,
        documents=material.inputs.as_record(),
        stale=material.stale,
    )


def _plain(material: Material) -> Iterator[str]:
    yield plain_script(material.required_index.config, index=material.required_index.name)


def _results_jsonl(material: Material) -> Iterable[str]:
    from chunking.export.result_exports import results_jsonl

    return results_jsonl(material.required_questions, material.runs, material.sources)


def _results_csv(material: Material) -> Iterable[str]:
    from chunking.export.result_exports import results_csv

    return results_csv(material.required_questions, material.runs, material.sources)


def _report(material: Material) -> Iterator[str]:
    from chunking.export.report import report_html

    yield report_html(material)


EXPORTS: tuple[Export, ...] = (
    Export(
        *("report", "Report", "HTML", "report.html", "text/html", ExportNeeds.RUNS),
        (
            "plots, numbers with confidence intervals, examples, settings and fingerprints in one file, "
            "viewable without a server"
        ),
        _written(_report),
    ),
    Export(
        *("config", "Configuration", "YAML", "chunkscope.yaml", "application/yaml", ExportNeeds.INDEX),
        "every setting of the index, with edits, pins, encodings and parsers of its documents, for --config",
        _written(_configuration),
    ),
    Export(
        *("edits", "Edits", "JSON", "edits.json", "application/json", ExportNeeds.DOCUMENTS),
        "edits to the parse of documents, for --edits",
        _written(_edits),
    ),
    Export(
        *("pins", "Pins", "JSON", "pins.json", "application/json", ExportNeeds.DOCUMENTS),
        "pins on the boundaries of documents, for --pins",
        _written(_pins),
    ),
    Export(
        *("chunks-jsonl", "Chunks", "JSONL", "chunks.jsonl", _JSONL, ExportNeeds.INDEX),
        "every chunk of every level, one line of JSON each, with its span and metadata",
        _written(_jsonl),
        every_level=True,
    ),
    Export(
        *("chunks-parquet", "Chunks", "Parquet", "chunks.parquet", "application/vnd.apache.parquet", ExportNeeds.INDEX),
        "the same as a columnar table; with --vectors also the vectors",
        _parquet,
        every_level=True,
    ),
    Export(
        *("chunks-csv", "Chunks", "CSV", "chunks.csv", _CSV, ExportNeeds.INDEX),
        "a table for a spreadsheet; text that a spreadsheet would read as a formula gets an apostrophe in front",
        _written(_csv),
        every_level=False,
    ),
    Export(
        *("langchain", "LangChain", "JSONL", "langchain_documents.jsonl", _JSONL, ExportNeeds.INDEX),
        "one LangChain Document per line",
        _written(_langchain),
        every_level=False,
    ),
    Export(
        *("llama-index", "LlamaIndex", "JSONL", "llama_index_nodes.jsonl", _JSONL, ExportNeeds.INDEX),
        "one LlamaIndex TextNode per line, with its relations",
        _written(_llama_index),
        every_level=False,
    ),
    Export(
        *("elements", "Documents", "unstructured", "elements.zip", "application/zip", ExportNeeds.DOCUMENTS),
        ("each document as a JSON file of unstructured's elements, for its splitters and this app"),
        _elements,
    ),
    Export(
        *("script", "Code", "With Chunkscope", "reproduce.py", "text/x-python", ExportNeeds.INDEX),
        "a Python script that rebuilds the index, including edits and pins, and searches it, with this library",
        _written(_library),
    ),
    Export(
        *("plain-script", "Code", "Without it", "reproduce_plain.py", "text/x-python", ExportNeeds.INDEX),
        "the same with sentence-transformers and LanceDB only, from chunks-jsonl",
        _written(_plain),
    ),
    Export(
        *("cluster-job", "Cluster job", "Zip", "cluster_job.zip", "application/zip", ExportNeeds.INDEX),
        (
            "what a cluster needs to build the index over more documents with Ray: configuration, requirements, "
            "command, recipes, and a check on a sample of documents"
        ),
        _cluster_job,
    ),
    Export(
        *("questions-jsonl", "Questions", "JSONL", "questions.jsonl", _JSONL, ExportNeeds.QUESTIONS),
        "the questions with their gold answers and the results of each run, one line each",
        _written(_results_jsonl),
    ),
    Export(
        *("questions-csv", "Questions", "CSV", "questions.csv", _CSV, ExportNeeds.QUESTIONS),
        "the same for a spreadsheet, one row per question and run",
        _written(_results_csv),
    ),
)
"""Exports in display order."""
