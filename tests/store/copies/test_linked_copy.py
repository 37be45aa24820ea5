"""A workspace linked to a second folder: neither ever changes the other's bytes."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from chunking.errors import LockedError, StoreError
from chunking.store import Index, Workspace
from chunking.store.copies import linked_copy as copying
from chunking.store.copies.linked_copy import linked_copy
from chunking.store.copies.workspace_files import folder_bytes, is_workspace, own_bytes, workspace_files
from chunking.store.engine import table_upkeep
from chunking.store.index.build_record import BuildReport
from chunking.store.scratch_folder import TRIALS, ScratchFolder
from tests.store.indexed import INSTALL, fill
from tests.support import store_rows as made


def hashes(folder: str | Path) -> dict[str, str]:
    """Every file of a folder but its locks, with what is in it."""
    files = [file for file in workspace_files(folder) if not file.path.endswith(".lock")]
    return {file.path: hashlib.sha256(Path(file.entry.path).read_bytes()).hexdigest() for file in files}


def work_in(workspace: Workspace) -> None:
    """Everything that writes: documents, changes, records, caches, history, a build, a deletion, and tidying that
    clears all away.
    """
    other = made.document("other", "One.", "Two.")
    fill(workspace, other, name="other")
    workspace.delete_documents(["install"])
    workspace.changes.append("手册", "pins", [{"kind": "split"}])
    workspace.question_sets.put({"a": "{}"})
    workspace.search_history.add("fox")
    workspace.texts.put({"key": "text"}, "m")
    workspace.vectors.put({"key": made.vector("x")})
    workspace.encodings.put("key", b"data")
    fill(workspace, made.document("third", "Three."))
    with workspace.writer():
        workspace.index("main").optimize()
    workspace.drop_index("other")
    workspace.tidy()


@pytest.fixture
def thorough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tidying clears all old versions away, not only those of minutes ago."""
    monkeypatch.setattr(table_upkeep, "_OLD", timedelta(0))


@pytest.mark.filterwarnings("ignore:optimize.cleanup_older_than=0")
@pytest.mark.usefixtures("thorough")
@pytest.mark.parametrize("of_copy", [True, False], ids=["work in the copy", "work in the original"])
def test_neither_changes_the_other(index: Index, workspace: Workspace, tmp_path: Path, of_copy: bool) -> None:
    """Whatever is done in one, every byte of the other stays, and it still answers."""
    workspace.search_history.add("quick")
    linked_copy(workspace, tmp_path / "copy")
    copy = Workspace.open(tmp_path / "copy", create=False)
    worked, other = (copy, workspace) if of_copy else (workspace, copy)
    before = hashes(other.uri)
    work_in(worked)
    assert hashes(other.uri) == before
    assert [row.doc_id for row in other.documents()] == ["install", "手册"]
    assert other.index().vector_search(made.vector("x"), 9) != []
    assert {row.doc_id for row in worked.documents()} == {"手册", "other", "third"}


def test_a_linked_copy_costs_no_bytes(index: Index, workspace: Workspace, tmp_path: Path) -> None:
    """What is its own are the hints at the newest versions and the form's; later what was written in it."""
    result = linked_copy(workspace, tmp_path / "copy")
    tables = len(workspace.table_stamps())
    assert (result.copied, result.looks, result.reason) == (tables + 1, 1, "")
    assert result.copied_bytes < 20 * tables + 30
    assert own_bytes(result.folder) == result.copied_bytes
    assert folder_bytes(result.folder) == result.linked_bytes + result.copied_bytes
    assert not list(result.folder.rglob("*.lock"))
    copy = Workspace.open(result.folder)
    copy.put_document(made.document("other", "One."))
    assert own_bytes(copy.uri) > result.copied_bytes


