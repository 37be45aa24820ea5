"""Rows of the commands that write results and indexes elsewhere."""

from __future__ import annotations

from chunking.cli.arguments.command_words import Command, export_help, export_names, writer_help, writer_names
from chunking.cli.arguments.command_words import path as _path
from chunking.cli.arguments.command_words import word as _word
from chunking.cli.arguments.shared_arguments import MARGIN, METRIC, NAME, WORKSPACE

__all__ = ["EXPORT"]

EXPORT: tuple[Command, ...] = (
    Command(
        "export",
        "write the configuration, chunks, code, questions with results, or a report to a file",
        "exporting.export",
        (
            _word("what", choices=export_names, metavar="WHAT", help=export_help),
            WORKSPACE,
            NAME,
            _word(
                "--run",
                dest="runs",
                nargs="+",
                action="extend",
                default=[],
                metavar="KEY",
                help="runs for the report and the questions; default: all runs on the newest run's questions",
            ),
            _word("--out", type=_path, metavar="FILE", help="the file to write, or a folder; default: stdout"),
            _word(
                "--levels",
                metavar="L",
                help="levels of the index, such as chunk,x2,parent; default: those that suit the format",
            ),
            _word(
                "--text",
                choices=["content", "embedded"],
                default="content",
                help="text of a LangChain Document: the span, or the embedded text",
            ),
            METRIC,
            MARGIN,
            _word(
                "--budget",
                type=int,
                metavar="TOKENS",
                help="evaluate the report at a token budget instead of the runs' number of results",
            ),
            _word("--vectors", action="store_true", help="include the vectors in Parquet"),
            _word(
                "--documents",
                nargs="+",
                action="extend",
                default=[],
                metavar="PATH",
                help="only the chunks of these documents, by their paths in the workspace; default: all",
            ),
            _word(
                "--sample",
                nargs="+",
                action="extend",
                default=[],
                metavar="PATH",
                help="documents in the sample of a cluster job, by their paths in the workspace; default: the first 5",
            ),
        ),
    ),
    Command(
        "write",
        "write an index with its vectors to another vector store; later runs write only changes",
        "building.write",
        (
            _word("what", choices=writer_names, metavar="WHAT", help=writer_help),
            WORKSPACE,
            NAME,
            _word(
                "--to",
                required=True,
                metavar="PLACE",
                help="the folder, created if missing, or the address of the server",
            ),
            _word(
                "--collection",
                default="chunks",
                metavar="NAME",
                help="the collection to synchronise with the index; default: chunks",
            ),
            _word("--levels", metavar="L", help="levels of the index with vectors, such as chunk,x2; default: chunk"),
        ),
    ),
)
