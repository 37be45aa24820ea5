"""An index run in a process of its own: told to stop, killed, locked out, on a full disk."""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from chunking.config import Config
from chunking.errors import LockedError
from chunking.evaluation.runs.run import documents_key
from chunking.indexing import build_index, make_plan
from chunking.parsing import parse
from chunking.store import TextQuery, Workspace
from chunking.worker import EXIT_CODES
from tests.support.disks import mounted, use_up
from tests.support.store_rows import FakeEmbedder
from tests.support.worker_process import Worker, finish_here, run_here

ROOT = Path(__file__).parents[1]
SETTINGS = Config.from_settings({"size": "64"})
NAMES = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")


def fill(workspace: Workspace, mark: str = "first") -> None:
    """Six documents of some twenty chunks each."""
    for name in NAMES:
        body = "\n\n".join(
            f"## {name} {n}\n\n" + f"The {name} of part {n} is {mark} described here. " * 6 for n in range(10)
        )
        workspace.put_document(parse(f"# {name}\n\n{body}".encode(), f"{name}.md"))


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the documents, no index; to be copied."""
    place = tmp_path_factory.mktemp("worker") / "documents"
    fill(Workspace.open(place))
    return place


@pytest.fixture(scope="module")
def indexed(documents: Path) -> Path:
    """The same with an index; to be copied."""
    place = Path(shutil.copytree(documents, documents.with_name("indexed")))
    build_index(Workspace.open(place), SETTINGS, embedder=FakeEmbedder())
    return place


@pytest.fixture
def workspace(documents: Path, tmp_path: Path) -> Workspace:
    return Workspace.open(shutil.copytree(documents, tmp_path / "workspace"))


@pytest.fixture
def complete(indexed: Path, tmp_path: Path) -> Workspace:
    """With an index of all documents."""
    return Workspace.open(shutil.copytree(indexed, tmp_path / "complete"))


def job(workspace: Workspace, **changes: Any) -> str:
    """A job as the app writes it."""
    return (
        json.dumps({"workspace": workspace.uri, "name": "main", "config": {"size": "64"}, "doc_ids": None} | changes)
        + "\n"
    )


def check(workspace: Workspace) -> None:
    """What a reader must find after any accident: it opens, each document of the index is whole, and searches work."""
    reopened = Workspace.open(workspace.uri)
    assert [row.doc_id for row in reopened.documents()] == sorted(NAMES)
    if not reopened.indexes():
        return
    index = reopened.index()
    for doc_id in index.documents():
        chunks = index.chunks_of(doc_id)
        assert [chunk.chunk_index for chunk in chunks] == list(range(chunks[0].total_chunks))
        text = reopened.document(doc_id).text
        assert all(text[chunk.start : chunk.end] == chunk.content for chunk in chunks)
        assert index.text_search(TextQuery(doc_id), 3)
    assert index.count() == sum(indexed.chunks for indexed in index.documents().values())


def test_a_job_is_done_and_reported(workspace: Workspace) -> None:
    """Plan first, then progress that never goes back, at last the report; the index is there."""
    worker = Worker(job(workspace))
    events = list(worker.events())
    assert worker.close() == EXIT_CODES["done"]
    kinds = [event["event"] for event in events]
    assert (kinds[0], kinds[-1], set(kinds[1:-1])) == ("plan", "done", {"progress"})
    done = [event["done"] for event in events[1:-1]]
    assert done == sorted(done)
    report = events[-1]["report"]
    assert (report["documents"], report["chunks"]) == (events[0]["documents"], events[0]["chunks"])
    assert report["fingerprint"] == workspace.index().fingerprint
    check(workspace)


@pytest.mark.model
def test_the_real_worker_with_the_real_model(tmp_path: Path) -> None:
    """`python -m chunking.worker` as the app starts it."""
    workspace = Workspace.open(tmp_path / "workspace")
    workspace.put_document(parse(b"# Pump\n\nSwitch the pump off before the filter is changed.", "pump.md"))
    last, code = Worker(job(workspace), module="chunking.worker").end()
    assert (last["event"], code) == ("done", 0)
    assert (last["report"]["embedded"], workspace.index().dimension) == (1, 384)


@pytest.mark.parametrize("moment", ["Embedding", "Writing gamma"])
def test_killed_midway_nothing_is_lost(workspace: Workspace, moment: str) -> None:
    """Law 9: kill -9 at any moment of the first run; the next run finishes it."""
    worker = Worker(job(workspace))
    worker.until(moment)
    worker.process.kill()
    assert worker.close() in (-signal.SIGKILL, EXIT_CODES["done"])  # it may just have been done
    check(workspace)
    build_index(workspace, SETTINGS, embedder=FakeEmbedder())
    check(workspace)
    assert workspace.index().row.state == "complete"
    assert len(workspace.index().documents()) == len(NAMES)


@pytest.mark.parametrize("changes", ["settings", "documents"])
def test_killed_while_rebuilding(complete: Workspace, changes: str) -> None:
    """Law 9: with new settings the index from before is untouched; with new documents each one is old or new, whole."""
    workspace = complete
    before = workspace.index()
    chunks = {name: workspace.index().chunks_of(name) for name in NAMES}
    if changes == "documents":
        fill(workspace, "second")
    size = "96" if changes == "settings" else "64"
    worker = Worker(job(workspace, config={"size": size}), "Writing delta")
    worker.until("Writing delta")
    worker.process.kill()
    worker.close()
    index = Workspace.open(workspace.uri).index()
    if changes == "settings":
        assert (index.row.state, index.fingerprint) == ("complete", before.fingerprint)
        assert {name: index.chunks_of(name) for name in NAMES} == chunks
        check(workspace)
    else:
        assert index.row.state == "incomplete"
        assert index.chunks_of("zeta") == chunks["zeta"]
        assert "second" in index.chunks_of("alpha")[0].content
    after = Config.from_settings({"size": size})
    build_index(workspace, after, embedder=FakeEmbedder())
    check(workspace)
    assert make_plan(workspace, after, embedder=FakeEmbedder()).unchanged == len(NAMES)


def test_a_cancelled_worker_stops_and_frees_the_workspace(workspace: Workspace) -> None:
    """A cancel ends the run between batches, says so, and frees the lock. (The end of its input:
    evaluation/test_worker.py.)
    """
    worker = Worker(job(workspace), "Writing beta")
    worker.until("Writing beta")
    worker.process.send_signal(signal.SIGTERM)
    last, code = worker.end()
    assert (last["event"], code) == ("cancelled", EXIT_CODES["cancelled"])
    assert "continues from there" in last["message"]
    check(workspace)
    with workspace.writer():
        assert workspace.index().row.state == "incomplete"


def test_a_worker_is_locked_out_while_another_program_writes(workspace: Workspace) -> None:
    """It fails at once with a sentence, and has written nothing. (Between processes: pages/test_index.py,
    store/test_workspace.py.)
    """
    with workspace.writer():
        last, code = finish_here(job(workspace))
    assert (last["event"], last["kind"], code) == ("failed", "LockedError", EXIT_CODES["failed"])
    assert "until it has finished" in last["error"]
    assert workspace.indexes() == []


def test_a_full_disk_is_one_sentence(indexed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Law 9: the run fails; what was indexed before opens, searches, and is still complete."""
    monkeypatch.setattr("chunking.embedding.load_embedder", lambda config: FakeEmbedder())
    with mounted(tmp_path / "disk", "size=6m") as disk:
        workspace = Workspace.open(shutil.copytree(indexed, disk / "workspace"))
        before = workspace.index().row
        filler = disk / "filler"
        use_up(filler)
        last, code = finish_here(job(workspace, config={"size": "96"}))
        assert (last["event"], last["kind"], code) == ("failed", "StoreError", EXIT_CODES["failed"])
        assert "is full; free some space" in last["error"]
        check(workspace)
        assert Workspace.open(workspace.uri).index().row == before
        filler.unlink()
        build_index(workspace, Config.from_settings({"size": "96"}), embedder=FakeEmbedder())
        check(workspace)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "one line of JSON"),
        ("[]\n", "one line of JSON"),
        ('{"name": "x"}\n', "one line of JSON"),
        ('{"workspace": "w", "config": {"colour": "red"}}\n', "no setting 'colour'"),
        ('{"workspace": "/nowhere/at/all"}\n', "no workspace at"),
    ],
)
def test_a_bad_job_is_reported(line: str, words: str) -> None:
    """As an event like any other, so that who started it can show it."""
    last, code = finish_here(line)
    assert (last["event"], code) == ("failed", EXIT_CODES["failed"])
    assert words in last["error"]


