"""Opening, locking, sharing and damaging a workspace."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking.config import Config
from chunking.errors import AccessError, LockedError, NotFoundError, StoreError
from chunking.model import Document, LeftOut
from chunking.parsing import parse_file
from chunking.store import Index, Right, TextQuery, Workspace
from chunking.store.engine.lance_tables import Tables
from chunking.store.engine.schema import INDEXES
from chunking.store.index.build_record import chunk_fingerprint
from tests.store.indexed import INSTALL, MANUAL, fill
from tests.support import store_rows as made
from tests.support.disks import mounted, remount

ROOT = Path(__file__).parents[2]


def document_with(text: str) -> Document:
    """A document of any text, every field filled."""
    plain = made.document("any", text or "x")
    return replace(
        plain,
        title=text[:20],
        doc_toc=text,
        warnings=(text,),
        left_out=(LeftOut(0, 1, "test"),),
        path_hierarchy=("a", text[:3]),
    )


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """One workspace for all examples of a property."""
    return Workspace.open(tmp_path_factory.mktemp("shared"))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=200))
def test_any_document_comes_back_as_it_was(shared: Workspace, text: str) -> None:
    """NUL, emoji, right-to-left marks and quotes: text, blocks, sections and the rest are equal."""
    document = document_with(text)
    shared.put_document(document)
    assert shared.document("any") == document


@pytest.mark.parametrize("name", ["handbook/operations-handbook.md", "manual-zh/产品使用手册.md", "faq/faq.txt"])
def test_real_documents_come_back_equal(workspace: Workspace, name: str) -> None:
    """Law 5: a stored document has the fingerprint of the one that was parsed, tables, code and questions included."""
    document = parse_file(ROOT / "sample_data" / name, root=ROOT / "sample_data")
    workspace.put_document(document)
    stored = workspace.document(document.doc_id)
    assert stored == document
    assert chunk_fingerprint(Config(), stored) == chunk_fingerprint(Config(), document)


def test_lone_surrogates_keep_offsets(workspace: Workspace) -> None:
    """What no file can hold is replaced one for one, so that spans still fit."""
    workspace.put_document(document_with("a\ud800b"))
    assert workspace.document("any").text == document_with("a\ufffdb").text


def test_documents_are_listed_without_their_texts(workspace: Workspace) -> None:
    """By path, with what a list shows."""
    workspace.put_documents([MANUAL, INSTALL])
    rows = workspace.documents()
    assert [row.source for row in rows] == ["guide/install.md", "guide2/手册.md"]
    assert (rows[0].characters, rows[0].sections, rows[1].language) == (len(INSTALL.text), 1, "zh")
    assert rows[0].as_record()["doc_id"] == "install"


def test_earlier_versions_stay_known(workspace: Workspace) -> None:
    """P8: their hash and date; the same content saved again is no version."""
    versions = [made.document("doc", f"text {n}") for n in range(3)]
    for version in versions:
        workspace.put_document(version)
        workspace.put_document(version)
    (row,) = workspace.documents()
    assert [version.hash for version in row.versions] == [version.hash for version in versions[:2]]
    assert workspace.document("doc").text == versions[2].text


def test_many_documents_are_read_in_the_order_asked(workspace: Workspace) -> None:
    """A few at a time; ids that are not there are left out."""
    documents = [made.document(f"d{n:02}", f"text {n}") for n in range(40)]
    workspace.put_documents(documents)
    expected = [document.doc_id for document in reversed(documents)]
    before = workspace.calls
    assert [document.doc_id for document in workspace.read_documents([*expected, "nobody"])] == expected
    assert workspace.calls - before == 3


def test_sections_have_a_table_of_their_own(workspace: Workspace) -> None:
    """S1: it follows each new version and each deletion."""
    import lancedb

    workspace.put_documents([INSTALL, MANUAL])
    workspace.put_document(replace(INSTALL, sections=()))
    sections = lancedb.connect(workspace.uri).open_table("sections")
    assert {row["doc_id"] for row in sections.to_arrow().to_pylist()} == {"手册"}
    workspace.delete_documents(["手册"])
    assert lancedb.connect(workspace.uri).open_table("sections").count_rows() == 0


def test_a_missing_document_index_or_workspace_is_named(workspace: Workspace, tmp_path: Path) -> None:
    """Document, index, workspace: each says what to do."""
    with pytest.raises(NotFoundError, match="no document 'x'"):
        workspace.document("x")
    with pytest.raises(NotFoundError, match="no index yet"):
        workspace.index()
    fill(workspace, INSTALL)
    with pytest.raises(NotFoundError, match=r"no index 'other'.*main"):
        workspace.index("other")
    with pytest.raises(NotFoundError, match="no workspace at"):
        Workspace.open(tmp_path / "nowhere", create=False)
    assert not (tmp_path / "nowhere").exists()


def test_the_newest_finished_index_is_the_default(workspace: Workspace) -> None:
    """An index that never was complete steps back behind one that was."""
    first = fill(workspace, INSTALL, name="first")
    fill(workspace, INSTALL, name="second")
    assert workspace.index().name == "second"
    workspace.publish(first, replace(first.row, fingerprint="f", state="complete"))
    fill(workspace, INSTALL, name="third")
    assert workspace.index().name == "first"
    assert workspace.index("third").name == "third"


def test_a_new_index_takes_the_old_ones_place(workspace: Workspace, index: Index) -> None:
    """Until it is published the old one answers; then its table is gone, and reading from it says so."""
    sibling = workspace.create_index("main", Config(), model_key="fake@1", dimension=made.DIMENSION)
    assert workspace.index().count() == 5
    workspace.publish(sibling)
    assert workspace.index().count() == 0
    assert len([name for name in workspace._tables.names() if name.startswith("chunks_")]) == 1
    with pytest.raises(StoreError, match=r"built anew|missing"):
        index.count()


def test_dropping_an_index_leaves_the_documents(workspace: Workspace, index: Index) -> None:
    """Its table goes, and its line in the list."""
    workspace.drop_index("main")
    assert workspace.indexes() == []
    assert len(workspace.documents()) == 2
    assert not [name for name in workspace._tables.names() if name.startswith("chunks_")]


def test_tidy_deletes_what_a_killed_run_left(workspace: Workspace, index: Index) -> None:
    """A table that no index lists is not kept for ever; listed ones are."""
    workspace.create_index("main", Config(), model_key="fake@1", dimension=made.DIMENSION)
    workspace.tidy()
    assert [name for name in workspace._tables.names() if name.startswith("chunks_")] == [index.row.table]
    assert index.count() == 5


def test_an_index_list_that_is_known_costs_no_call(workspace: Workspace, index: Index) -> None:
    """Law 8: finding the index adds nothing to a warm search."""
    workspace.index()
    before = workspace.calls
    workspace.index("main")
    assert workspace.calls == before


def test_a_folder_made_anew_is_read_anew(tmp_path: Path) -> None:
    """A workspace rewritten while open: its tables have the same versions but other content."""
    reopened = Workspace.open(tmp_path / "w")
    fill(reopened, INSTALL)
    reopened.runs.put({"a": "1"})
    calls = [row.doc_id for row in reopened.documents()], reopened.version(), reopened.runs.version
    shutil.rmtree(tmp_path / "w")
    fresh = Workspace.open(tmp_path / "w")
    fill(fresh, MANUAL)
    fresh.runs.put({"b": "2"})
    assert calls[0] == ["install"]
    assert [row.doc_id for row in reopened.documents()] == [MANUAL.doc_id]
    assert reopened.index().count() == fresh.index().count()
    assert reopened.version() != calls[1]
    assert reopened.runs.version != calls[2]


def test_readers_see_what_others_write(workspace: Workspace) -> None:
    """Two open workspaces on one folder, as in two processes: no stale reads, of lists or of rows."""
    other = Workspace.open(workspace.uri)
    assert (other.documents(), other.indexes()) == ([], [])
    before = other.version()
    index = fill(workspace, INSTALL)
    assert [row.doc_id for row in other.documents()] == ["install"]
    assert other.index().count() == 3
    assert other.version() != before
    index.remove_document("install")
    assert other.index().text_search(TextQuery("fox"), 3) == []


def test_the_version_follows_every_write(workspace: Workspace, index: Index) -> None:
    """It is a key for caches of what is shown, so reading must not change it."""
    calls = [workspace.version()]
    index.remove_document("install")
    calls.append(workspace.version())
    workspace.put_document(made.document("new", "text"))
    calls.append(workspace.version())
    workspace.drop_index("main")
    calls.append(workspace.version())
    assert len(set(calls)) == 4
    workspace.documents()
    assert workspace.version() == calls[-1]


def test_one_writer_at_a_time(workspace: Workspace) -> None:
    """Another process is told at once; the lock is free again when its holder is gone."""
    script = (
        "import sys; from chunking.store import Workspace\n"
        "with Workspace.open(sys.argv[1]).writer(): print('held', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", script, workspace.uri], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"held"
        with pytest.raises(LockedError, match=r"Another process is writing.*wait"):
            workspace.put_document(INSTALL)
        assert workspace.documents() == []
        holder.kill()
    workspace.put_document(INSTALL)
    with workspace.writer(), workspace.writer():
        workspace.put_document(MANUAL)


def test_a_folder_by_its_uri_is_that_folder(tmp_path: Path) -> None:
    """With its lock, also for who names it by its path."""
    by_uri, by_path = Workspace.open((tmp_path / "my docs").as_uri()), Workspace.open(tmp_path / "my docs")
    assert (by_uri.folder, by_uri.uri) == (by_path.folder, by_path.uri)
    with by_uri.writer(), pytest.raises(LockedError):
        by_path.put_document(INSTALL)
    by_path.put_document(INSTALL)
    assert [row.doc_id for row in by_uri.documents()] == ["install"]
    with pytest.raises(StoreError, match="elsewhere"):
        Workspace.open("file://elsewhere/docs")


def test_a_workspace_in_memory_has_a_lock_among_threads() -> None:
    """It is one object's alone: another of the same name is another workspace, and does not wait for it."""
    memory = Workspace.open("memory://docs")
    fill(memory, INSTALL)
    memory.check()
    calls = memory.seen_by(memory.access)
    with memory.writer(), memory.writer():
        with pytest.raises(LockedError):
            calls.put_document(MANUAL)
        Workspace.open("memory://docs").put_document(MANUAL)
    calls.put_document(MANUAL)
    memory.tidy()
    assert {row.doc_id for row in memory.documents()} == {"install", "手册"}


