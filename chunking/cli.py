"""The `chunkscope` command: everything the app does, for scripts.

Data goes to stdout as JSON, progress and warnings to stderr; exit 0 done, 1 something failed, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chunking.config import Config, SearchMode, settings
from chunking.errors import ChunkscopeError, ConfigError

if TYPE_CHECKING:
    from chunking.indexing import Failure, Progress
    from chunking.model import Document
    from chunking.store import Workspace

__all__ = ["COMMANDS", "main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: words after the program's name; those of the process where None.
    Returns:
        The exit code: 0 done, 1 failed (one line on stderr says why), 2 wrong usage.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    parser = _parser()
    arguments = parser.parse_args(argv)
    try:
        return int(arguments.run(arguments))
    except ConfigError as error:
        _complain(error)
        return 2
    except (ChunkscopeError, BrokenPipeError) as error:
        _complain(error)
        return 1
    except KeyboardInterrupt:
        _say("Stopped; what was written before stays.")
        return 1


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def _complain(error: object) -> None:
    _say(f"chunkscope: {error}")


def _print(row: object) -> None:
    print(json.dumps(row, ensure_ascii=False, default=list))


# -- what several commands share ---------------------------------------------------------------------------------------


def _config(arguments: argparse.Namespace) -> Config:
    base = Config.from_file(arguments.config) if arguments.config else Config()
    return Config.from_settings(dict(_pair(pair) for pair in arguments.set), base)


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise ConfigError(f"'{text}' is not of the form key=value; write for example size=300.", where=text)
    return key.strip(), value.strip()


def _read(paths: Iterable[Path], workspace: Workspace | None = None) -> tuple[list[Document], list[Failure]]:
    """The readable files as documents, and the others; warnings and faults are told at once."""
    from chunking.indexing import read_files

    documents, failed = read_files(paths, workspace)
    for failure in failed:
        _complain(failure.error)
    for document in documents:
        for warning in document.warnings:
            _say(f"{document.source}: {warning}")
    return documents, failed


# -- the commands ------------------------------------------------------------------------------------------------------


def _parse(arguments: argparse.Namespace) -> int:
    from chunking.records import document_record

    documents, failed = _read(arguments.files)
    for document in documents:
        _print(document_record(document))
    return int(bool(failed))


def _chunk(arguments: argparse.Namespace) -> int:
    from chunking.cutting import chunk_document
    from chunking.records import chunk_record

    config = _config(arguments)
    documents, failed = _read(arguments.files)
    for document in documents:
        for chunk in chunk_document(document, config):
            _print(chunk_record(chunk))
    return int(bool(failed))


def _index(arguments: argparse.Namespace) -> int:
    from chunking.indexing import index_documents
    from chunking.store import Workspace

    config = _config(arguments)
    workspace = Workspace.open(arguments.workspace)
    documents, failed = _read(arguments.paths, workspace)
    report = index_documents(workspace, documents, config, name=arguments.name, dry_run=arguments.dry_run, on_progress=_show_progress)
    record = report.as_record()
    record["failed"] = [*(failure.as_record() for failure in failed), *record["failed"]]
    _print(record)
    return int(bool(record["failed"]))


def _show_progress(progress: Progress) -> None:
    _say(f"{progress.done:,} of {progress.total:,} chunks: {progress.message}")


def _search(arguments: argparse.Namespace) -> int:
    from chunking import retrieval
    from chunking.store import Workspace

    workspace = Workspace.open(arguments.workspace, create=False)
    stored = workspace.index(arguments.name).config
    changes = {f"search.{name}": getattr(arguments, name) for name in ("mode", "k", "before", "after")}
    config = Config.from_settings({key: value for key, value in changes.items() if value is not None}, stored)
    where = dict(_pair(pair) for pair in arguments.where)
    found = retrieval.search(workspace, arguments.query, config.search, index=arguments.name, where=where)
    for note in found.notes:
        _say(note)
    _print(retrieval.to_tool_json(found))
    return 0


def _fetch(arguments: argparse.Namespace) -> int:
    from chunking import retrieval
    from chunking.records import chunk_record
    from chunking.store import Workspace

    workspace = Workspace.open(arguments.workspace, create=False)
    if arguments.json:
        for chunk in workspace.index(arguments.name).chunks_of(arguments.doc_id):
            _print(chunk_record(chunk))
    else:
        print(retrieval.fetch(workspace, arguments.doc_id, index=arguments.name))
    return 0


def _list_documents(arguments: argparse.Namespace) -> int:
    from chunking.store import Workspace

    _print({"documents": [row.as_record() for row in Workspace.open(arguments.workspace, create=False).documents()]})
    return 0


def _list_indexes(arguments: argparse.Namespace) -> int:
    from chunking.store import Workspace

    _print({"indexes": [row.as_record() for row in Workspace.open(arguments.workspace, create=False).indexes()]})
    return 0


def _delete(arguments: argparse.Namespace) -> int:
    from chunking.store import Workspace

    workspace = Workspace.open(arguments.workspace, create=False)
    with workspace.writer():
        chunks = workspace.delete_documents(arguments.doc_ids)
    _print({"deleted": arguments.doc_ids, "chunks": chunks})
    return 0


# -- their words -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its name, what it prints, its function, and the words it takes."""

    name: str
    help: str
    run: Callable[[argparse.Namespace], int]
    words: tuple[tuple[tuple[str, ...], dict[str, Any]], ...]


