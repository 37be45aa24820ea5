"""An index in other vector stores: its very vectors, and of a second run only what has changed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from chunking.config import Config
from chunking.errors import Cancelled, ConfigError, MissingPackageError, NotFoundError, StoreError
from chunking.export.frameworks import flat_metadata
from chunking.indexing import IndexProgress, build_index
from chunking.integrations import WRITERS, write_index
from chunking.integrations.writers import index_writing
from chunking.integrations.writers.arrow_targets import METADATA_NUMBERS, METADATA_TEXTS
from chunking.integrations.writers.index_writing import update_target
from chunking.integrations.writers.vector_target import GuardedTarget, vector_rows
from chunking.parsing import parse
from chunking.store import Workspace
from tests.integrations.stored_rows import MAKE_FOREIGN, READ, MemoryTarget
from tests.support.shelf import COPY, SHELF
from tests.support.word_embedder import WordEmbedder

CONFIG = Config.from_settings({"size": "32", "min_size": "0", "granularities": "2", "parent_size": "96"})
PACKAGES = {"chroma": "chromadb", "qdrant": "qdrant_client"}


def build(workspace: Workspace) -> None:
    """The index as the documents are now."""
    build_index(workspace, CONFIG, embedder=WordEmbedder())


@pytest.fixture
def shelf(tmp_path: Path) -> Workspace:
    """Three documents with an index of chunks, larger chunks and parents."""
    workspace = Workspace.open(tmp_path / "workspace")
    workspace.put_documents([parse(text.encode(), source) for source, text in SHELF.items()])
    build(workspace)
    return workspace


@pytest.fixture(params=[row.name for row in WRITERS])
def writer(request: pytest.FixtureRequest) -> str:
    """Every writer whose package is installed."""
    package = PACKAGES.get(request.param, "pyarrow")
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    return str(request.param)


def holds_the_index(workspace: Workspace, writer: str, place: Path, levels: tuple[str, ...] = ("chunk",)) -> None:
    """Every chunk with its text, metadata and vector bit for bit, and nothing else."""
    index, there = workspace.index(), READ[writer](place, "chunks")
    chunks = [chunk for level in levels for chunk in index.by_level(level)]
    vectors = index.vectors_by_id(chunk.chunk_id for chunk in chunks)
    assert there.keys() == {chunk.chunk_id for chunk in chunks}
    for chunk in chunks:
        row = there[chunk.chunk_id]
        assert row.text == chunk.content
        assert row.metadata == flat_metadata(chunk) | ({"prefix": chunk.prefix} if chunk.prefix else {})
        assert np.array_equal(row.vector, vectors[chunk.chunk_id])


def test_only_what_has_changed_is_written(shelf: Workspace, writer: str, tmp_path: Path) -> None:
    """All of it first, nothing the second time; then a changed document's rows, then a deleted one's."""
    place = tmp_path / "store"
    first = write_index(shelf, writer, str(place))
    count = shelf.index().count()
    assert (first.written, first.unchanged, first.deleted, first.fingerprint) == (
        count,
        0,
        0,
        shelf.index().fingerprint,
    )
    holds_the_index(shelf, writer, place)

    second = write_index(shelf, writer, str(place))
    assert (second.written, second.unchanged, second.deleted) == (0, count, 0)

    changed = parse(COPY.replace("Log in", "Sign in").encode(), "guide/quick_start.md")
    shelf.put_document(changed)
    build(shelf)
    own = len(shelf.index().chunks_of(changed.doc_id))
    third = write_index(shelf, writer, str(place))
    assert 0 < third.written <= own
    assert third.written + third.unchanged == shelf.index().count()
    holds_the_index(shelf, writer, place)

    gone = len(shelf.index().chunks_of("guide_handbook"))
    shelf.delete_documents(["guide_handbook"])
    build(shelf)
    fourth = write_index(shelf, writer, str(place))
    assert (fourth.written, fourth.deleted) == (0, gone)
    holds_the_index(shelf, writer, place)


def test_levels_are_chosen(shelf: Workspace, writer: str, tmp_path: Path) -> None:
    """Larger chunks too; a level that is not chosen any more is deleted."""
    both = write_index(shelf, writer, str(tmp_path / "store"), levels=("chunk", "x2"))
    assert both.written == shelf.index().count() + shelf.index().count("x2")
    holds_the_index(shelf, writer, tmp_path / "store", ("chunk", "x2"))
    one = write_index(shelf, writer, str(tmp_path / "store"), levels=("x2",))
    assert (one.written, one.deleted) == (0, shelf.index().count())
    holds_the_index(shelf, writer, tmp_path / "store", ("x2",))


def test_collections_are_kept_apart(shelf: Workspace, writer: str, tmp_path: Path) -> None:
    """Two in one place."""
    write_index(shelf, writer, str(tmp_path / "store"), collection="larger", levels=("x2",))
    write_index(shelf, writer, str(tmp_path / "store"))
    holds_the_index(shelf, writer, tmp_path / "store")
    assert READ[writer](tmp_path / "store", "larger").keys() == set(shelf.index().ids("x2"))


def test_what_others_wrote_is_left_alone(shelf: Workspace, writer: str, tmp_path: Path) -> None:
    """A collection of that name that Chunkscope did not write is refused, and stays."""
    MAKE_FOREIGN[writer](tmp_path / "store", "chunks")
    for _ in range(2):  # what it holds open is let go
        with pytest.raises(StoreError) as caught:
            write_index(shelf, writer, str(tmp_path / "store"))
        assert "chunks" in str(caught.value)


def test_vectors_of_another_model_are_refused(shelf: Workspace, writer: str, tmp_path: Path) -> None:
    """Both numbers are told."""
    write_index(shelf, writer, str(tmp_path / "store"))

    class Wide(WordEmbedder):
        key, dimension = "wide@1+fp32", 96

    build_index(shelf, CONFIG, embedder=Wide(), name="wide")
    with pytest.raises(StoreError) as caught:
        write_index(shelf, writer, str(tmp_path / "store"), index="wide")
    assert "64" in str(caught.value)
    assert "96" in str(caught.value)


def test_a_run_that_was_stopped_is_gone_on_with(
    shelf: Workspace, writer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two batches; what is there stays and is not written again."""
    monkeypatch.setattr(index_writing, "AT_ONCE", 4)
    steps: list[IndexProgress] = []
    with pytest.raises(Cancelled):
        write_index(shelf, writer, str(tmp_path / "store"), on_progress=steps.append, cancelled=lambda: len(steps) == 2)
    assert [step.done for step in steps] == [4, 8]
    report = write_index(shelf, writer, str(tmp_path / "store"), on_progress=steps.append)
    assert (report.written, report.unchanged) == (shelf.index().count() - 8, 8)
    assert steps[-1].done == steps[-1].total == shelf.index().count()
    holds_the_index(shelf, writer, tmp_path / "store")