def test_object_storage_is_read_and_not_written_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless whoever opens it says that nobody else writes. An engine in memory stands for the storage."""
    stored = Workspace.open("memory://docs")
    fill(stored, INSTALL)
    monkeypatch.setattr(Tables, "_connect", lambda tables: stored._tables._db)
    read = Workspace.open("s3://bucket/docs")
    assert read.index().text_search(TextQuery("fox"), 1)[0].chunk.doc_id == "install"
    assert not read.may(Right.WRITE)
    for write in (lambda: read.put_document(MANUAL), lambda: read.runs.put({"a": "{}"}), read.tidy):
        with pytest.raises(AccessError, match="sole_writer"):
            write()
    sole = Workspace.open("s3://bucket/docs", sole_writer=True)
    sole.put_document(MANUAL)
    assert {row.doc_id for row in read.documents()} == {"install", "手册"}


def test_a_file_in_the_place_of_the_folder(tmp_path: Path) -> None:
    """One sentence, not a traceback of the engine."""
    (tmp_path / "file").write_text("x")
    for place in ("file", "file/below"):
        with pytest.raises(StoreError, match="a file is in its place"):
            Workspace.open(tmp_path / place)


@pytest.mark.parametrize("place", ["", " ", "/proc/no/such"])
def test_a_place_where_no_folder_can_be(place: str) -> None:
    """Each says what is wrong with the place, not with the data."""
    with pytest.raises(StoreError, match=r"No workspace was given|another place|read-only|permissions"):
        Workspace.open(place)


def test_a_read_only_disk_can_be_read(tmp_path: Path) -> None:
    """Searching needs no right to write; writing says what is wrong."""
    with mounted(tmp_path / "disk", "size=20m") as disk:
        fill(Workspace.open(disk / "w"), INSTALL)
        remount(disk, "ro")
        workspace = Workspace.open(disk / "w")
        assert workspace.index().text_search(TextQuery("fox"), 3)
        with pytest.raises(StoreError, match="read-only disk"):
            workspace.put_document(MANUAL)
        with pytest.raises(StoreError, match="read-only disk"):
            Workspace.open(disk / "new")


def damage(workspace: Workspace, table: str, kind: str) -> None:
    """Cut the newest file of a kind short."""
    files = Path(workspace.uri, f"{table}.lance").rglob(f"*.{kind}")
    newest = max(files, key=lambda file: file.stat().st_mtime_ns)
    newest.write_bytes(newest.read_bytes()[:7])


@pytest.mark.parametrize("kind", ["manifest", "lance"])
def test_damage_is_a_sentence(workspace: Workspace, index: Index, kind: str) -> None:
    """A file that is cut short is told as such; what does not need it still works."""
    damage(workspace, index.row.table, kind)
    reopened = Workspace.open(workspace.uri)
    assert len(reopened.documents()) == 2
    with pytest.raises(StoreError, match=r"failed while .* damaged .*index the documents into a new one"):
        reopened.index().chunks_of("install")


def test_settings_of_another_version_leave_the_workspace_usable(workspace: Workspace, index: Index) -> None:
    """A setting this version does not know is left out: documents can be deleted, the index searched and dropped."""
    table = workspace._tables.table(INDEXES)
    assert table is not None
    config = (
        index.config.to_yaml().replace(
            f"size: {index.config.chunk.size}", "size: 300\n  of_the_future: 1\n  strategy: unknown"
        )
        + "\nfuture:\n  x: 1\n"
    )
    table.update(where="name = 'main'", values={"config": config})
    (row,) = workspace.indexes()
    assert (row.config.chunk.size, row.config.chunk.strategy) == (300, index.config.chunk.strategy)
    assert not row.has_rows_of(row.config)
    assert workspace.index().text_search(TextQuery("fox"), 3)
    assert workspace.delete_documents(["install"]) == 3
    workspace.drop_index("main")
    assert workspace.indexes() == []


def test_tables_that_another_process_replaced_are_closed(workspace: Workspace, index: Index) -> None:
    """A server that runs for months while a worker rebuilds its index keeps no table open that is gone."""
    other = Workspace.open(workspace.uri)
    for _ in range(3):
        fill(other, INSTALL)
        assert workspace.index().text_search(TextQuery("fox"), 3)
    assert sum(name.startswith("chunks_") for name in workspace._tables._open) == 1


def test_a_folder_that_is_moved_away_is_reported_once(workspace: Workspace, index: Index, tmp_path: Path) -> None:
    """The open workspace says so and starts afresh, the moved folder opens as it was."""
    moved = Path(workspace.uri).rename(tmp_path / "moved")
    with pytest.raises(NotFoundError, match="try again"):
        workspace.documents()
    assert workspace.documents() == []
    assert Workspace.open(moved).index().text_search(TextQuery("fox"), 3)


def test_a_table_of_another_version_is_reported(workspace: Workspace) -> None:
    """A column that is missing is no damage."""
    import lancedb

    lancedb.connect(workspace.uri).create_table("documents", [{"doc_id": "x"}])
    with pytest.raises(StoreError, match="another version of Chunkscope"):
        workspace.documents()