def _word(*names: str, **options: Any) -> tuple[tuple[str, ...], dict[str, Any]]:
    return names, options


_FILES = _word("files", nargs="+", type=Path, metavar="FILE", help="files, or folders to read recursively")
_CONFIG = _word("--config", metavar="F", help="a YAML file with settings")
_KEYS = ", ".join(setting.key for setting in settings())
_SET = _word(
    "--set", action="append", default=[], metavar="k=v", help="change one setting (repeatable): " + ", ".join(s.key for s in settings())
)
_WORKSPACE = _word("--workspace", required=True, metavar="DIR", help="the folder of the workspace")
_NAME = _word("--name", metavar="N", help="an index; the newest where left out")

COMMANDS: tuple[Command, ...] = (
    Command("parse", "print each file as a document", _parse, (_FILES,)),
    Command("chunk", "print the chunks of each file", _chunk, (_FILES, _CONFIG, _SET)),
    Command(
        "index",
        "add files to a workspace and index them",
        _index,
        (
            _word("paths", nargs="+", type=Path, metavar="PATH", help="files, or folders to read recursively"),
            _WORKSPACE,
            _NAME,
            _CONFIG,
            _SET,
            _word("--dry-run", action="store_true", help="say what would be done, and do nothing"),
        ),
    ),
    Command(
        "search",
        "search an index",
        _search,
        (
            _word("query", metavar="QUERY"),
            _WORKSPACE,
            _NAME,
            _word("--mode", choices=[mode.value for mode in SearchMode]),
            _word("--k", type=int, help="results"),
            _word("--before", type=int, help="neighbours before each"),
            _word("--after", type=int, help="neighbours after each"),
            _word("--where", action="append", default=[], metavar="k=v", help="only chunks whose field k is v (repeatable)"),
        ),
    ),
    Command(
        "fetch",
        "print a whole document",
        _fetch,
        (_word("doc_id", metavar="DOC_ID"), _WORKSPACE, _NAME, _word("--json", action="store_true", help="its chunks, a line each")),
    ),
    Command("documents", "list the documents of a workspace", _list_documents, (_WORKSPACE,)),
    Command("indexes", "list the indexes of a workspace", _list_indexes, (_WORKSPACE,)),
    Command("delete", "delete documents from a workspace", _delete, (_word("doc_ids", nargs="+", metavar="DOC_ID"), _WORKSPACE)),
)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="chunkscope", description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        sub = commands.add_parser(command.name, help=command.help, description=command.help)
        sub.set_defaults(run=command.run)
        for names, options in command.words:
            sub.add_argument(*names, **options)
    return parser
