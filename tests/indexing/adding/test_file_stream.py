"""Adding folders as a stream: the same documents and ids, little in memory, and nothing parsed twice."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking import parsing
from chunking.config import Config
from chunking.errors import Cancelled
from chunking.indexing import add_files, index_documents, read_files, save
from chunking.indexing.adding.file_stream import FileStream
from chunking.indexing.run.failures import Failure, merged_failures
from chunking.model import Document
from chunking.parsing import parse_all
from chunking.store import Workspace
from tests.support.facts import tells
from tests.support.store_rows import FakeEmbedder

Calls = list[str]
MAIL = "Subject: Pump\nContent-Type: message/rfc822\n\nSubject: Seal\n\nThe seal is worn{}."


@pytest.fixture(scope="module")
def calls() -> Iterator[Calls]:
    """Paths of the files that are parsed: in this process, where no crash is to be feared."""
    noted: Calls = []

    def parse(data: bytes, source: str, *, cancelled: Callable[[], bool] | None = None, **options: Any) -> Any:
        noted.append(source)
        if cancelled is not None and cancelled():
            raise Cancelled("Stopped.")
        return parse_all(data, source, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parsing, "parse_all_guarded", parse)
        yield noted


def folder_of(place: Path, texts: dict[str, str]) -> Path:
    """A folder with files of these names and texts."""
    for name, text in texts.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")
    return place


def stored(workspace: Workspace) -> dict[str, Document]:
    """All documents of a workspace by id."""
    ids = [row.doc_id for row in workspace.documents()]
    return dict(zip(ids, workspace.read_documents(ids), strict=True))


NAMES = st.sampled_from(("a.md", "A.md", "b.txt", "é.md", "é.md", "mail.eml", "z/a.md"))
TEXTS = st.sampled_from(
    ("", "# One\n\nText.", "# Two\n\nOther text.", MAIL.format(""), MAIL.format(" out"), "\x00\x01")
)
FOLDERS = st.lists(st.tuples(st.sampled_from("xy"), NAMES, TEXTS), max_size=8)


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(rounds=st.lists(FOLDERS, min_size=1, max_size=2), size=st.integers(1, 3))
def test_a_stream_saves_what_reading_all_first_does(
    calls: Calls, tmp_path_factory: pytest.TempPathFactory, rounds: list[list[tuple[str, str, str]]], size: int
) -> None:
    """Any files, also of one name in two folders, over several rounds: equal documents, ids and failures."""
    place = tmp_path_factory.mktemp("stream")
    streamed, at_once = (Workspace.open(place / name) for name in ("streamed", "at_once"))
    folders = [place / "x", place / "y"]
    for one in folders:
        one.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("chunking.indexing.adding.adding_files._BATCH_DOCUMENTS", size)
        for files in rounds:
            for folder, name, text in files:
                folder_of(place / folder, {name: text})
            read = read_files(folders, at_once)
            save(at_once, read.documents, read.sources)
            added = add_files(streamed, folders)
            assert added.failed == read.failed
            assert sorted(added.documents.doc_ids) == sorted(one.doc_id for one in read.documents)
            assert stored(streamed) == stored(at_once)
            assert len(added.documents) == len(list(added.documents)) == len(set(added.documents.doc_ids))


def test_only_a_batch_is_in_memory(calls: Calls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents that are parsed and not saved yet do not grow with the folder."""
    monkeypatch.setattr("chunking.indexing.adding.adding_files._BATCH_DOCUMENTS", 10)
    parsed, saved, most = count(), [0], [0]
    parse, put = FileStream._parse, Workspace.put_documents

    def counted(self: FileStream, *arguments: Any) -> Any:
        most[0] = max(most[0], next(parsed) + 1 - saved[0])
        return parse(self, *arguments)

    def put_documents(self: Workspace, documents: Sequence[Document], *arguments: Any) -> None:
        put(self, documents, *arguments)
        saved[0] += len(documents)

    monkeypatch.setattr(FileStream, "_parse", counted)
    monkeypatch.setattr(Workspace, "put_documents", put_documents)
    folder = folder_of(tmp_path / "files", {f"{n:03}.md": f"# T{n}\n\nText {n}." for n in range(120)})
    assert len(add_files(Workspace.open(tmp_path / "w"), folder).documents) == saved[0] == 120
    assert most[0] <= 10 + 4 * 4 + 4


def test_what_is_stored_unchanged_is_not_parsed_again(calls: Calls, tmp_path: Path) -> None:
    """Another content, option or name is; the documents are counted all the same, with those inside others."""
    workspace = Workspace.open(tmp_path / "w")
    folder = folder_of(tmp_path / "docs", {"a.md": "# A", "b.md": "# B", "mail.eml": MAIL.format("")})
    first = add_files(workspace, folder)
    assert (len(first.documents), first.documents.unchanged) == (4, 0)
    calls.clear()
    again = add_files(workspace, folder)
    assert (calls, again.documents.unchanged) == ([], 4)
    assert set(again.documents.doc_ids) == set(first.documents.doc_ids)
    folder_of(folder, {"b.md": "# Other", "c.md": "# C"})
    assert add_files(workspace, folder).documents.unchanged == 3
    assert sorted(calls) == ["b.md", "c.md"]
    for options, parsed in (({"comments": True}, 4), ({"comments": True}, 0), ({"again": True}, 4)):
        calls.clear()
        add_files(workspace, folder, **options)  # type: ignore[arg-type]
        assert len(calls) == parsed, options
    calls.clear()
    workspace.put_document(parsing.parse(b"# A", "a.md"))  # from elsewhere: nobody says how it was read
    workspace.delete_documents([row.doc_id for row in workspace.documents() if row.parent_id])
    add_files(workspace, folder)
    assert sorted(calls) == ["a.md", "mail.eml"]
    assert len(workspace.documents()) == 5


