"""Workspaces' files as nobody's program writes them: one thing changed in a good file, all hashes and counts true
again.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from chunking.store import Workspace
from chunking.store.workspace_file.archive import MANIFEST, entry_name
from chunking.store.workspace_file.saving import save_workspace

Rows = list[dict[str, Any]]


def saved(workspace: Workspace, path: Path, **options: Any) -> Path:
    """A workspace's file."""
    with path.open("wb") as sink:
        save_workspace(workspace, sink, **options)
    return path


def entries(path: Path) -> dict[str, bytes]:
    """What is in the zip."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(path: Path, contents: Mapping[str, bytes], **options: Any) -> Path:
    """A zip of some entries."""
    with zipfile.ZipFile(path, "w", **options) as archive:
        for name, data in contents.items():
            archive.writestr(name, data)
    return path


def with_manifest(path: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """With another list of contents."""
    contents = entries(path)
    manifest = json.loads(contents[MANIFEST])
    change(manifest)
    return packed(path, {**contents, MANIFEST: json.dumps(manifest).encode()})


def with_stream(path: Path, table: str, data: bytes, *, rows: int | None = None, size: int | None = None) -> Path:
    """With another stream of a table, its hash in the list of contents."""
    contents = entries(path)
    manifest = json.loads(contents[MANIFEST])
    (listed,) = [one for one in manifest["tables"] if one["name"] == table]
    listed |= {"sha256": hashlib.sha256(data).hexdigest()}
    listed |= {key: value for key, value in {"rows": rows, "bytes": size}.items() if value is not None}
    return packed(path, {**contents, entry_name(table): data, MANIFEST: json.dumps(manifest).encode()})


def read_table(path: Path, table: str) -> pa.Table:
    """A table's rows."""
    return pa.ipc.open_stream(pa.decompress(entries(path)[entry_name(table)], _size(path, table), "zstd")).read_all()


def with_table(path: Path, table: str, output: pa.Table, **options: Any) -> Path:
    """With another table."""
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, output.schema, options=pa.ipc.IpcWriteOptions(**options)) as stream:
        stream.write_table(output)
    raw = sink.getvalue()
    return with_stream(path, table, pa.compress(raw, "zstd", asbytes=True), rows=output.num_rows, size=len(raw))


def with_rows(path: Path, table: str, change: Callable[[Rows], object]) -> Path:
    """With other rows in a table."""
    before = read_table(path, table)
    rows = before.to_pylist()
    change(rows)
    return with_table(path, table, pa.Table.from_pylist(rows, schema=before.schema))


def _size(path: Path, table: str) -> int:
    manifest = json.loads(entries(path)[MANIFEST])
    return next(one["bytes"] for one in manifest["tables"] if one["name"] == table)
