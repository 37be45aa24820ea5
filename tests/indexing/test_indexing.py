"""Plans that tell the truth, and runs that do what was planned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chunking.config import Config
from chunking.errors import Cancelled, LockedError, NotFoundError, ParseError
from chunking.indexing import (
    IndexPhase,
    IndexProgress,
    Plan,
    add_files,
    build_index,
    index_documents,
    make_plan,
    read_files,
    run_plan,
    save,
    staleness,
)
from chunking.indexing.run import index_run as running
from chunking.model import Document
from chunking.parsing import find_files, parse
from chunking.splitting import MeasureCache, chunk_document, document_splitting, with_measure_cache
from chunking.store import Index, TextQuery, Workspace
from chunking.store.index.build_record import chunk_fingerprint
from tests.support.facts import tells
from tests.support.raw_pdf import one_page_pdf
from tests.support.store_rows import FakeEmbedder

SMALL = Config.from_settings({"size": "40", "overlap": "0"})
MORE = ("fallback_level", "reasons", "levels", "written")
LARGE = Config.from_settings({"size": "80", "overlap": "0"})


def guide(name: str, *topics: str) -> Document:
    """A Markdown document with a section of several sentences a topic."""
    body = "\n\n".join(
        f"## {topic}\n\n" + " ".join(f"{topic} sentence number {n} says something new." for n in range(12))
        for topic in topics
    )
    return parse(f"# {name}\n\n{body}\n".encode(), f"{name}.md", updated_at="2026-01-01T00:00:00+00:00")


ALPHA, BETA = guide("alpha", "apples", "pears"), guide("beta", "cars", "boats")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A workspace with two documents and no index."""
    workspace = Workspace.open(tmp_path / "workspace")
    workspace.put_documents([ALPHA, BETA])
    return workspace


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder()


def agrees(plan: Plan, report: object) -> bool:
    """True where a run did exactly what was planned."""
    assert plan.new + plan.reused == plan.vectors
    assert plan.removed <= plan.held
    expected = (plan.documents, plan.chunks, plan.vectors, plan.new, plan.reused, plan.removed, plan.name)
    names = ("documents", "chunks", "vectors", "embedded", "reused", "removed", "name")
    return expected == tuple(getattr(report, name) for name in names)


def test_the_first_run_embeds_everything(workspace: Workspace, embedder: FakeEmbedder) -> None:
    """Nothing is known yet: all texts are new, and the index then holds all chunks."""
    plan = make_plan(workspace, SMALL, embedder=embedder)
    assert embedder.calls == 0
    assert (plan.name, plan.documents, plan.held, plan.removed, plan.unchanged) == ("main", 2, 0, 0, 0)
    assert 0 < plan.new <= plan.vectors == plan.chunks + plan.levels["x2"]
    assert plan.seconds_expected > 0
    report = run_plan(workspace, plan, embedder=embedder)
    assert agrees(plan, report)
    index = workspace.index()
    assert index.row.state == "complete"
    assert index.fingerprint == report.fingerprint != ""
    assert index.count() == report.chunks == sum(len(index.chunks_of(name)) for name in ("alpha", "beta"))
    for chunk in index.chunks_of("alpha"):
        assert chunk.content == ALPHA.text[chunk.start : chunk.end]


