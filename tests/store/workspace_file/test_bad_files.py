"""Files that a stranger made: each is refused in one sentence, and nothing of it is left."""

from __future__ import annotations

import hashlib
import io
import json
import struct
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from chunking.config import Config
from chunking.errors import WorkspaceFileError
from chunking.store import Workspace
from chunking.store.index.build_record import index_fingerprint
from chunking.store.workspace_file.archive import MANIFEST, FileLimits, entry_name
from chunking.store.workspace_file.opening import open_workspace_file
from tests.store.indexed import INSTALL, MANUAL
from tests.store.workspace_file import forged
from tests.support import store_rows as made

DOCUMENTS, CHUNKS = entry_name("documents"), entry_name("chunks_0")


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A small workspace's file."""
    folder = tmp_path_factory.mktemp("good")
    workspace = Workspace.open(folder / "workspace")
    with workspace.writer():
        workspace.put_documents([INSTALL, MANUAL], {})
        index = workspace.create_index("main", Config(), model_key="fake@1", dimension=made.DIMENSION)
        for document in (INSTALL, MANUAL):
            rows = made.chunks(document)
            index.replace_document(document, rows, made.vectors(rows), f"{document.doc_id}")
        fingerprint = index_fingerprint(["install", "手册"])
        workspace.publish(index, replace(index.row, state="complete", fingerprint=fingerprint, documents=2, chunks=5))
    workspace.put_file(hashlib.sha256(b"x").hexdigest(), b"x")
    workspace.changes.append("install", "pins", [{"kind": "split"}])
    workspace.question_sets.put({"a": "{}"})
    workspace.vectors.put({"key": made.vector("x")})
    workspace.encodings.put("key", b"data")
    workspace.texts.put({"key": "text"}, "m")
    return forged.saved(workspace, folder / "good.chunkscope").read_bytes()


@pytest.fixture
def path(good: bytes, tmp_path: Path) -> Path:
    """That file, to be changed."""
    path = tmp_path / "file.chunkscope"
    path.write_bytes(good)
    return path


def refused(path: Path, match: str | None = None, **limits: Any) -> str:
    """Opening it fails with one sentence, and leaves nothing."""
    there = sorted(path.parent.iterdir())
    with pytest.raises(WorkspaceFileError, match=match) as caught:
        open_workspace_file(path, path.parent / "opened", limits=FileLimits(**limits))
    assert sorted(path.parent.iterdir()) == there
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 400
    return message


def test_the_good_one_opens(path: Path) -> None:
    """What is refused below is refused for what was changed."""
    result = open_workspace_file(path, path.parent / "opened")
    assert result.documents == 2
    assert Workspace.open(result.folder).index().count() == 5


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.6, 0.95, 0.9999])
def test_a_part_of_a_file(path: Path, share: float) -> None:
    """Cut short anywhere."""
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    refused(path)


@pytest.mark.parametrize("data", [b"", b"PK", b"no zip at all" * 100, b"\x89PNG" + bytes(1000)])
def test_a_file_of_another_kind_is_refused(path: Path, data: bytes) -> None:
    """It says that it is none."""
    path.write_bytes(data)
    refused(path)


def test_a_missing_file(tmp_path: Path) -> None:
    """The sentence names it."""
    assert "missing.chunkscope" in refused(tmp_path / "missing.chunkscope")


def test_a_bit_that_flipped(path: Path) -> None:
    """In any entry: hashes tell."""
    with zipfile.ZipFile(path) as archive:
        places = {entry.filename: entry.header_offset + entry.file_size // 2 for entry in archive.infolist()}
    full = path.read_bytes()
    for place in places.values():
        data = bytearray(full)
        data[place + 60] ^= 4
        path.write_bytes(data)
        refused(path)


@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "/etc/evil",
        "C:\\evil",
        "documents.lance/data/1.lance",
        "documents.arrow.zst/",
        "sections.arrow.zst",
        "a\x1b[31m\n\u202eb",
        "x" * 5_000,
    ],
)
def test_a_name_that_is_not_ours(path: Path, name: str) -> None:
    """Nothing is unpacked by a name, and none but ours is let pass."""
    refused(forged.packed(path, {**forged.entries(path), name: b"x"}))


