"""Rights in the store: what a role may not do is refused below every page, at the next call after it was taken away."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import pytest

from chunking.config import Config
from chunking.errors import AccessError
from chunking.store import Index, Right, Role, RoleAccess, Workspace
from tests.store.indexed import INSTALL, MANUAL
from tests.support import store_rows as made

VIEWER = RoleAccess(Role.VIEWER)


@dataclass
class Changing:
    """A role that is given and taken away while a workspace is open."""

    role: Role | None
    key: str = "changing"
    noted: list[tuple[str, str]] = field(default_factory=list)

    def allows(self, right: Right) -> bool:
        """Whether the present role has the right."""
        return self.role is not None and RoleAccess(self.role).allows(right)

    def note(self, what: str, name: str) -> None:
        """Keep what was done."""
        self.noted.append((what, name))


def digest(folder: Path) -> dict[str, str]:
    """Every file of a workspace with the hash of its bytes."""
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in folder.rglob("*")
        if file.is_file()
    }


WRITES: dict[str, Callable[[Workspace], object]] = {
    "put_document": lambda workspace: workspace.put_document(INSTALL),
    "put_documents": lambda workspace: workspace.put_documents([MANUAL]),
    "put_file": lambda workspace: workspace.put_file("0" * 64, b"x"),
    "delete_documents": lambda workspace: workspace.delete_documents(["install"]),
    "create_index": lambda workspace: workspace.create_index(
        "new", Config(), model_key="fake@1", dimension=made.DIMENSION
    ),
    "publish": lambda workspace: workspace.publish(workspace.index()),
    "discard": lambda workspace: workspace.discard(workspace.index()),
    "drop_index": lambda workspace: workspace.drop_index("main"),
    "tidy": lambda workspace: workspace.tidy(),
    "writer": lambda workspace: workspace.writer().__enter__(),
    "replace_document": lambda workspace: workspace.index().replace_document(
        INSTALL, [], np.zeros((0, made.DIMENSION), np.float32), "f"
    ),
    "remove_document": lambda workspace: workspace.index().remove_document("install"),
    "build": lambda workspace: workspace.index().build(),
    "optimize": lambda workspace: workspace.index().optimize(),
    "question_sets.put": lambda workspace: workspace.question_sets.put({"a": "{}"}),
    "question_sets.delete": lambda workspace: workspace.question_sets.delete(["kept"]),
    "runs.put": lambda workspace: workspace.runs.put({"a": "{}"}),
    "sweeps.put": lambda workspace: workspace.sweeps.put({"a": "{}"}),
    "loaded_chunks.put": lambda workspace: workspace.loaded_chunks.put({"a": "{}"}),
    "labelling_queues.put": lambda workspace: workspace.labelling_queues.put({"a": "{}"}),
    "changes.append": lambda workspace: workspace.changes.append("install", "edits", [{"kind": "x"}]),
    "search_history.clear": lambda workspace: workspace.search_history.clear(),
    "encodings.trim": lambda workspace: workspace.encodings.trim(0),
}
"""What changes a workspace and says so."""

READS: dict[str, Callable[[Workspace], object]] = {
    "documents": lambda workspace: workspace.documents(),
    "document": lambda workspace: asdict(workspace.document("install")),
    "parsed": lambda workspace: asdict(workspace.parsed("install")),
    "read_documents": lambda workspace: list(map(asdict, workspace.read_documents(["install"]))),
    "document_texts": lambda workspace: list(workspace.document_texts(workspace.documents())),
    "file": lambda workspace: workspace.file("0" * 64),
    "indexes": lambda workspace: workspace.indexes(),
    "version": lambda workspace: workspace.version(),
    "documents of an index": lambda workspace: workspace.index().documents(),
    "question_sets.get": lambda workspace: workspace.question_sets.get("kept"),
    "question_sets.names": lambda workspace: workspace.question_sets.names(),
    "search_history.queries": lambda workspace: workspace.search_history.queries(),
    "vectors.get": lambda workspace: workspace.vectors.get(["k"]),
    "encodings.get": lambda workspace: workspace.encodings.get("k"),
}


def refusals(calls: dict[str, Callable[[Workspace], object]], observed: Workspace) -> dict[str, str]:
    """Which sentence refuses each call: `look` (and not change), `closed`, or none."""
    result: dict[str, str] = {}
    for name, call in calls.items():
        try:
            call(observed)
        except AccessError as error:
            result[name] = "look" if "not change it" in str(error) else "closed"
    return result


@pytest.fixture
def filled(workspace: Workspace, index: Index) -> Workspace:
    """A workspace with an index, a question set, a search, an encoding and a vector."""
    workspace.question_sets.put({"kept": "{}"})
    workspace.search_history.add("kept")
    workspace.encodings.put("k", b"data")
    workspace.vectors.put({"k": np.ones(3, np.float32)})
    return workspace


def test_a_viewer_changes_no_byte(filled: Workspace) -> None:
    """Every change is refused with a sentence; keeping a vector, an encoding or a search is passed over."""
    calls, before = filled.seen_by(VIEWER), digest(Path(filled.uri))
    assert refusals(WRITES, calls) == dict.fromkeys(WRITES, "look")
    calls.vectors.put({"new": np.ones(3, np.float32)})
    calls.encodings.put("new", b"data")
    calls.texts.put({"new": "text"}, "model")
    calls.search_history.add("new")
    with calls.vectors.claim(["new"], lambda: None):
        pass
    assert digest(Path(filled.uri)) == before


def test_a_viewer_reads_everything(filled: Workspace) -> None:
    """The same answers as the owner's."""
    calls = filled.seen_by(VIEWER)
    for read in READS.values():
        assert repr(read(calls)) == repr(read(filled))