def test_what_the_plan_measures_goes_on_to_the_run(
    workspace: Workspace, embedder: FakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each document is measured once from the plan to the end of the run, as far as there is room."""
    measured: list[str] = []
    measure = document_splitting.Chunker

    def counting(document: Document, *args: object, **more: object) -> object:
        measured.append(document.doc_id)
        return measure(document, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(document_splitting, "Chunker", counting)
    report = build_index(workspace, SMALL, embedder=embedder)
    assert len(measured) == len(set(measured)) == report.documents
    measured.clear()
    with with_measure_cache(MeasureCache()):
        make_plan(workspace, LARGE, embedder=embedder)
        build_index(workspace, LARGE, embedder=embedder)
    assert len(measured) == report.documents


def test_an_unchanged_run_embeds_nothing(workspace: Workspace, embedder: FakeEmbedder) -> None:
    """A second run over the same documents and settings sends no text to the model, and says so before."""
    first = build_index(workspace, SMALL, embedder=embedder)
    calls = embedder.calls
    plan = make_plan(workspace, SMALL, embedder=embedder)
    assert (plan.new, plan.removed, plan.unchanged, plan.rebuild) == (0, 0, 2, False)
    second = run_plan(workspace, plan, embedder=embedder)
    assert agrees(plan, second)
    assert embedder.calls == calls
    assert (second.embedded, second.reused, second.fingerprint) == (0, first.vectors, first.fingerprint)


def test_a_changed_document_embeds_only_its_new_texts(workspace: Workspace, embedder: FakeEmbedder) -> None:
    """S2: one section is added; the chunks of the others keep their vectors, the other document is not touched."""
    build_index(workspace, SMALL, embedder=embedder)
    calls = set(embedder.embedded_texts)
    workspace.put_document(guide("alpha", "apples", "pears", "plums"))
    plan = make_plan(workspace, SMALL, embedder=embedder)
    assert (plan.unchanged, plan.rebuild) == (1, False)
    report = run_plan(workspace, plan, embedder=embedder)
    assert agrees(plan, report)
    assert 0 < report.embedded < report.chunks
    assert len(set(embedder.embedded_texts) - calls) == report.embedded
    assert max(embedder.embedded_texts.values()) == 1


def test_a_changed_size_embeds_only_texts_that_are_new(workspace: Workspace, embedder: FakeEmbedder) -> None:
    """Back at a size that was indexed before, everything is reused; nothing is ever embedded twice (law 7)."""
    build_index(workspace, SMALL, embedder=embedder)
    plan = make_plan(workspace, LARGE, embedder=embedder)
    assert plan.rebuild
    assert agrees(plan, run_plan(workspace, plan, embedder=embedder))
    back = build_index(workspace, SMALL, embedder=embedder)
    assert back.embedded == 0
    assert max(embedder.embedded_texts.values()) == 1
    assert len(workspace.indexes()) == 1


def test_removed_chunks_are_counted(workspace: Workspace, embedder: FakeEmbedder) -> None:
    """A document that is no longer wanted takes its chunks along."""
    build_index(workspace, SMALL, embedder=embedder)
    gone = workspace.index().levels_by_document()["beta"].total()
    plan = make_plan(workspace, SMALL, doc_ids=["alpha"], embedder=embedder)
    assert (plan.removed, plan.held - plan.removed) == (gone, plan.vectors)
    assert agrees(plan, run_plan(workspace, plan, embedder=embedder))
    assert workspace.index().chunks_of("beta") == []
    assert staleness(workspace, workspace.indexes()[0]) == ""


def test_deleting_a_document_deletes_it_everywhere(workspace: Workspace, embedder: FakeEmbedder) -> None:
    """S2: its rows go from all indexes; those stay complete, with a fingerprint of what is left."""
    build_index(workspace, SMALL, embedder=embedder)
    build_index(workspace, LARGE, name="large", embedder=embedder)
    chunks = sum(len(workspace.index(name).chunks_of("beta")) for name in ("main", "large"))
    assert workspace.delete_documents(["beta"]) == chunks
    for row in workspace.indexes():
        index = workspace.index(row.name)
        assert index.chunks_of("beta") == []
        assert (row.documents, row.chunks) == (1, index.count())
        assert staleness(workspace, row) == ""
    assert [row.doc_id for row in workspace.documents()] == ["alpha"]
    with pytest.raises(NotFoundError, match="beta"):
        workspace.delete_documents(["alpha", "beta"])
    assert [row.doc_id for row in workspace.documents()] == ["alpha"]


def test_an_index_can_be_built_without_the_files(tmp_path: Path, embedder: FakeEmbedder) -> None:
    """S6: all a rebuild needs is in the workspace."""
    source = tmp_path / "files" / "guide.md"
    source.parent.mkdir()
    source.write_text(ALPHA.text, encoding="utf-8")
    workspace = Workspace.open(tmp_path / "workspace")
    add_files(workspace, [source.parent])
    before = build_index(workspace, SMALL, embedder=embedder)
    source.unlink()
    workspace.drop_index("main")
    after = build_index(Workspace.open(workspace.uri), SMALL, embedder=embedder)
    assert (after.chunks, after.fingerprint, after.embedded) == (before.chunks, before.fingerprint, 0)


def test_what_makes_an_index_stale_is_named(
    workspace: Workspace, embedder: FakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A changed, new or deleted document, changed settings and changed code, each in words."""
    build_index(workspace, SMALL, embedder=embedder)

    def reason(config: Config | None = None) -> str:
        return staleness(workspace, workspace.indexes()[0], config)

    assert reason() == reason(SMALL) == ""
    assert "settings have changed" in reason(LARGE)
    workspace.put_documents([guide("alpha", "apples"), guide("gamma", "trains")])
    assert reason() == "Out of date: 1 document changed; 1 document added. Build it again."
    build_index(workspace, SMALL, embedder=embedder)
    assert reason() == ""
    for module in ("planning.index_differences", "run.index_run"):
        monkeypatch.setattr(f"chunking.indexing.{module}.chunks_version", lambda: "other code")
    assert "splitting code" in reason()
    assert make_plan(workspace, SMALL, embedder=embedder).rebuild
    build_index(workspace, SMALL, embedder=embedder)
    assert reason() == ""


def test_headings_of_patterns_are_in_the_index_and_make_it_no_stale_one(
    workspace: Workspace, embedder: FakeEmbedder
) -> None:
    """Its rows have the sections that patterns make, its fingerprint and stamps are the stored document's: preview is
    index (law 5).
    """
    config = Config.from_settings({"headings_from": r"3: ^apples sentence number \d", "split_before": "^pears"}, SMALL)
    build_index(workspace, config, embedder=embedder)
    index = workspace.index()
    rows = index.chunks_of("alpha")
    assert [(row.chunk_id, row.start, row.end, row.title_path) for row in rows] == [
        (chunk.chunk_id, chunk.start, chunk.end, chunk.title_path) for chunk in chunk_document(ALPHA, config)
    ]
    assert any(row.title_path[-1] == "apples sentence number 0" for row in rows)
    assert index.document_fingerprints()["alpha"] == chunk_fingerprint(config, ALPHA)
    assert staleness(workspace, index.row) == ""
    assert make_plan(workspace, config, embedder=embedder).unchanged == 2


def test_an_index_of_another_version_is_stale(workspace: Workspace, embedder: FakeEmbedder) -> None:
    """Its settings cannot be read whole, so what it holds is not what this version would make of them."""
    workspace.put_document(parse(b"# A\n\nalpha", "alpha.md"))
    build_index(workspace, embedder=embedder)
    row = replace(workspace.indexes()[0], config_fingerprint="of another version")
    assert tells(staleness(workspace, row), "out of date another version")


def test_a_document_saved_again_unchanged_is_not_stale(workspace: Workspace, embedder: FakeEmbedder) -> None:
    """Upload again: the same content with another date changes nothing."""
    build_index(workspace, SMALL, embedder=embedder)
    workspace.put_document(parse(ALPHA.text.encode(), "alpha.md", updated_at="2027-01-01T00:00:00+00:00"))
    assert staleness(workspace, workspace.indexes()[0]) == ""


def test_progress_ends_at_the_total(workspace: Workspace, embedder: FakeEmbedder) -> None:
    """Progress never goes back, and what is done at the end is everything."""
    message: list[IndexProgress] = []
    report = build_index(workspace, SMALL, embedder=embedder, on_progress=message.append)
    assert [one.done for one in message] == sorted(one.done for one in message)
    assert (message[-1].done, message[-1].total) == (report.chunks, report.chunks)
    assert (message[0].phase, message[0].done) == (IndexPhase.LOAD, 0)
    assert all((one.seconds_left is None) == (one.phase is IndexPhase.FINISH) for one in message)


def test_what_follows_the_last_chunk_is_told_step_by_step(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of the long steps over all documents is announced before it begins, and counted."""
    message: list[IndexProgress] = []
    during: dict[str, int] = {}

    def noting(name: str, full: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args, **named: (during.setdefault(name, message[-1].step), full(*args, **named))[1]

    monkeypatch.setattr(running, "measured_vector_index", noting("vectors", running.measured_vector_index))
    monkeypatch.setattr(Workspace, "tidy", noting("tidy", Workspace.tidy))
    monkeypatch.setattr(Index, "optimize_if_due", noting("indexes", Index.optimize_if_due))
    build_index(workspace, SMALL, embedder=FakeEmbedder(), on_progress=message.append)
    last = [one for one in message if one.step]
    assert [one.step for one in last] == list(range(1, last[0].steps + 1))
    assert len({one.message for one in last}) == last[0].steps == 3
    assert during == {"indexes": 1, "vectors": 2, "tidy": 3}
    assert message[-len(last) :] == last


def test_cancel_between_batches_keeps_the_old_index(workspace: Workspace, embedder: FakeEmbedder) -> None:
    """Law 9: a stopped rebuild leaves the index as it was, nothing besides, and the next run reuses its embeddings."""
    before = build_index(workspace, SMALL, embedder=embedder)
    tables = set(workspace._tables.names())
    plan = make_plan(workspace, LARGE, embedder=embedder)
    with pytest.raises(Cancelled):
        run_plan(workspace, plan, embedder=embedder, cancelled=lambda: embedder.calls > 1)
    assert set(workspace._tables.names()) == tables
    row = workspace.indexes()[0]
    assert (row.fingerprint, row.state, row.chunks) == (before.fingerprint, "complete", before.chunks)
    assert workspace.index().text_search(TextQuery("apples"), 3)


def test_cancel_of_the_first_run_leaves_what_is_done(
    workspace: Workspace, embedder: FakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The documents that are committed can be searched; the index says that it is not finished."""
    monkeypatch.setattr(running, "_AT_ONCE", 1)
    stop = [False]

    def on_progress(progress: IndexProgress) -> None:
        stop[0] = progress.message == "Writing beta.md"

    with pytest.raises(Cancelled):
        build_index(workspace, SMALL, embedder=embedder, on_progress=on_progress, cancelled=lambda: stop[0])
    index = workspace.index()
    assert index.row.state == "incomplete"
    assert "did not finish" in staleness(workspace, index.row)
    assert index.text_search(TextQuery("apples"), 3)
    encoded = embedder.texts_encoded
    assert build_index(workspace, SMALL, embedder=embedder).embedded == 0
    assert (embedder.texts_encoded, workspace.index().row.state) == (encoded, "complete")


def test_a_document_that_cannot_be_cut_is_reported(
    workspace: Workspace, embedder: FakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others are indexed; what the index held of the failed one stays."""
    import chunking.splitting

    build_index(workspace, SMALL, embedder=embedder)
    before = workspace.index().chunks_of("beta")
    workspace.put_documents([guide("alpha", "plums"), guide("beta", "planes")])
    cut = chunking.splitting.split_document

    def fails(document: Document, config: Config, **options: object) -> object:
        if document.doc_id == "beta":
            raise ParseError("beta.md cannot be cut today.")
        return cut(document, config, **options)

    monkeypatch.setattr(chunking.splitting, "split_document", fails)
    plan = make_plan(workspace, SMALL, embedder=embedder)
    report = run_plan(workspace, plan, embedder=embedder)
    assert [failure.as_record() for failure in report.failed] == [
        {"source": "beta.md", "error": "beta.md cannot be cut today."}
    ]
    assert plan.failed == report.failed
    assert workspace.index().chunks_of("beta") == before


def test_a_vector_index_is_made_where_the_settings_ask_for_one(workspace: Workspace, embedder: FakeEmbedder) -> None:
    """The index says which; a search that uses it finds what stands there, and without one there is none."""
    workspace.put_documents([guide(f"more{n}", "apples", "pears", "plums") for n in range(12)])
    settings = {"size": "16", "min_size": "0", "index.vector_index": "ivf_sq", "index.partitions": "2"}
    assert build_index(workspace, Config.from_settings(settings), embedder=embedder).chunks > 256
    index = workspace.index()
    assert "ivf_sq" in index.row.built.vector_index
    chunk = index.chunks_of("alpha")[3]
    (best,) = index.vector_search(embedder.embed([chunk.embedding_content])[0], 1)
    assert best.chunk.embedding_content == chunk.embedding_content
    build_index(workspace, SMALL, embedder=embedder)
    assert workspace.index().row.built.vector_index == ""


def test_a_run_needs_the_lock(workspace: Workspace, embedder: FakeEmbedder) -> None:
    """A second writer is told at once; the first is not disturbed."""
    plan = make_plan(workspace, SMALL, embedder=embedder)
    other = Workspace.open(workspace.uri)
    with other.writer(), pytest.raises(LockedError, match="Another process is writing"):
        run_plan(workspace, plan, embedder=embedder)
    assert run_plan(workspace, plan, embedder=embedder).chunks == plan.chunks


def test_a_dry_run_writes_nothing(tmp_path: Path, embedder: FakeEmbedder) -> None:
    """It tells what would be, down to the number of texts to embed."""
    workspace = Workspace.open(tmp_path / "workspace")
    dry = index_documents(workspace, [ALPHA, BETA], SMALL, dry_run=True, embedder=embedder)
    assert (workspace.documents(), workspace.indexes(), embedder.calls) == ([], [], 0)
    wet = index_documents(workspace, [ALPHA, BETA], SMALL, embedder=embedder)
    assert (dry.documents, dry.chunks, dry.embedded, dry.reused) == (
        wet.documents,
        wet.chunks,
        wet.embedded,
        wet.reused,
    )
    assert list(wet.as_record()) == [
        "documents",
        "chunks",
        "vectors",
        "embedded",
        "reused",
        "removed",
        "failed",
        "seconds",
        "fingerprint",
        "name",
        *MORE,
    ]


def test_unknown_documents_are_named(workspace: Workspace, embedder: FakeEmbedder) -> None:
    """A plan for a document that is not there is a mistake, not an empty index."""
    with pytest.raises(NotFoundError, match="'nobody'"):
        make_plan(workspace, SMALL, doc_ids=["alpha", "nobody"], embedder=embedder)


def test_an_empty_workspace_makes_an_empty_plan(tmp_path: Path, embedder: FakeEmbedder) -> None:
    """No documents, no chunks, no error."""
    plan = make_plan(Workspace.open(tmp_path / "empty"), SMALL, embedder=embedder)
    assert (plan.documents, plan.chunks, plan.new, plan.removed, plan.unknown_share) == (0, 0, 0, 0, 0.0)


def test_the_same_path_is_a_new_version(tmp_path: Path) -> None:
    """Added again it keeps its id, and the earlier version's hash and date stay known (P8)."""
    workspace, file = Workspace.open(tmp_path / "w"), tmp_path / "docs" / "a.md"
    file.parent.mkdir()
    file.write_text("# One")
    first = add_files(workspace, [file.parent])[0][0]
    file.write_text("# Two")
    add_files(workspace, [file.parent])
    (row,) = workspace.documents()
    assert (row.doc_id, row.title) == ("a", "Two")
    assert [(version.hash, version.updated_at) for version in row.versions] == [(first.hash, first.updated_at)]


def test_one_path_twice_in_a_batch_is_two_documents(tmp_path: Path) -> None:
    """Files of one name from two folders are kept apart, and find their own versions again."""
    workspace = Workspace.open(tmp_path / "w")
    folders = [tmp_path / "x", tmp_path / "y"]
    for folder in folders:
        folder.mkdir()
        (folder / "a.md").write_text(f"# In {folder.name}\n\n## Below")
    for _ in range(2):
        documents, failed = add_files(workspace, folders)
        assert ([document.doc_id for document in documents], failed) == (["a", "a_2"], [])
    assert [row.title for row in workspace.documents()] == ["In x", "In y"]
    second = workspace.document("a_2")
    assert [(section.section_id, section.parent_id) for section in second.sections] == [
        ("a_2_sec0", None),
        ("a_2_sec1", "a_2_sec0"),
    ]


def test_equal_file_names_keep_their_ids_in_a_second_run(tmp_path: Path) -> None:
    """The tenth and later ones too: a second run changes nothing."""
    workspace, folders = Workspace.open(tmp_path / "w"), [tmp_path / f"{number:02}" for number in range(12)]
    for folder in folders:
        folder.mkdir()
        (folder / "a.md").write_text(f"# In {folder.name}")
    first, again = (
        [(document.doc_id, document.title) for document in add_files(workspace, folders)[0]] for _ in range(2)
    )
    assert again == first


def test_bad_files_are_reported_and_good_ones_kept(tmp_path: Path) -> None:
    """W2: one sentence a bad file."""
    (tmp_path / "good.md").write_text("# Good")
    (tmp_path / "empty.md").write_text("")
    documents, failed, sources = read_files([tmp_path])
    assert not sources
    assert [document.source for document in documents] == ["good.md"]
    assert [failure.source for failure in failed] == ["empty.md"]
    assert "empty" in failed[0].error


def test_many_documents_do_not_pile_up_files(
    tmp_path: Path, embedder: FakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small ones share a commit; files are merged on the way, each time after twice as many rows."""
    workspace = Workspace.open(tmp_path / "w")
    workspace.put_documents([guide(f"d{n}", "apples") for n in range(45)])
    files: list[int] = []

    def on_progress(progress: IndexProgress) -> None:
        if progress.message.startswith("Writing"):
            table = workspace._tables.table(workspace.index().row.table)
            files.append(table.stats()["fragment_stats"]["num_fragments"])

    build_index(workspace, SMALL, embedder=embedder, on_progress=on_progress)
    assert len(files) == 1
    monkeypatch.setattr(running, "_AT_ONCE", 1)
    monkeypatch.setattr(running, "_FIRST_UPKEEP", 10)
    workspace.drop_index("main")
    files.clear()
    rows = build_index(workspace, SMALL, embedder=embedder, on_progress=on_progress).chunks
    assert len(files) > 20
    assert max(files) < len(files) * 3 / 4
    assert workspace.index().count() == rows


def test_files_come_in_their_order_and_are_reported(tmp_path: Path) -> None:
    """Several are read side by side; documents, faults and progress keep the order of the names."""
    for number in range(12):
        (tmp_path / f"{number:02}.md").write_text(
            "" if number % 4 == 1 else "# T\n\nText of a file.\n\n" * 300 * (12 - number)
        )
    message: list[tuple[int, int, str]] = []
    read = read_files(
        [tmp_path], on_progress=lambda progress: message.append((progress.done, progress.total, progress.message))
    )
    assert [document.source for document in read.documents] == [f"{n:02}.md" for n in range(12) if n % 4 != 1]
    assert [failure.source for failure in read.failed] == ["01.md", "05.md", "09.md"]
    assert message == [(n + 1, 12, f"Read {n:02}.md") for n in range(12)]


def test_cancelling_saves_nothing(tmp_path: Path) -> None:
    """Law 9: the workspace is as it was, and no process reads on."""
    workspace, folder = Workspace.open(tmp_path / "w"), tmp_path / "docs"
    folder.mkdir()
    for number in range(6):
        (folder / f"{number}.md").write_text("# T\n\nText of a file.\n\n" * 3_000)
    with pytest.raises(Cancelled):
        add_files(workspace, [folder], cancelled=lambda: True)
    assert workspace.documents() == []
    assert [document.title for document in add_files(workspace, [folder / "0.md"])[0]] == ["T"]


def test_drawn_formats_keep_their_files(tmp_path: Path) -> None:
    """The file behind a document whose pages can be drawn is saved with it, as it is on the disk at that time."""
    workspace, folder = Workspace.open(tmp_path / "w"), tmp_path / "docs"
    folder.mkdir()
    (folder / "a.pdf").write_bytes(one_page_pdf("Text of the first page."))
    (folder / "b.md").write_text("# T")
    read = read_files([folder])
    assert [document.format for document in read.documents] == ["pdf", "markdown"]
    save(workspace, read.documents, read.sources)
    assert workspace.file(read.documents[0].hash) == (folder / "a.pdf").read_bytes()
    assert workspace.file(read.documents[1].hash) is None
    assert list(read.sources) == [read.documents[0].hash]
    (folder / "a.pdf").write_bytes(b"changed since")
    assert read.sources.get(read.documents[0].hash) is None
    (folder / "a.pdf").unlink()
    assert read.sources.get(read.documents[0].hash) is None
    assert len(read.sources) == 1


def test_a_folder_skips_ambiguous_files_without_known_content(tmp_path: Path) -> None:
    """`.json` and `.zip` may be anything: a folder gives those that a parser named, and any that is asked for."""
    for name in ("package.json", "paper_content_list.json", "backup.zip"):
        (tmp_path / name).write_text('{"a": 1}')
    assert [file.name for file, _ in find_files([tmp_path])] == ["paper_content_list.json"]
    assert [file.name for file, _ in find_files([tmp_path / "package.json"])] == ["package.json"]