def test_another_parsing_code_parses_all_again(calls: Calls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An update may read a file better."""
    workspace, folder = Workspace.open(tmp_path / "w"), folder_of(tmp_path / "docs", {"a.md": "# A"})
    add_files(workspace, folder)
    monkeypatch.setattr("chunking.indexing.adding.file_stream.PARSING_VERSION", -1)
    calls.clear()
    add_files(workspace, folder)
    assert calls == ["a.md"]


def test_cancelling_midway_keeps_what_was_read(calls: Calls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says how far it came; the next call reads only the others, and ids are as if nothing had happened."""
    monkeypatch.setattr("chunking.indexing.adding.adding_files._BATCH_DOCUMENTS", 8)
    texts = {f"{n:02}/a.md": f"# T{n}\n\nText." for n in range(40)}
    folder, workspace, done = folder_of(tmp_path / "docs", texts), Workspace.open(tmp_path / "w"), [0]

    def on_progress(progress: Any) -> None:
        done[0] = progress.done

    with pytest.raises(Cancelled) as stopped:
        add_files(workspace, folder, on_progress=on_progress, cancelled=lambda: done[0] >= 12)
    there = {row.source for row in workspace.documents()}
    assert 12 <= done[0] == len(there) < 40
    assert tells(str(stopped.value), f"{done[0]} 40 saved again")
    calls.clear()
    added = add_files(workspace, folder)
    assert sorted(calls) == sorted(texts.keys() - there)
    other = Workspace.open(tmp_path / "other")
    add_files(other, folder)
    assert stored(workspace) == stored(other)
    assert len(added.documents) == 40


def test_a_killed_call_loses_a_batch_at_most(calls: Calls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing runs at the end of a killed process: what was committed is there."""
    monkeypatch.setattr("chunking.indexing.adding.adding_files._BATCH_DOCUMENTS", 5)
    folder = folder_of(tmp_path / "docs", {f"{n:02}.md": f"# T{n}" for n in range(30)})
    workspace = Workspace.open(tmp_path / "w")

    def on_progress(progress: Any) -> None:
        if progress.done == 17:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        add_files(workspace, folder, on_progress=on_progress)
    assert [row.source for row in workspace.documents()] == [f"{n:02}.md" for n in range(15)]


class TestBadInput:
    def test_many_empty_files(self, calls: Calls, tmp_path: Path) -> None:
        """Thirty of a hundred broken: the counts add up, and the report has few lines."""
        texts = {f"{n:03}.md": "" if n % 10 < 3 else f"# T{n}" for n in range(100)}
        workspace = Workspace.open(tmp_path / "w")
        added = add_files(workspace, folder_of(tmp_path / "docs", texts))
        assert (len(added.documents), len(added.failed)) == (70, 30)
        lines = merged_failures(added.failed)
        assert (len(lines), sum(one.files for one in lines)) == (21, 30)
        assert tells(lines[-1].source, "10")
        assert lines[-1].as_record()["files"] == 10

    def test_every_file_the_same(self, calls: Calls, tmp_path: Path) -> None:
        """Documents of their own, each once."""
        workspace = Workspace.open(tmp_path / "w")
        folder = folder_of(tmp_path / "docs", {f"{n:02}.md": "# Same\n\nText." for n in range(30)})
        added = add_files(workspace, folder)
        assert len(set(added.documents.doc_ids)) == len(workspace.documents()) == 30
        assert add_files(workspace, folder).documents.unchanged == 30

    def test_names_that_differ_by_case_or_normalisation(self, calls: Calls, tmp_path: Path) -> None:
        """Each file has an id, the same one in a second round; none is parsed again."""
        names = ["a.md", "A.md", *(f"{unicodedata.normalize(form, 'é')}.md" for form in ("NFC", "NFD"))]
        folder = folder_of(tmp_path / "docs", {name: f"# Number {place}" for place, name in enumerate(names)})
        there = len(list(folder.iterdir()))  # some file systems take two of them for one
        workspace = Workspace.open(tmp_path / "w")
        first = add_files(workspace, folder)
        titles = {one.doc_id: one.title for one in first.documents}
        assert len(titles) == there
        again = add_files(workspace, folder)
        assert {one.doc_id: one.title for one in again.documents} == titles
        assert again.documents.unchanged == there

    def test_reasons_of_many_kinds_end(self) -> None:
        """Where each of many files fails for its own reason, the lines end, too."""
        failed = [Failure(f"{n}.md", f"{n}.md: reason {'x' * n}.") for n in range(1000)]
        lines = merged_failures(failed)
        assert len(lines) < 100
        assert sum(one.files for one in lines) == 1000


def test_documents_may_come_one_by_one(tmp_path: Path) -> None:
    """`index_documents` takes a generator: nobody holds all of them."""
    workspace = Workspace.open(tmp_path / "w")
    documents = (parsing.parse(f"# T{n}\n\nText {n}.".encode(), f"{n}.md") for n in range(5))
    assert index_documents(workspace, documents, Config(), embedder=FakeEmbedder()).documents == 5