def test_an_input_that_ends_before_the_job_is_reported_by_the_process() -> None:
    """Its exit code says so too, and nothing comes on stderr."""
    worker = Worker("")
    assert worker.process.stdin is not None
    worker.process.stdin.close()
    last, code = worker.end()
    assert (last["event"], code) == ("failed", EXIT_CODES["failed"])


@pytest.fixture
def fake_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    """For jobs that run in this process."""
    monkeypatch.setattr("chunking.embedding.load_embedder", lambda config: FakeEmbedder())


@pytest.mark.usefixtures("fake_embedder")
class TestQueued:
    """A job that stood in a queue, and found the workspace otherwise than it was when it began to wait."""

    def test_changed_documents_are_reported(self, workspace: Workspace) -> None:
        """It takes them as they are; where nothing changed, and where it did not wait, nothing is said."""
        documents_now = documents_key(workspace.documents())
        workspace.put_document(parse(b"# New\n\nA few words.", "new.md"))
        queued = {"changed": documents_now, "same": documents_key(workspace.documents()), "": ""}
        notes = {}
        for name, key in queued.items():
            events, code = run_here(job(workspace, queued=key))
            assert code == 0
            assert events[-1]["report"]["documents"] == len(NAMES) + 1
            notes[name] = sum(event["event"] == "note" for event in events)
        assert notes == {"changed": 1, "same": 0, "": 0}

    def test_somebody_is_just_changing_the_documents(
        self, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It waits for the lock, where who starts at once is told."""
        tries = []
        writer = Workspace.writer

        def held_twice(self: Workspace) -> Any:
            tries.append(1)
            if len(tries) < 3:
                raise LockedError("Another process is writing.")
            return writer(self)

        monkeypatch.setattr(Workspace, "writer", held_twice)
        monkeypatch.setattr("chunking.worker._LOOK", 0.0)
        last, code = finish_here(job(workspace))
        assert (last["event"], code, len(tries)) == ("failed", EXIT_CODES["failed"], 1)
        last, code = finish_here(job(workspace, queued="k"))
        assert (last["event"], code) == ("done", 0)


def test_temporary_files_of_a_killed_worker_go_with_the_next_ones_start(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a library had in its temporary folder is not left for ever; a worker that ends takes its own along."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    worker = Worker(job(workspace), "Embedding")
    worker.until("Embedding")
    (jobs,) = tmp_path.glob("chunkscope*/.jobs")
    (left,) = (path for path in jobs.iterdir() if path.is_dir())
    (left / "spilled").write_text("rows")
    worker.process.kill()
    worker.close()
    assert (left / "spilled").exists()
    event, code = Worker(job(workspace)).end()
    assert (event["event"], code) == ("done", EXIT_CODES["done"])
    assert list(jobs.iterdir()) == []