def test_an_entry_without_a_name(path: Path) -> None:
    """No zip program writes one: the letter of its name becomes part of the entry's extra field."""
    data = bytearray(forged.packed(path, {**forged.entries(path), "q": b"x"}).read_bytes())
    entry = data.rindex(b"PK\x01\x02")
    data[entry + 28 : entry + 32] = struct.pack("<HH", 0, 1)
    path.write_bytes(data)
    refused(path)


def test_a_symbolic_link(path: Path) -> None:
    """In the place of a table."""
    contents = forged.entries(path)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in contents.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (0o120777 if name == DOCUMENTS else 0o100644) << 16
            archive.writestr(entry, data)
    refused(path, "documents")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_entries_of_one_name_are_refused(path: Path) -> None:
    """Nobody knows which is meant."""
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(DOCUMENTS, b"another")
    refused(path)


def test_a_compressed_entry_is_refused(path: Path) -> None:
    """A zip within the zip's own compression grows as it likes: none is used here."""
    refused(forged.packed(path, forged.entries(path), compression=zipfile.ZIP_DEFLATED))


def test_locked_with_a_password(path: Path) -> None:
    """The flag alone: without the password nobody can look."""
    data = path.read_bytes()
    at = data.index(b"PK\x01\x02")
    path.write_bytes(data[: at + 8] + b"\x01\x00" + data[at + 10 :])
    refused(path)


def test_entries_over_one_another(path: Path) -> None:
    """One entry's bytes used for others: small, and large once read."""
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        large = max(archive.infolist(), key=lambda entry: entry.file_size)
        count = len(archive.infolist())
    at = 0
    for _ in range(count):
        at = data.index(b"PK\x01\x02", at) + 4
        data[at + 16 : at + 24] = struct.pack("<II", large.file_size, large.file_size)
    path.write_bytes(data)
    refused(path)


def test_a_list_of_a_million_entries(path: Path) -> None:
    """It is not read: the zip's end says how long it is."""
    data = path.read_bytes()
    path.write_bytes(data[:-10] + struct.pack("<I", 50_000_000) + data[-6:])
    refused(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda manifest: manifest.clear(),
        lambda manifest: manifest.pop("tables"),
        lambda manifest: manifest.update(tables=5),
        lambda manifest: manifest.update(tables=[None]),
        lambda manifest: manifest["tables"].append(dict(manifest["tables"][0])),
        lambda manifest: manifest["tables"][0].update(name="secrets"),
        lambda manifest: manifest["tables"][0].update(name="chunks_7"),
        lambda manifest: manifest["tables"][0].update(rows=-1),
        lambda manifest: manifest["tables"][0].update(rows=1),
        lambda manifest: manifest["tables"][0].update(rows=True),
        lambda manifest: manifest["tables"][0].update(bytes=2**62),
        lambda manifest: manifest["tables"][0].update(bytes=100),
        lambda manifest: manifest["tables"][0].update(sha256="0" * 64),
        lambda manifest: manifest["tables"].pop(),
        lambda manifest: manifest["indexes"][0].update(fingerprint="0" * 16),
        lambda manifest: manifest["indexes"][0].update(dimension=0),
        lambda manifest: manifest["indexes"].clear(),
        lambda manifest: manifest.update(indexes=[{"name": "n", "fingerprint": "", "dimension": 1}] * 5_000),
        lambda manifest: manifest.update(versions={"x": "y" * 5_000}),
    ],
    ids=range(19),
)
def test_a_list_of_contents_that_lies(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """It is held against what is there."""
    refused(forged.with_manifest(path, change))


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, '{"chunkscope_workspace": ', "{}", "[]", '{"chunkscope_workspace": 1e999}', "\ud800", "9" * 10_000],
)
def test_an_invalid_manifest_is_refused(path: Path, text: str) -> None:
    """Deep, endless, or something else."""
    refused(forged.packed(path, {**forged.entries(path), MANIFEST: text.encode("utf-8", "surrogatepass")}))


