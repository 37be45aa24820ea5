"""Adding many files: what is touched grows with the files, and not with their square."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

from chunking.indexing import Ids, add_files, save
from chunking.model import Document
from chunking.store import Workspace
from tests.support.store_rows import document


@dataclass
class Looked:
    """A document that counts how often its text is looked at."""

    hash: str
    parent_id: str = ""
    looks: int = 0

    @property
    def text(self) -> str:
        self.looks += 1
        return "text"


@dataclass
class Commits:
    """Stands in for a workspace: notes what each commit holds."""

    documents: list[int] = field(default_factory=list)
    files: list[int] = field(default_factory=list)

    def put_documents(self, documents: list[Looked], files: dict[str, bytes], parse_keys: dict[str, str]) -> None:
        self.documents.append(len(documents))
        self.files.append(len(files))


def saved(documents: list[Looked], files: dict[str, bytes]) -> Commits:
    """What `save` commits of them."""
    commits = Commits()
    save(cast("Workspace", commits), cast("list[Document]", documents), files)
    return commits


def test_each_text_is_measured_once_while_a_batch_fills() -> None:
    """Not again for each document that follows."""
    documents = [Looked(str(number)) for number in range(300)]
    assert saved(documents, {}).documents == [300]
    assert {one.looks for one in documents} == {1}


def test_a_batch_is_closed_when_its_texts_or_files_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the next one begins at nothing."""
    monkeypatch.setattr("chunking.indexing.adding.adding_files._BATCH_CHARACTERS", 40)
    assert saved([Looked(str(number)) for number in range(25)], {}).documents == [10, 10, 5]
    monkeypatch.setattr("chunking.indexing.adding.adding_files._BATCH_BYTES", 6)
    commits = saved([Looked(hash) for hash in "aabbccdd"], dict.fromkeys("abcd", b"xxx"))
    assert (commits.documents, commits.files) == ([3, 2, 2, 1], [2, 2, 2, 1])
    family = [Looked("a"), *(Looked(str(number), "a") for number in range(15)), Looked("b")]
    assert saved(family, {}).documents == [16, 1], "those of the files in a file go with it"


def test_documents_are_listed_once_however_many_files_are_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The storage calls of a batch do not grow with its files."""
    used: list[int] = []
    for count in (2, 12):
        folder = tmp_path / str(count)
        folder.mkdir()
        for number in range(count):
            (folder / f"{number}.md").write_text(f"# Title {number}\n\nText.")
        workspace = Workspace.open(tmp_path / f"w{count}")
        workspace.put_document(document("known", "Text."))
        before = workspace.calls
        added, failed = add_files(workspace, [folder])
        assert (len(added), failed) == (count, [])
        used.append(workspace.calls - before)
    assert used[0] == used[1]


class TestIds:
    def test_a_known_path_keeps_its_id_once_a_batch(self) -> None:
        """Other paths get ids that nobody has."""
        ids = Ids(by_path={("", "alpha.md"): ["alpha"]}, used={"alpha"})
        assert [ids.claim(source) for source in ("alpha.md", "alpha.md", "alpha.txt", "new.md")] == [
            "alpha",
            "alpha_2",
            "alpha_3",
            "new",
        ]

    def test_files_of_one_name_are_numbered_without_counting_from_the_start(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """One look or two each, also where some of the numbers are taken."""
        looked: list[str] = []

        class Taken(set[str]):
            def __contains__(self, doc_id: object) -> bool:
                looked.append(str(doc_id))
                return super().__contains__(doc_id)

        ids = Ids(used=Taken({"notes", "notes_4"}))
        result = [ids.claim(f"notes.{number}") for number in range(200)]
        assert result[:3] == ["notes_2", "notes_3", "notes_5"]
        assert len(set(result)) == 200
        assert len(looked) <= 2 * 200 + 1
