"""Commands on a workspace's content (`search`, `fetch`, `documents`, ...), and local `models`."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING

from chunking.cli.commands.files import config_of, pair
from chunking.cli.streams import say, write, write_row
from chunking.config import Config
from chunking.errors import ConfigError, NotFoundError

if TYPE_CHECKING:
    from chunking.store import Workspace

__all__ = ["configurations", "delete", "fetch", "list_documents", "list_indexes", "list_models", "search"]


def search(arguments: argparse.Namespace) -> int:
    """Search an index and print the hits, also by document; `--explain` adds scores and context.

    Without an index, whole documents are searched, each shown by its best matching chunk.
    """
    from chunking import retrieval
    from chunking.indexing import staleness

    where = _where(arguments.where)
    workspace = _open(arguments)
    index = workspace.index(arguments.name) if arguments.name is not None or workspace.indexes() else None
    names = ("mode", "retrieval", "k", "before", "after", "budget", "cut", "trim")
    changes = {f"search.{name}": getattr(arguments, name) for name in names}
    config = Config.from_settings(
        {key: value for key, value in changes.items() if value is not None}, index.config if index else None
    )
    result = retrieval.search(workspace, arguments.query, config.search, index=arguments.name, where=where)
    judged = result.evidence.sentence if result.evidence else ""
    for note in (judged, *result.notes, staleness(workspace, index.row) if index else ""):
        if note:
            say(note)
    siblings = retrieval.siblings_of(workspace, [one.doc_id for one in result.documents])
    write_row((retrieval.explained if arguments.explain else retrieval.to_tool_json)(result, siblings))
    return 0


def _where(pairs: Iterable[str]) -> dict[str, str]:
    from chunking.store import FILTERS

    where: dict[str, str] = {}
    for key, value in (pair(text, "category=api") for text in pairs):
        if key not in (row.key for row in FILTERS):
            raise ConfigError(
                f"There is no filter '{key}'; the filters are {', '.join(row.key for row in FILTERS)}.", where=key
            )
        if key in where:
            raise ConfigError(f"The filter '{key}' was given twice; give it once.", where=key)
        where[key] = value
    return where


def fetch(arguments: argparse.Namespace) -> int:
    """Print a document's text under a two-line header; with `--json`, its chunks in an index."""
    from chunking import retrieval

    workspace = _open(arguments)
    if arguments.json:
        _write_chunks(workspace, arguments.doc_id, arguments.name)
        return 0
    text = retrieval.fetch(workspace, arguments.doc_id, index=arguments.name)
    write(text if text.endswith("\n") else f"{text}\n")
    return 0


def _write_chunks(workspace: Workspace, doc_id: str, name: str | None) -> None:
    from chunking.parsing.outline import chunk_toc
    from chunking.store.chunk_records import chunk_record

    document, of = workspace.document(doc_id), workspace.index(name)
    chunks = of.chunks_of(doc_id)
    if not chunks:
        raise NotFoundError(
            f"The index '{of.name}' does not contain the document '{doc_id}'; build it again, or choose another index.",
            where=doc_id,
        )
    outline = chunk_toc(document.doc_toc)
    for one in chunks:
        write_row(chunk_record(one, doc_toc=outline))


def list_documents(arguments: argparse.Namespace) -> int:
    """Print the documents of a workspace, without their texts, as one object."""
    write_row({"documents": [row.as_record() for row in _open(arguments).documents()]})
    return 0


def list_indexes(arguments: argparse.Namespace) -> int:
    """Print the indexes of a workspace as one object, newest first.

    `built` tells the fallback level of each, and why not a higher one; `stale` why it is out of date, or empty.
    """
    from chunking.indexing import staleness

    workspace = _open(arguments)
    rows = workspace.indexes()
    write_row(
        {
            "indexes": [
                row.as_record() | {"built": asdict(row.built), "stale": staleness(workspace, row)} for row in rows
            ]
        }
    )
    return 0


def list_models(arguments: argparse.Namespace) -> int:
    """Print the embedding models available without a download, as one object."""
    from chunking.embedding.model_list import available_models

    write_row({"models": [model.as_record() for model in available_models()]})
    return 0


def delete(arguments: argparse.Namespace) -> int:
    """Delete documents and the files inside them; print their ids and the number of chunks."""
    workspace = _open(arguments, sole_writer=arguments.sole_writer)
    inner = [row.doc_id for row in workspace.documents() if row.parent_id in arguments.doc_ids]
    doc_ids = list(dict.fromkeys([*arguments.doc_ids, *inner]))
    write_row({"deleted": doc_ids, "chunks": workspace.delete_documents(doc_ids)})
    return 0


def _open(arguments: argparse.Namespace, *, sole_writer: bool = False) -> Workspace:
    from chunking.store import Workspace

    return Workspace.open(arguments.workspace, create=False, sole_writer=sole_writer)


def configurations(arguments: argparse.Namespace) -> int:
    """Save, rename or delete a configuration if asked to; print the saved ones, newest first.

    `settings` of a printed one: those that differ from the defaults.
    """
    from chunking import store

    changes = [name for name in ("save", "rename", "delete") if getattr(arguments, name) is not None]
    if len(changes) > 1:
        raise ConfigError(f"Give either {' or '.join(f'--{name}' for name in changes)}.", where=f"--{changes[1]}")
    if arguments.save is None and (arguments.config or arguments.set or arguments.replace):
        raise ConfigError("--config, --set and --replace need --save; add it with a name.", where="--save")
    workspace = store.Workspace.open(arguments.workspace, create=False)
    if arguments.save is not None:
        name = store.configuration_name(arguments.save)
        there = [one for one in store.saved_configurations(workspace) if one.name == name] if arguments.replace else []
        store.save_configuration(workspace, name, config_of(arguments), replacing=there[0] if there else None)
    if arguments.rename is not None:
        old, new = arguments.rename
        store.rename_configuration(workspace, store.saved_configuration(workspace, old), new)
    if arguments.delete is not None:
        store.delete_configuration(workspace, store.saved_configuration(workspace, arguments.delete))
    write_row({"configurations": [one.as_record() for one in store.saved_configurations(workspace)]})
    return 0
