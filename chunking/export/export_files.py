"""Exports written to files atomically."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, TYPE_CHECKING, BinaryIO, cast

from chunking.errors import ChunkscopeError
from chunking.paths import AnyPath

if TYPE_CHECKING:
    from chunking.store import Workspace

__all__ = ["export_file", "replacing"]


def export_file(
    workspace: Workspace,
    name: str,
    path: AnyPath,
    *,
    index: str | None = None,
    runs: Sequence[str] = (),
    levels: Sequence[str] = (),
    vectors: bool = False,
    sample: Sequence[str] = (),
) -> Path:
    """Write an export of a workspace, such as its chunks or the report, to a file, atomically.

    Args:
        name: of the export, such as `chunks-jsonl`, `config` or `report` (`export.EXPORTS` lists them).
        path: the file; or a folder, in which it gets its usual name.
        index: name of the index; None: the newest.
        runs: keys of runs, or how they begin; none: all on the questions of the newest run that would come out the same
            now.
        levels: levels of chunks; empty: the format's default.
        vectors: add them to Parquet.
        sample: sources of the documents in a cluster job's sample; empty: the first few.
    Returns:
        The file.
    Raises:
        ConfigError: there is no such export, or the index has no such level.
        NotFoundError, QuestionError: the workspace lacks the export's input.
        ChunkscopeError: the file cannot be written; an existing file is unchanged.
    """
    from chunking.export.export_job import gather
    from chunking.export.export_table import ExportNeeds, find_export

    what = find_export(name)
    material = gather(
        workspace,
        index=index,
        run_keys=runs,
        wants_index=what.needs is ExportNeeds.INDEX,
        wants_runs=what.needs in (ExportNeeds.RUNS, ExportNeeds.QUESTIONS),
        levels=tuple(levels) or None,
        vectors=vectors,
    )
    material = replace(material, sample=tuple(sample))
    place = Path(path)
    place = place / what.file if place.is_dir() else place
    with replacing(place) as file:
        what.write(material, cast(BinaryIO, file))
    return place


@contextmanager
def replacing(place: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces a target file once it is complete.

    Raises:
        ChunkscopeError: the file cannot be written; an existing file is unchanged.
    """
    temporary: str | None = None
    try:
        with NamedTemporaryFile(dir=place.parent, prefix=f".{place.name[:40]}.", delete=False) as file:
            temporary = file.name
            yield file
        with suppress(OSError):  # as any file of this user's; a temporary one is for its owner's eyes only
            shutil.copymode(place, temporary) if place.exists() else os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, place)
        temporary = None
    except ChunkscopeError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise ChunkscopeError(
            f"The file {place} cannot be written ({reason}); free some space, or name another place."
        ) from error
    finally:
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