def test_a_later_version(path: Path) -> None:
    """Both versions are named."""
    message = refused(forged.with_manifest(path, lambda manifest: manifest.update(chunkscope_workspace=2)))
    assert "2" in message


@pytest.mark.parametrize("limit", [{"file_bytes": 1_000}, {"bytes": 1_000}, {"rows": 1}, {"batch_bytes": 100}])
def test_over_a_limit(path: Path, limit: dict[str, int]) -> None:
    """Each is one that the operator can set."""
    refused(path, **limit)


def test_a_compressed_bomb_is_refused(path: Path) -> None:
    """A gigabyte in a few kilobytes, said or not."""
    bomb = pa.compress(bytes(20 * 2**20), "zstd", asbytes=True)
    refused(forged.with_stream(path, "documents", bomb, size=20 * 2**20), "500")
    refused(forged.with_stream(path, "documents", bomb))


def stream_of(schema: pa.Schema, rows: int) -> pa.Table:
    """Rows of anything."""
    return pa.Table.from_arrays([pa.nulls(rows, field.type) for field in schema], schema=schema)


def test_a_table_of_other_columns_is_refused(path: Path) -> None:
    """More, fewer, of another type, or with words of their own."""
    there = forged.read_table(path, "documents")
    text = there.schema.get_field_index("text")
    for other in (
        there.append_column("more", pa.nulls(2, pa.string())),
        there.drop_columns(["text"]),
        there.set_column(text, "text", there["text"].dictionary_encode()),
        there.set_column(text, "text", there["text"].cast(pa.large_string())),
        there.set_column(text, "text", there["text"].cast(pa.string_view())),
        there.replace_schema_metadata({"ARROW:extension:name": "x"}),
        stream_of(pa.schema([("a", pa.null())]), 10),
    ):
        refused(forged.with_table(path, "documents", other))


def test_a_compressed_table_is_refused(path: Path) -> None:
    """What it would grow to, nobody knows before."""
    refused(forged.with_table(path, "documents", forged.read_table(path, "documents"), compression="zstd"))


def test_offsets_that_lead_elsewhere(path: Path) -> None:
    """A text that begins behind its end, or outside of all: Arrow would not write it."""
    there = forged.read_table(path, "documents")
    columns = [column.combine_chunks() for column in there.columns]
    true = struct.pack("<3i", 0, 1, 3)
    columns[there.schema.get_field_index("text")] = pa.array(["a", "bc"])
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, there.schema) as stream:
        stream.write_batch(pa.RecordBatch.from_arrays(columns, schema=there.schema))
    raw = sink.getvalue()
    assert true in raw
    for offsets in ((0, 2**30, 2**30), (0, -5, 3), (0, 3, 2)):
        wrong = pa.compress(raw.replace(true, struct.pack("<3i", *offsets)), "zstd", asbytes=True)
        refused(forged.with_stream(path, "documents", wrong, size=len(raw)))


def _row(table: str, number: int = 0, /, **values: Any) -> tuple[str, Callable[[forged.Rows], object]]:
    return table, lambda rows: rows[number].update(values)


def _block(**values: Any) -> str:
    block = {
        "kind": "paragraph",
        "start": 0,
        "end": 3,
        "level": None,
        "line": 1,
        "page": None,
        "bbox": None,
        "meta": {},
    } | values
    return json.dumps([list(block.values())])


def _parents(sections: str, parents: list[int]) -> str:
    """The same sections, or the first one again, each under the one of that number."""
    reference = json.loads(sections)
    output = [
        dict(reference[min(number, len(reference) - 1)], section_id=f"s{number}") for number in range(len(parents))
    ]
    return json.dumps([one | {"parent_id": f"s{parent}"} for one, parent in zip(output, parents, strict=True)])


def _clusters(like: dict[str, Any], children: dict[str, list[str]]) -> forged.Rows:
    """Rows of clusters with these ids and children."""
    nowhere = {"doc_id": "", "level": "cluster", "content": "", "start": 0, "end": 0, "summary": "All of it."}
    return [{**like, **nowhere, "id": name, "children": below} for name, below in children.items()]


