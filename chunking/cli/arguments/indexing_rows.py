"""Rows of the commands that open, read, index and search documents."""

from __future__ import annotations

from chunking.cli.arguments.command_words import Command, choices_of
from chunking.cli.arguments.command_words import path as _path
from chunking.cli.arguments.command_words import word as _word
from chunking.cli.arguments.shared_arguments import (
    CONFIG,
    CONFIG_OR_NAME,
    ENGINE,
    FILES,
    NAME,
    READING,
    RETRIEVAL,
    SET,
    SOLE_WRITER,
    WORKSPACE,
)

__all__ = ["INDEXING"]

INDEXING: tuple[Command, ...] = (
    Command(
        "app",
        "open the app in a browser, on the samples or on your own documents",
        "serving.app",
        (
            _word(
                "paths",
                nargs="*",
                type=_path,
                metavar="PATH",
                help=(
                    "files or folders to open in a separate workspace; default: your workspace, which starts "
                    "with the samples"
                ),
            ),
            _word("--questions", metavar="FILE", help="question set on these documents, as `evaluate` reads it"),
            _word("--config", metavar="F", help="a YAML file with the settings to begin with"),
            _word("--workspace", metavar="DIR", help="the folder of the workspace to open; PATH is added to it"),
            _word("--port", type=int, metavar="N", help="port of the server, or the next free one; default: 8501"),
            _word("--no-browser", action="store_true", help="only serve, and print the address"),
            *READING,
        ),
    ),
    Command("parse", "print each file as a document", "files.parse", (FILES, CONFIG, SET, *READING)),
    Command("chunk", "print the chunks of each file", "files.chunk", (FILES, CONFIG, SET, *READING)),
    Command(
        "index",
        "add files to a workspace and index them",
        "building.index",
        (
            _word("paths", nargs="+", type=_path, metavar="PATH", help="files, or folders to read recursively"),
            WORKSPACE,
            SOLE_WRITER,
            _word("--name", metavar="N", help="the index to build or update; default: main"),
            CONFIG_OR_NAME,
            SET,
            *READING,
            _word("--again", action="store_true", help="read files again that the workspace has unchanged"),
            _word("--dry-run", action="store_true", help="print the plan and do nothing"),
            *ENGINE,
            _word("--resume", metavar="RUN", help="ray: go on with a run that was stopped or killed, by its id"),
        ),
    ),
    Command(
        "sample",
        "add a random sample of a Lance or LanceDB table to a workspace, as documents in Markdown",
        "sampling.sample",
        (
            _word(
                "place",
                metavar="PLACE",
                help="the folder or address (s3://, gs://, az://) of a database or of one table (NAME.lance)",
            ),
            WORKSPACE,
            SOLE_WRITER,
            _word("--table", default="", metavar="NAME", help="the table; default: the only one"),
            _word("--text", default="", metavar="COLUMN", help="column of the text; default: by its name and type"),
            _word(
                "--id",
                default="",
                metavar="COLUMN",
                help="column of the id: rows with the same id are one document; default: each row is one",
            ),
            _word("--title", default="", metavar="COLUMN", help="column of the title; default: from the text"),
            _word("--documents", type=int, default=1_000, metavar="N", help="number of documents; default: 1,000"),
            _word("--seed", type=int, default=0, metavar="N", help="seed of the random sample; default: 0"),
            _word("--version", type=int, metavar="N", help="version of the table; default: the newest"),
        ),
    ),
    Command(
        "search",
        "search an index",
        "workspace_commands.search",
        (
            _word("query", metavar="QUERY", help="any text; text in quotation marks is searched as a phrase"),
            WORKSPACE,
            NAME,
            _word("--mode", choices=choices_of("SearchMode")),
            RETRIEVAL,
            _word("--k", type=int, help="results"),
            _word("--before", metavar="N", help="neighbours to add before each result: a number, or auto"),
            _word("--after", metavar="N", help="neighbours to add after each result: a number, or auto"),
            _word(
                "--budget",
                type=int,
                metavar="TOKENS",
                help="context budget: maximum number of tokens; whole results, best first",
            ),
            _word(
                "--cut",
                type=float,
                metavar="SHARE",
                help="leave out results that score below this, from the lowest candidate (0) to the best result (1)",
            ),
            _word(
                "--trim",
                type=float,
                metavar="SHARE",
                help="keep of each result the sentences with at least this share of its best one's evidence (0 to 1)",
            ),
            _word(
                "--where",
                action="append",
                default=[],
                metavar="k=v",
                help="filter: only chunks whose field k equals v (repeatable)",
            ),
            _word(
                "--explain", action="store_true", help="add an explanation of each score, the stages, and the context"
            ),
        ),
    ),
    Command(
        "fetch",
        "print a whole document",
        "workspace_commands.fetch",
        (
            _word("doc_id", metavar="DOC_ID"),
            WORKSPACE,
            NAME,
            _word("--json", action="store_true", help="print its chunks, one per line"),
        ),
    ),
)
