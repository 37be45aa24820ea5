"""Files in files, from the disk to the index: documents of their own that come, change and go with the file that holds
them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from chunking.config import Config
from chunking.indexing import Ids, add_files, build_index, make_plan, read_files
from chunking.parsing import parse_all
from chunking.store import TextQuery, Workspace
from chunking.store.engine.schema import DOCUMENTS, later_columns
from tests.support.mails import mail_with
from tests.support.store_rows import FakeEmbedder, document

SMALL = Config.from_settings({"size": "40", "overlap": "0"})
NOTES = {"sparrow.txt": "The sparrow eats seeds.", "heron.txt": "The heron eats fish."}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.open(tmp_path / "workspace")


def put(workspace: Workspace, folder: Path, attachments: Mapping[str, str], name: str = "mail.eml") -> list[str]:
    """Add a mail with these attachments from the disk; the ids of its documents."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(mail_with(attachments))
    documents, failed = add_files(workspace, [folder / name])
    assert failed == []
    return [one.doc_id for one in documents]


def listed(workspace: Workspace) -> dict[str, str]:
    """Parents by source."""
    return {row.source: row.parent_id for row in workspace.documents()}


def test_they_are_searched_and_listed_as_documents(workspace: Workspace, tmp_path: Path) -> None:
    """Under their own paths; what is stored is what was read."""
    put(workspace, tmp_path / "box", NOTES)
    assert listed(workspace) == {"mail.eml": "", "mail.eml/heron.txt": "mail", "mail.eml/sparrow.txt": "mail"}
    build_index(workspace, SMALL, embedder=FakeEmbedder())
    hit = workspace.index().text_search(TextQuery("heron"), 3)[0].chunk
    assert (hit.doc_id, hit.metadata["relative_path"]) == ("mail_eml_heron", "mail.eml/heron.txt")
    stored = list(workspace.read_documents(["mail", "mail_eml_sparrow", "mail_eml_heron"]))
    assert {one.text for one in stored} == {one.text for one in parse_all(mail_with(NOTES), "mail.eml")}


def test_a_new_version_replaces_what_the_file_held(workspace: Workspace, tmp_path: Path) -> None:
    """What is gone leaves the index at once; what stays is the same document; a plan before says so."""
    put(workspace, tmp_path / "box", NOTES)
    build_index(workspace, SMALL, embedder=FakeEmbedder())
    newer = {"heron.txt": "The heron eats fish.", "finch.txt": "The finch sings."}
    (tmp_path / "box" / "mail.eml").write_bytes(mail_with(newer))
    read = read_files([tmp_path / "box" / "mail.eml"], workspace)
    plan = make_plan(workspace, SMALL, documents=read.documents, embedder=FakeEmbedder())
    assert (plan.documents, plan.new, plan.removed) == (3, 2, 4), (
        "the mail names its attachments; each chunk stands at ×2 too"
    )
    put(workspace, tmp_path / "box", newer)
    assert listed(workspace) == {"mail.eml": "", "mail.eml/finch.txt": "mail", "mail.eml/heron.txt": "mail"}
    assert workspace.index().documents().keys() == {"mail", "mail_eml_heron"}
    report = build_index(workspace, SMALL, embedder=FakeEmbedder())
    assert (report.documents, workspace.index().documents().keys()) == (3, {"mail", "mail_eml_heron", "mail_eml_finch"})
    assert len(next(row for row in workspace.documents() if row.doc_id == "mail").versions) == 1


def test_one_commit_holds_the_file_and_what_is_in_it(workspace: Workspace, tmp_path: Path) -> None:
    """Nobody sees one without the other; neither at the first time nor with a new version."""
    put(workspace, tmp_path / "box", NOTES)
    assert workspace._tables.version(DOCUMENTS) == 2, "made, and written once"
    put(workspace, tmp_path / "box", {"finch.txt": "The finch sings."})
    assert workspace._tables.version(DOCUMENTS) == 3


def test_they_are_deleted_with_the_file(workspace: Workspace, tmp_path: Path) -> None:
    """From the list and from the index; one alone may go, and comes back with the file."""
    put(workspace, tmp_path / "box", NOTES)
    put(workspace, tmp_path / "box", {"owl.txt": "The owl sleeps."}, "other.eml")
    build_index(workspace, SMALL, embedder=FakeEmbedder())
    assert workspace.delete_documents(["mail_eml_heron"]) == 1
    put(workspace, tmp_path / "box", NOTES)
    assert "mail.eml/heron.txt" in listed(workspace)
    assert workspace.delete_documents(["mail", "mail_eml_sparrow"]) == 2, "heron is not in the index again yet"
    assert listed(workspace) == {"other.eml": "", "other.eml/owl.txt": "other"}
    assert workspace.index().documents().keys() == {"other", "other_eml_owl"}


def test_two_files_of_one_path_keep_their_own(workspace: Workspace, tmp_path: Path) -> None:
    """Each finds its own documents again, whatever the other one has lost."""
    for folder, notes in (("a", NOTES), ("b", {"heron.txt": "Another heron."})):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mail.eml").write_bytes(mail_with(notes))
    add_files(workspace, [tmp_path / "a", tmp_path / "b"])
    before = {row.doc_id: row.parent_id for row in workspace.documents()}
    assert sorted(before.values()) == ["", "", "mail", "mail", "mail_2"]
    (tmp_path / "a" / "mail.eml").write_bytes(mail_with({"sparrow.txt": "The sparrow eats seeds."}))
    add_files(workspace, [tmp_path / "a", tmp_path / "b"])
    after = {row.doc_id: row.parent_id for row in workspace.documents()}
    assert after == {doc_id: parent for doc_id, parent in before.items() if doc_id != "mail_eml_heron"}


def test_a_workspace_from_before_opens_and_takes_them(workspace: Workspace, tmp_path: Path) -> None:
    """Its documents stand in no other file; the column comes with the next write."""
    workspace.put_documents([document("old", "Text."), document("gone", "Text.")])
    workspace._tables.table(DOCUMENTS).drop_columns(list(later_columns(DOCUMENTS)))
    earlier = Workspace.open(workspace.uri)
    assert {row.parent_id for row in earlier.documents()} == {earlier.document("old").parent_id} == {""}
    earlier.delete_documents(["gone"])
    put(earlier, tmp_path / "box", NOTES)
    put(earlier, tmp_path / "box", {"heron.txt": "The heron eats fish."})
    assert {row.doc_id: row.parent_id for row in Workspace.open(workspace.uri).documents()} == {
        "old": "",
        "mail": "",
        "mail_eml_heron": "mail",
    }


def test_a_path_on_the_disk_is_not_one_in_a_file() -> None:
    """A folder may be called as a mail is."""
    ids = Ids(by_path={("", "mail.eml/heron.txt"): ["mine"]}, used={"mine"})
    mail, _, heron = ids.assign(parse_all(mail_with(NOTES), "mail.eml"))
    assert (heron.doc_id, heron.parent_id, heron.sections[0].section_id) == (
        "mail_eml_heron",
        mail.doc_id,
        "mail_eml_heron_sec0",
    )
