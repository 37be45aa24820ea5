"""Laws 7 and 9: embedded once, and nothing lost. (Kills and full disks are in test_worker.py.)"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.config import Config
from chunking.errors import Cancelled, ModelError, StoreError
from chunking.indexing import add_files, build_index, make_plan, run_plan
from chunking.parsing import parse
from chunking.store import TextQuery, Workspace
from tests.support.disks import full_at
from tests.support.examples import law
from tests.support.store_rows import FakeEmbedder

PARAGRAPHS = (
    "Switch the pump off before the filter is changed.",
    "The pressure must stay under four bar.",
    "更换滤芯之前请关闭电源。",
    "| part | number |\n|---|---|\n| seal | 17 |\n| valve | 23 |",
    "```sh\nsystemctl restart pump\n```",
    "Q: Why does it drip?\nA: The seal is worn.",
    "Switch the pump off before the filter is changed.",
)
versions = st.lists(st.integers(0, len(PARAGRAPHS) - 1), min_size=1, max_size=8)
steps = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from("abc"), versions, max_size=2),
        st.sampled_from([16, 24, 64]),
        st.sampled_from(["none", "title_path"]),
    ),
    min_size=2,
    max_size=5,
)


def document(name: str, paragraphs: list[int]) -> object:
    """A document of these paragraphs, in two sections."""
    half = len(paragraphs) // 2
    first, second = ("\n\n".join(PARAGRAPHS[n] for n in part) for part in (paragraphs[:half], paragraphs[half:]))
    return parse(f"# {name}\n\n{first}\n\n## More\n\n{second}\n".encode(), f"{name}.md")


@law(4)
@given(steps=steps)
def test_law_7_no_text_is_embedded_twice(steps: list[tuple[dict[str, list[int]], int, str]]) -> None:
    """Whatever is edited, resized and built again: each different text reaches the model once, as the plan said."""
    embedder = FakeEmbedder()
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace.open(folder)
        workspace.put_document(document("start", [0, 1]))
        for edits, size, prefix in steps:
            for name, paragraphs in edits.items():
                workspace.put_document(document(name, paragraphs))
            config = Config.from_settings({"size": size, "prefix": prefix})
            plan = make_plan(workspace, config, embedder=embedder)
            report = run_plan(workspace, plan, embedder=embedder)
            assert (report.embedded, report.reused, report.removed, report.vectors) == (
                plan.new,
                plan.reused,
                plan.removed,
                plan.vectors,
            )
            assert plan.new + plan.reused == plan.vectors
            assert make_plan(workspace, config, embedder=embedder).unchanged == report.documents
        assert max(embedder.embedded_texts.values()) == 1
        assert len(embedder.embedded_texts) == embedder.texts_encoded


def test_law_7_the_stored_vector_is_the_embedded_one(tmp_path: Path) -> None:
    """A vector from the cache is, bit by bit, what the model gave, in the index too."""
    embedder, workspace = FakeEmbedder(), Workspace.open(tmp_path)
    workspace.put_document(document("a", [0, 1, 2]))
    config = Config.from_settings({"size": 16})
    build_index(workspace, config, embedder=embedder)
    build_index(workspace, config, name="again", embedder=embedder)
    for chunk in workspace.index("again").chunks_of("a"):
        vector = workspace.vectors.get([embedder.cache_key(chunk.embedding_content)])[
            embedder.cache_key(chunk.embedding_content)
        ]
        best = workspace.index("again").vector_search(vector, 1)[0]
        assert (best.chunk.embedding_content, round(best.score, 5)) == (chunk.embedding_content, 1.0)


@pytest.fixture(scope="module")
def built_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a finished index over two documents; to be copied."""
    workspace = Workspace.open(tmp_path_factory.mktemp("built") / "workspace")
    workspace.put_documents([document("a", [0, 1, 2, 3]), document("b", [4, 5])])
    build_index(workspace, Config.from_settings({"size": 16}), embedder=FakeEmbedder())
    return Path(workspace.uri)


@pytest.fixture
def built(built_once: Path, tmp_path: Path) -> Workspace:
    """A copy of that."""
    return Workspace.open(shutil.copytree(built_once, tmp_path / "workspace"))


def state(workspace: Workspace) -> object:
    """All that a reader can see, read by a workspace opened anew."""
    reopened = Workspace.open(workspace.uri)
    documents = [reopened.document(row.doc_id) for row in reopened.documents()]
    index = reopened.index()
    assert index.text_search(TextQuery("pump"), 3)
    return documents, index.row, [index.chunks_of(row.doc_id) for row in reopened.documents()]


def test_law_9_a_failed_upload(built: Workspace, tmp_path: Path) -> None:
    """Bad files are told, and leave nothing behind; a good one beside them is kept."""
    before = state(built)
    for name, content in {"a.md": b"", "bad.md": bytes(range(256)) * 20}.items():
        (tmp_path / name).write_bytes(content)
    _, failed = add_files(built, [tmp_path / "a.md", tmp_path / "bad.md"])
    assert len(failed) == 2
    assert state(built) == before
    (tmp_path / "good.md").write_text("# Good")
    _, failed = add_files(built, [tmp_path / "a.md", tmp_path / "good.md"])
    assert len(failed) == 1
    assert [row.doc_id for row in built.documents()] == ["a", "b", "good"]


class Failing(FakeEmbedder):
    """Fails at the second call."""

    error: BaseException = ModelError("The model ran out of memory; choose a smaller batch.")

    def embed(self, texts, **options):
        if self.calls:
            raise self.error
        return super().embed(texts, **options)


@pytest.mark.parametrize("error", [Failing.error, Cancelled("Stopped."), KeyboardInterrupt(), MemoryError()])
def test_law_9_a_run_that_fails(built: Workspace, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """A model that fails, a cancel, Ctrl+C: the index that was there is there, equal, and the lock is free."""
    monkeypatch.setattr("chunking.indexing.run.index_run._AT_ONCE", 1)
    embedder = Failing()
    embedder.error = error
    before = state(built)
    with pytest.raises(type(error)):
        build_index(built, Config.from_settings({"size": 40}), embedder=embedder)
    assert state(built) == before
    report = build_index(built, Config.from_settings({"size": 40}), embedder=FakeEmbedder())
    assert report.reused > 0


@pytest.mark.parametrize("call", range(1, 30, 3))
def test_law_9_a_disk_that_fails_at_any_call(built: Workspace, call: int) -> None:
    """Each storage call of a rebuild in turn finds the disk full: the index from before stays, equal, or the new one is
    whole.
    """
    before = state(built)
    config = Config.from_settings({"size": 40})
    with full_at(built, call) as came:
        try:
            build_index(built, config, embedder=FakeEmbedder())
            failed = False
        except StoreError:
            failed = True
    assert failed == came()
    after = state(built)
    if after != before:
        assert (after[1].config, after[1].state) == (config, "complete")
        assert after[1].chunks == sum(len(chunks) for chunks in after[2])
    assert make_plan(built, config, embedder=FakeEmbedder()).documents == 2
    build_index(built, config, embedder=FakeEmbedder())
    assert [name for name in built._tables.names() if name.startswith("chunks_")] == [built.index().row.table]
