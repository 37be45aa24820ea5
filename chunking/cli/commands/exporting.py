"""The command `export`: a workspace's configuration, chunks, code or results as a file."""

from __future__ import annotations

import argparse
import codecs
import hashlib
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, BinaryIO, cast

from chunking.cli.commands.evaluation_arguments import margin_of
from chunking.cli.streams import is_terminal, say, show_progress, write, write_bytes, write_row
from chunking.errors import ConfigError
from chunking.export.export_files import replacing
from chunking.export.export_table import Export, ExportNeeds, find_export

if TYPE_CHECKING:
    from chunking.export import Material

__all__ = ["export"]

_BLOCK = 1 << 20


def export(arguments: argparse.Namespace) -> int:
    """Write an export to stdout; with `--out` to a file, and print its path, size and hash."""
    what = find_export(arguments.what)
    material = replace(_material(what, arguments), on_progress=_watch)
    if arguments.out is None:
        with TemporaryFile() as buffer:  # first as a whole: what fails midway has printed nothing
            what.write(material, cast(BinaryIO, buffer))
            buffer.seek(0)
            _copy_to_stdout(buffer, what)
        return 0
    place: Path = arguments.out / what.file if arguments.out.is_dir() else arguments.out
    with replacing(place) as file:
        what.write(material, cast(BinaryIO, file))
    write_row({"what": what.name, "file": str(place), "bytes": place.stat().st_size, "sha256": _sha256(place)})
    return 0


def _watch(done: int, every: int) -> None:
    show_progress(done, every, "chunks", "writing")


def _copy_to_stdout(file: IO[bytes], what: Export) -> None:
    """Copy a file to stdout: its bytes, or on a terminal its text without control characters.

    Raises:
        ConfigError: it is no text, and stdout is a terminal.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace") if is_terminal() else None
    while block := file.read(_BLOCK):
        if decoder is None:
            write_bytes(block)
        elif b"\0" in block:
            raise ConfigError(
                f"The export {what.name} is binary; write it to a file with --out {what.file}.", where="--out"
            )
        else:
            write(decoder.decode(block))


def _material(what: Export, arguments: argparse.Namespace) -> Material:
    from chunking.evaluation import Measure, metric_of
    from chunking.export import PageContent, gather
    from chunking.indexing import staleness
    from chunking.store import Workspace

    if arguments.documents and what.every_level is None:
        raise ConfigError(
            f"The export {what.name} has no chunks to choose by documents; leave out --documents.", where="--documents"
        )
    workspace = Workspace.open(arguments.workspace, create=False)
    of_index = what.needs is ExportNeeds.INDEX
    material = gather(
        workspace,
        index=arguments.name,
        run_keys=arguments.runs,
        wants_index=of_index,
        wants_runs=what.needs in (ExportNeeds.RUNS, ExportNeeds.QUESTIONS),
        levels=tuple(arguments.levels.split(",")) if arguments.levels else None,
        text=PageContent(arguments.text),
        vectors=arguments.vectors,
    )
    if arguments.budget is not None:
        material = replace(material, measure=Measure.at_budget(arguments.budget))
    material = replace(
        material,
        metric=metric_of(arguments.metric).name,
        margin=margin_of(arguments),
        only=tuple(arguments.documents),
        sample=tuple(arguments.sample),
    )
    if of_index and (stale := staleness(workspace, material.required_index.row)):
        say(stale)
    return material


def _sha256(place: Path) -> str:
    with place.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