def test_no_more_than_a_batch_is_in_memory(shelf: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Written, compared and deleted; an unchanged batch is not written."""
    monkeypatch.setattr(index_writing, "AT_ONCE", 3)
    index, target = shelf.index(), MemoryTarget()
    first = update_target(index, target, ("chunk", "x2"))
    assert target.largest == 3
    assert target.upserts == -(-first.written // 3)
    assert update_target(index, target, ("chunk", "x2")).written == 0
    assert target.upserts == -(-first.written // 3)
    assert update_target(index, target, ("x2",)).deleted == index.count()
    assert target.largest == 3


def test_a_store_that_fails_is_a_sentence(shelf: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next run goes on; a mistake of the program stays one."""
    monkeypatch.setattr(index_writing, "AT_ONCE", 5)
    target = MemoryTarget(fails_at=5)
    with pytest.raises(StoreError) as caught:
        update_target(shelf.index(), GuardedTarget(target, "place"), ("chunk",))
    assert "\n" not in str(caught.value)
    target.fails_at = None
    assert update_target(shelf.index(), GuardedTarget(target, "place"), ("chunk",)).unchanged == 5
    with pytest.raises(AttributeError):
        update_target(shelf.index(), GuardedTarget(None, "place"), ("chunk",))  # type: ignore[arg-type]


def test_every_property_has_a_column(shelf: Workspace) -> None:
    """A new key of the exports' metadata is not lost in the tables."""
    rows = vector_rows(shelf.index(), shelf.index().by_level("chunk"))
    names = {*METADATA_TEXTS, *METADATA_NUMBERS, "chunk_id"}
    assert {name for row in rows for name in row.metadata} <= names
    assert all(isinstance(row.metadata[name], int) for row in rows for name in METADATA_NUMBERS)


def test_wrong_names_are_refused(shelf: Workspace, tmp_path: Path) -> None:
    """A writer, a level, a level without vectors, an index; nothing is made."""
    for wrong in ({"writer": "papyrus"}, {"levels": ("x9",)}, {"levels": ("parent",)}):
        with pytest.raises(ConfigError):
            write_index(shelf, **{"writer": "parquet", "place": str(tmp_path / "store"), **wrong})  # type: ignore[arg-type]
    with pytest.raises(NotFoundError):
        write_index(shelf, "parquet", str(tmp_path / "store"), index="other")
    (tmp_path / "file").write_text("mine")
    with pytest.raises(StoreError):
        write_index(shelf, "parquet", str(tmp_path / "file"))
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize(("name", "package"), list(PACKAGES.items()))
def test_a_package_that_is_not_there_is_a_sentence(
    shelf: Workspace, name: str, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says what to install."""
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingPackageError):
        write_index(shelf, name, str(tmp_path / "store"))