_DEEP: Any = json.loads("[" * 150 + "]" * 150)
"""Read here without an error, and not where more of the program stands around the reader."""

WRONG: dict[str, tuple[str, Callable[[forged.Rows], object]]] = {
    "no id": _row("documents", doc_id=""),
    "one id twice": _row("documents", doc_id="手册"),
    "a path that leads out": _row("documents", source="../../etc/passwd"),
    "an absolute path": _row("documents", source="/etc/passwd"),
    "a path with marks": _row("documents", source="a\u202eb.md"),
    "a column that is empty": _row("documents", text=None),
    "blocks that are no JSON": _row("documents", blocks="[["),
    "blocks that are deep": _row("documents", blocks="[" * 100_000),
    "a block whose facts are deep": _row("documents", blocks=_block(meta={"a": _DEEP})),
    "blocks of no type": _row("documents", blocks='[["x", 0, 1, null, null, null, null, {}]]'),
    "block: outside": _row("documents", blocks=_block(end=10**6)),
    "a block that ends before it begins": _row("documents", blocks=_block(start=5, end=2)),
    "a block at half a character": _row("documents", blocks=_block(start=0.5)),
    "box: not finite": _row("documents", blocks=_block(bbox=[0, 0, 1, float("nan")])),
    "a box of words": _row("documents", blocks=_block(bbox=["a", "b", "c", "d"])),
    "section: parent unknown": (
        "documents",
        lambda rows: rows[0].update(sections=rows[0]["sections"].replace('"parent_id":null', '"parent_id":"x"')),
    ),
    "a section that stands in itself": (
        "documents",
        lambda rows: rows[0].update(sections=_parents(rows[0]["sections"], [0])),
    ),
    "sections that stand in each other": (
        "documents",
        lambda rows: rows[0].update(sections=_parents(rows[0]["sections"], [1, 0])),
    ),
    "a cluster in itself": ("chunks_0", lambda rows: rows.extend(_clusters(rows[0], {"a": ["a"]}))),
    "clusters in a circle": (
        "chunks_0",
        lambda rows: rows.extend(_clusters(rows[0], {"a": ["b"], "b": ["c"], "c": ["a"]})),
    ),
    "a thousand levels of clusters": (
        "chunks_0",
        lambda rows: rows.extend(_clusters(rows[0], {f"k{number}": [f"k{number + 1}"] for number in range(1_000)})),
    ),
    "a section with more": (
        "documents",
        lambda rows: rows[0].update(sections=rows[0]["sections"].replace("{", '{"more":1,')),
    ),
    "left out outside of its text": _row("documents", left_out='[{"start": 0, "end": 1000000, "reason": ""}]'),
    "locations that are other bytes": _row("documents", locations=b"12345"),
    "places outside of the text": _row("documents", locations=struct.pack("<3i4d", 0, 10**6, 1, 0, 0, 1, 1)),
    "another length": _row("documents", characters=5),
    "versions that are none": _row("documents", versions='[{"x": 1}]'),
    "hash: not hex": _row("documents", hash="../../x"),
    "a pin of no kind": _row("documents", pins='[["x", 0, 1, ""]]'),
    "another file than its hash": _row("files", data=b"y"),
    "change: kind": _row("changes", kind="x", key="x/install"),
    "change: document": _row("changes", doc_id="手册"),
    "a change that is no JSON": _row("changes", data="{"),
    "a change without steps": _row("changes", data="{}"),
    "a change that is not what it says": _row("changes", digest="0" * 16),
    "record: kind": _row("kept", kind="x", key="x/a"),
    "a record that is no JSON": _row("kept", data="{"),
    "a record that is deep": _row("kept", data=json.dumps(_DEEP)),
    "a saved embedding that is none": _row("embeddings", vector=[float("nan")]),
    "a saved embedding without numbers": _row("embeddings", vector=[]),
    "an encoding of another size": _row("encodings", size=1),
    "a text without a key": _row("written", key=""),
    "settings that are none": _row("indexes", config="- a"),
    "settings that refer to themselves": _row("indexes", config="a: &a [x]\nb: [*a, *a]"),
    "settings that are no YAML": _row("indexes", config="{? [a, b] : 1}"),
    "settings that name a program": _row("indexes", config="!!python/object/apply:os.system [id]"),
    "settings that are deep": _row("indexes", config="{a: " * 3_000),
    "settings that are long": _row("indexes", config="# " + "x" * 200_000),
    "an index of no state": _row("indexes", state="x"),
    "an index of no name": _row("indexes", name=""),
    "an index of another table": _row("indexes", table="documents"),
    "an index of another dimension": _row("indexes", dimension=9),
    "an index that was built otherwise": _row("indexes", built='{"ran": "x"}'),
    "an index of another size": _row("indexes", chunks=99),
    "an index with another fingerprint": _row("indexes", fingerprint="0" * 16),
    "a chunk of no document": _row("chunks_0", doc_id="gone"),
    "chunk: id twice": _row("chunks_0", id="install_chunk1"),
    "a chunk of no level": _row("chunks_0", level="x"),
    "a chunk that ends before it begins": _row("chunks_0", start=5, end=2),
    "chunk: another place": _row("chunks_0", start=3, end=9),
    "a chunk with other words": _row("chunks_0", content="Run something else."),
    "a chunk with a flag that is none": _row("chunks_0", flags=["x"]),
    "a chunk with metadata that is none": _row("chunks_0", metadata="[]"),
    "a chunk with metadata that is deep": _row("chunks_0", metadata=json.dumps({"a": _DEEP})),
    "a chunk with a box that is none": _row("chunks_0", bboxes="[[0, 0]]"),
    "a chunk with another document's fingerprint": _row("chunks_0", doc_fingerprint="x"),
    "vector: infinite": _row("chunks_0", vector=[float("inf")] * made.DIMENSION),
    "vector: too long": _row("chunks_0", vector=[1.0] * made.DIMENSION),
    "a vector of zeros": _row("chunks_0", vector=[0.0] * made.DIMENSION),
}
"""A table and what was changed in its rows."""


