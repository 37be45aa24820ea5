"""What a workspace holds as a file to take away: `export`."""

from __future__ import annotations

import argparse
import hashlib
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, BinaryIO, cast

from chunking.cli.evaluation_arguments import margin_of
from chunking.cli.streams import say, write_bytes, write_row
from chunking.export.export_files import replacing
from chunking.export.export_table import Export, Needs, find_export

if TYPE_CHECKING:
    from chunking.export import Material

__all__ = ["export"]

_BLOCK = 1 << 20


def export(arguments: argparse.Namespace) -> int:
    """The file on stdout; with `--out` one object instead: what was written where, its size and its hash."""
    what = find_export(arguments.what)
    material = _material(what, arguments)
    if arguments.out is None:
        with TemporaryFile() as made:  # first as a whole: what fails midway has printed nothing
            what.write(material, cast(BinaryIO, made))
            made.seek(0)
            while block := made.read(_BLOCK):
                write_bytes(block)
        return 0
    place: Path = arguments.out / what.file if arguments.out.is_dir() else arguments.out
    with replacing(place) as file:
        what.write(material, cast(BinaryIO, file))
    write_row({"what": what.name, "file": str(place), "bytes": place.stat().st_size, "sha256": _sha256(place)})
    return 0


def _material(what: Export, arguments: argparse.Namespace) -> Material:
    from chunking.evaluation import Measure, metric_of
    from chunking.export import Text, gather
    from chunking.indexing import staleness
    from chunking.store import Workspace

    workspace = Workspace.open(arguments.workspace, create=False)
    of_index = what.needs is Needs.INDEX
    material = gather(
        workspace,
        index=arguments.name,
        run_keys=arguments.runs,
        wants_index=of_index,
        wants_runs=what.needs in (Needs.RUNS, Needs.QUESTIONS),
        levels=tuple(arguments.levels.split(",")) if arguments.levels else None,
        text=Text(arguments.text),
        vectors=arguments.vectors,
    )
    if arguments.budget is not None:
        material = replace(material, measure=Measure.at_budget(arguments.budget))
    material = replace(material, metric=metric_of(arguments.metric).name, margin=margin_of(arguments))
    if of_index and (stale := staleness(workspace, material.opened.row)):
        say(stale)
    return material


def _sha256(place: Path) -> str:
    with place.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
