"""Arguments that several commands have."""

from __future__ import annotations

from chunking.cli.arguments.command_words import (
    choices_of,
    encoding,
    margin_help,
    margin_unit,
    parser,
    parsers_help,
    retrieval,
    settings_help,
    syntaxes,
)
from chunking.cli.arguments.command_words import path as _path
from chunking.cli.arguments.command_words import word as _word

__all__ = [
    "CONFIG",
    "CONFIG_OR_NAME",
    "ENGINE",
    "FILES",
    "MARGIN",
    "MEASURE",
    "METRIC",
    "NAME",
    "OPTIONAL_PATHS",
    "OPTIONAL_WORKSPACE",
    "QUESTIONS",
    "READING",
    "RETRIEVAL",
    "SET",
    "SOLE_WRITER",
    "WORKSPACE",
]

FILES = _word("files", nargs="+", type=_path, metavar="FILE", help="files, or folders to read recursively")
CONFIG = _word("--config", metavar="F", help="a YAML file with settings")
CONFIG_OR_NAME = _word(
    "--config", metavar="F", help="a YAML file with settings, or the name of a saved configuration of the workspace"
)
SET = _word("--set", action="append", default=[], metavar="k=v", help=settings_help)
RETRIEVAL = _word(
    "--retrieval", type=retrieval, choices=choices_of("Retrieval"), help="retrieval mode: what a result is"
)
READING = (
    _word("--ocr", action="store_true", help="recognise the text of scanned pages (OCR; needs tesseract)"),
    _word("--comments", action="store_true", help="read comments in office files too; left out by default"),
    _word(
        "--encoding",
        type=encoding,
        metavar="NAME",
        help="read text files in this encoding, such as cp866; detected by default",
    ),
    _word("--parser", metavar="NAME", type=parser, help=parsers_help),
    _word("--edits", type=_path, metavar="FILE", help="edits to the parse of documents, as `export edits` writes them"),
    _word(
        "--pins", type=_path, metavar="FILE", help="pins on the boundaries of documents, as `export pins` writes them"
    ),
)
"""Options for reading files, shared by every command that reads files."""
WORKSPACE = _word("--workspace", required=True, metavar="DIR", help="the folder of the workspace")
SOLE_WRITER = _word(
    "--sole-writer",
    action="store_true",
    help=(
        "write to a workspace on object storage (s3://, gs://, az://), which has no lock: nothing else may "
        "write to it at the same time"
    ),
)
NAME = _word("--name", metavar="N", help="the index; default: the newest")

QUESTIONS = _word(
    "--questions",
    required=True,
    metavar="FILE",
    help=(
        "question set: CSV, JSON, JSONL or Parquet with questions and gold answers (RAGAS, SQuAD or a BEIR "
        "folder too), or the name of a saved set"
    ),
)
_SYNTAX = _word(
    "--syntax",
    choices=syntaxes,
    help=(
        "how questions are read: plain language, where quotation marks are just text, or typed searches with "
        "operators; default: as the set says, else plain"
    ),
)
MEASURE = (
    _SYNTAX,
    _word("--n", type=int, metavar="N", help="number of results to evaluate; default: search.k"),
    _word("--budget", type=int, metavar="TOKENS", help="evaluate at a token budget instead"),
    _word("--expanded", action="store_true", help="evaluate results together with their neighbours"),
)
OPTIONAL_PATHS = _word(
    "paths",
    nargs="*",
    type=_path,
    metavar="PATH",
    help="files, or folders to read recursively; default: all documents in the workspace",
)
OPTIONAL_WORKSPACE = _word(
    "--workspace", metavar="DIR", help="a workspace for the embedding cache and the runs; nothing is saved without one"
)
METRIC = _word(
    "--metric",
    default="recall",
    metavar="NAME",
    help="recall, precision, iou, hit, reciprocal_rank, ndcg, whole, tokens ...",
)
ENGINE = (
    _word(
        "--engine",
        choices=["embedded", "ray"],
        default="embedded",
        help=(
            "embedded: this process (default); ray: several processes or machines (pip install 'chunkscope[cluster]')"
        ),
    ),
    _word("--address", metavar="HOST:PORT", help="ray: a running cluster; default: Ray on this machine only"),
    _word("--workers", type=int, metavar="N", help="ray: parts at work at once; default: one per processor"),
)
"""Options of the engine, shared by every command that works on a cluster."""
MARGIN = _word("--margin", type=float, metavar=margin_unit, help=margin_help)