@pytest.mark.parametrize("what", WRONG)
def test_rows_that_nobody_wrote(path: Path, what: str) -> None:
    """One value is wrong: the whole file is refused."""
    table, change = WRONG[what]
    refused(forged.with_rows(path, table, change))


def test_clusters_over_one_another_open(path: Path) -> None:
    """The tree that the rows above are made from, without their fault."""
    tree = {"a": ["b", "c"], "b": ["c", "install_chunk0"], "c": ["install_chunk1"]}
    forged.with_rows(path, "chunks_0", lambda rows: rows.extend(_clusters(rows[0], tree)))
    assert open_workspace_file(path, path.parent / "opened").documents == 2


def _with_large_end(data: bytes, *, length: int, at: int | None = None) -> bytes:
    """The same zip with the record of a large one before its end, which says its list of entries is so long."""
    body, end = data[:-22], data[-22:]
    entries, start = struct.unpack("<H", end[10:12])[0], struct.unpack("<I", end[16:20])[0]
    record = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, entries, entries, length, start)
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, len(body) if at is None else at, 1)
    return body + record + locator + end


def test_a_large_zips_record_that_says_otherwise(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound counts for the record that will be used, though the end of the zip names small numbers."""
    data = path.read_bytes()
    length = struct.unpack("<I", data[-10:-6])[0]
    path.write_bytes(_with_large_end(data, length=length))
    assert open_workspace_file(path, path.parent / "opened").documents == 2
    monkeypatch.setattr(
        "chunking.store.workspace_file.archive.zipfile.ZipFile", lambda *_: pytest.fail("the list was read")
    )
    for forged_end in (_with_large_end(data, length=1 << 40), _with_large_end(data, length=length, at=0)):
        path.write_bytes(forged_end)
        with pytest.raises(WorkspaceFileError):
            open_workspace_file(path, path.parent / "again")