def test_a_role_taken_away_is_gone_at_the_next_call(filled: Workspace) -> None:
    """Also for an index that is open already, and for what was read and kept."""
    access = Changing(Role.EDITOR)
    calls = filled.seen_by(access)
    index = calls.index()
    calls.question_sets.put({"mine": "{}"})
    access.role = Role.VIEWER
    with pytest.raises(AccessError):
        calls.question_sets.put({"mine": "{}"})
    access.role = None
    closed = {**READS, "an open index": lambda _: index.documents()}
    assert refusals(closed, calls) == dict.fromkeys(closed, "closed")
    with pytest.raises(AccessError):
        filled.seen_by(access)


def test_a_workspace_is_not_made_for_who_may_not_write(tmp_path: Path) -> None:
    """Nor is there a way to ask whether a folder is there."""
    with pytest.raises(AccessError):
        Workspace.open(tmp_path / "none", access=VIEWER)
    assert not (tmp_path / "none").exists()
    for place in (tmp_path, tmp_path / "none"):
        with pytest.raises(AccessError, match="no access"):
            Workspace.open(place, access=Changing(None))


def test_every_change_is_noted_once_by_its_name(filled: Workspace) -> None:
    """Whatever asked for it; reading notes nothing, and no line has a document's text."""
    access = Changing(Role.EDITOR)
    calls = filled.seen_by(access)
    source, doc_id = INSTALL.source, INSTALL.doc_id
    calls.put_document(INSTALL)
    calls.changes.append(doc_id, "pins", [{"kind": "split"}])
    calls.question_sets.put({"Ours": "{}"})
    calls.question_sets.delete(["Ours"])
    name = calls.indexes()[0].name
    calls.drop_index(name)
    calls.delete_documents([doc_id])
    assert [(what.split()[0], about) for what, about in access.noted] == [
        ("added", source),
        ("changed", doc_id),
        ("saved", "Ours"),
        ("deleted", "Ours"),
        ("deleted", name),
        ("deleted", source),
    ]
    assert not any(INSTALL.text[:40] in about for _, about in access.noted)