def test_its_cost_does_not_grow_with_what_is_in_it(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link a file, and as many files for a large document as for a small one."""
    linked: list[str] = []
    link = os.link
    monkeypatch.setattr(os, "link", lambda *names, **options: (linked.append(names[0]), link(*names, **options)))
    counts = []
    for number, paragraphs in enumerate((1, 300)):
        one = Workspace.open(tmp_path / f"workspace{number}")
        fill(one, made.document("d", *["A paragraph."] * paragraphs))
        linked.clear()
        calls = one.calls
        linked_copy(one, tmp_path / f"copy{number}")
        counts.append((len(set(linked)), one.calls - calls))
    assert counts[0] == counts[1]
    assert counts[0][1] <= 1


@pytest.mark.parametrize("times", [1, 3])
def test_what_is_written_meanwhile_is_linked_again(
    index: Index, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """The copy is one state of all tables together, not some of before and some of after."""
    left = [times]

    def written(name: str) -> Callable[[], None]:
        return lambda: workspace.put_document(made.document(name, "New."))

    table = copying._Copier.copy_table

    def meanwhile(self: copying._Copier, name: str) -> None:
        table(self, name)
        if name == "sections" and left[0]:
            written(f"new{left[0]}")()
            left[0] -= 1

    monkeypatch.setattr(copying._Copier, "copy_table", meanwhile)
    result = linked_copy(workspace, tmp_path / "copy")
    copy = Workspace.open(result.folder)
    assert result.looks == times + 1
    assert hashes(copy.uri).keys() == hashes(workspace.uri).keys()
    assert [row.doc_id for row in copy.documents()] == [row.doc_id for row in workspace.documents()]


def once_taken(monkeypatch: pytest.MonkeyPatch, of: str, write: Callable[[], object], times: int = 1) -> None:
    """Write to the workspace when a table was taken, the first times."""
    table, left = copying._Copier.copy_table, [times]

    def meanwhile(self: copying._Copier, name: str) -> None:
        table(self, name)
        if name == of and left[0]:
            left[0] -= 1
            write()

    monkeypatch.setattr(copying._Copier, "copy_table", meanwhile)


@pytest.mark.parametrize("link", [True, False])
def test_what_was_taken_is_not_taken_again(
    index: Index, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, link: bool
) -> None:
    """Of a table that is written to meanwhile what has come since, and the one small file that is written in its place:
    no gigabytes, 50 times."""
    numbers, chosen = iter(range(3)), Counter[str]()
    once_taken(
        monkeypatch, "sections", lambda: workspace.put_document(made.document(f"new{next(numbers)}", "New.")), times=3
    )
    for module, name in ((os, "link"), (shutil, "copyfile")):
        put = getattr(module, name)
        monkeypatch.setattr(
            module,
            name,
            lambda source, target, put=put, **options: (put(source, target, **options), chosen.update([str(source)])),
        )
    result = linked_copy(workspace, tmp_path / "copy", link=link)
    assert result.looks == 4
    assert {Path(source).name for source, times in chosen.items() if times > 1} == {"latest_version_hint.json"}
    assert hashes(result.folder) == hashes(workspace.uri)


@pytest.mark.filterwarnings("ignore:optimize.cleanup_older_than=0")
@pytest.mark.usefixtures("thorough")
@pytest.mark.parametrize("link", [True, False])
@pytest.mark.parametrize("change", ["made anew", "tidied"])
def test_what_is_gone_meanwhile_is_not_in_it(
    index: Index, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, link: bool, change: str
) -> None:
    """Nor the files of a table that was deleted and made anew under its name, whose versions have the same names and as
    many bytes.
    """
    for query in ("before", "second"):
        workspace.search_history.add(query)

    def write() -> None:
        if change == "made anew":
            workspace.search_history.clear()
            workspace.search_history.add("behind")
        else:
            workspace.tidy()

    once_taken(monkeypatch, "search_history", write)
    result = linked_copy(workspace, tmp_path / "copy", link=link)
    assert hashes(result.folder) == hashes(workspace.uri)
    assert Workspace.open(result.folder).search_history.queries() == workspace.search_history.queries()
    assert result.linked + result.copied == len(hashes(result.folder))


def test_writing_without_a_pause_is_reported(
    index: Index, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing is left of the attempt."""
    stamps = workspace.table_stamps
    calls = iter(range(10_000))
    monkeypatch.setattr(
        workspace, "table_stamps", lambda: {name: f"{stamp} {next(calls)}" for name, stamp in stamps().items()}
    )
    with pytest.raises(LockedError):
        linked_copy(workspace, tmp_path / "copy")
    assert [path.name for path in tmp_path.iterdir()] == ["workspace"]


def test_a_build_does_not_hold_it_up(index: Index, workspace: Workspace, tmp_path: Path) -> None:
    """The writer's lock is held for minutes; the table of an index that is not listed yet is no part of the copy."""
    from chunking.config import Config

    with workspace.writer():
        workspace.create_index("half", Config(), model_key="fake@1", dimension=made.DIMENSION)
        copy = Workspace.open(linked_copy(workspace, tmp_path / "copy").folder)
        with copy.writer():
            pass
    assert len([name for name in os.listdir(copy.uri) if name.startswith("chunks_")]) == 1
    assert (copy.index().count(), copy.index().row.built) == (index.count(), BuildReport())


@pytest.mark.parametrize("number", [errno.EXDEV, errno.EPERM])
def test_where_links_cannot_be_made_bytes_are_copied_and_it_says_so(
    index: Index, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Another disk, say; tried once."""
    tried = []

    def refused(*names: str, **_: bool) -> None:
        tried.append(names)
        raise OSError(number, "no")

    monkeypatch.setattr(os, "link", refused)
    result = linked_copy(workspace, tmp_path / "copy")
    assert (result.linked, result.linked_bytes) == (0, 0)
    assert result.reason
    assert own_bytes(result.folder) == result.copied_bytes
    assert len({source for source, _ in tried}) == 1
    assert Workspace.open(result.folder).index().count() == index.count()


def test_what_runs_try_out_is_no_part_of_it(index: Index, workspace: Workspace, tmp_path: Path) -> None:
    """Bytes of gigabytes that end with their process. Tidying clears away what killed ones left, and leaves those of
    who runs.
    """
    used = ScratchFolder.inside(workspace.uri)
    left = Path(workspace.uri, TRIALS, "0123456789ab")
    for folder in (used.path, left):
        (folder / "chunks.lance" / "data").mkdir(parents=True)
        (folder / "chunks.lance" / "data" / "1.lance").write_bytes(bytes(1_000))
    linked_copy(workspace, tmp_path / "copy")
    assert not (tmp_path / "copy" / TRIALS).exists()
    workspace.tidy()
    assert not left.exists()
    assert folder_bytes(used.path) == 1_000
    used.remove()


def test_copying_can_be_asked_for(index: Index, workspace: Workspace, tmp_path: Path) -> None:
    """Bytes of its own, and no reason to tell."""
    result = linked_copy(workspace, tmp_path / "copy", link=False)
    assert (result.linked, result.reason) == (0, "")
    assert hashes(workspace.uri) == hashes(result.folder)


@pytest.mark.parametrize("there", ["file", "folder", "link", "inside"])
def test_a_linked_copy_overwrites_nothing(index: Index, workspace: Workspace, tmp_path: Path, there: str) -> None:
    """Where something is, no copy is made; none inside of itself."""
    target = tmp_path / "copy"
    if there == "file":
        target.write_text("mine")
    elif there == "folder":
        target.mkdir()
        (target / "mine").touch()
    elif there == "link":
        target.symlink_to(tmp_path / "elsewhere")
    else:
        target = Path(workspace.uri) / "copy"
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(StoreError):
        linked_copy(workspace, target)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_full_disk_leaves_nothing(
    index: Index, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One sentence, and no half copy."""

    def full(*_: str, **__: bool) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "link", full)
    with pytest.raises(StoreError, match="full"):
        linked_copy(workspace, tmp_path / "copy")
    assert [path.name for path in tmp_path.iterdir()] == ["workspace"]


def test_links_in_a_folder_are_not_followed(index: Index, workspace: Workspace, tmp_path: Path) -> None:
    """Somebody put one there: what it leads to is not copied."""
    (tmp_path / "secret").write_text("secret")
    Path(workspace.uri, "documents.lance", "data", "x.lance").symlink_to(tmp_path / "secret")
    Path(workspace.uri, "more").symlink_to(tmp_path)
    result = linked_copy(workspace, tmp_path / "copy")
    assert not (result.folder / "more").exists()
    assert not (result.folder / "documents.lance" / "data" / "x.lance").exists()


def test_a_workspace_is_known_by_its_tables(index: Index, workspace: Workspace, tmp_path: Path) -> None:
    """A folder of anything else is none."""
    assert is_workspace(Path(workspace.uri))
    assert not is_workspace(tmp_path)
    assert not is_workspace(tmp_path / "missing")
    assert INSTALL.doc_id in {row.doc_id for row in workspace.documents()}
