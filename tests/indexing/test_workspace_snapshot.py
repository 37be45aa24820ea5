"""The snapshot that the samples come as: what the ordinary way gives, refused where it is not, and never half there."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chunking import versions
from chunking.config import DEFAULT_MODEL, Config, EmbeddingConfig
from chunking.embedding import Encoding, EncodingSnapshot, LateEncoder, LocalEmbedder, load_embedder
from chunking.errors import StoreError
from chunking.evaluation import (
    EvaluationOptions,
    EvaluationRun,
    LiveRecall,
    Measure,
    QuestionPart,
    Trials,
    documents_key,
    evaluate,
    is_current,
    load_set,
    read_questions,
    score_run,
)
from chunking.indexing import WorkspaceSnapshot, add_files, build_index, make_plan
from chunking.parsing import find_files, parse, parse_file
from chunking.parsing.document import LoadedFile, load_file
from chunking.samples import SAMPLE_SET, sample_indexes, save_questions
from chunking.store import Index, TextQuery, Workspace
from chunking.store.engine.lance_tables import Tables
from tests.support.stand_in_model import stand_in_model

SAMPLES = Path(__file__).parents[2] / "sample_data"
SNAPSHOT = SAMPLES / "snapshot.npz"


def embedder_of(config: EmbeddingConfig) -> LocalEmbedder:
    output = load_embedder(config)
    assert isinstance(output, LocalEmbedder)
    return output


@pytest.fixture(scope="module")
def snapshot() -> WorkspaceSnapshot:
    return WorkspaceSnapshot.read(SNAPSHOT)


@pytest.fixture(scope="module")
def files() -> list[LoadedFile]:
    return [load_file(path, root) for path, root in find_files([SAMPLES])]


@pytest.fixture(scope="module")
def model() -> Iterator[LocalEmbedder]:
    """The default model's stand-in: whoever asks it for a vector gets one that is in no snapshot."""
    with stand_in_model():
        yield embedder_of(Config().embedding)


@pytest.fixture(scope="module")
def filled_workspace(
    tmp_path_factory: pytest.TempPathFactory, snapshot: WorkspaceSnapshot, files: list[LoadedFile], model: LocalEmbedder
) -> Workspace:
    """A workspace that was filled from the snapshot."""
    return filled(tmp_path_factory.mktemp("filled_workspace") / "workspace", snapshot, files, model)


@pytest.fixture(scope="module")
def ordinary(tmp_path_factory: pytest.TempPathFactory, snapshot: WorkspaceSnapshot, model: LocalEmbedder) -> Workspace:
    """The same files read, split and indexed, with nothing from the snapshot but vectors."""
    output = Workspace.open(tmp_path_factory.mktemp("ordinary") / "workspace")
    add_files(output, [SAMPLES])
    snapshot.put_vectors(output, model)
    for name, config in sample_indexes().items():
        assert build_index(output, config, name=name).embedded == 0, "run make samples"
    return output


def filled(folder: Path, snapshot: WorkspaceSnapshot, files: list[LoadedFile], embedder: LocalEmbedder) -> Workspace:
    target = Workspace.open(folder)
    with target.writer():
        snapshot.put_into(target, files, sample_indexes(), embedder)
    return target


def rows_of(index: Index) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in index.table_rows()}


class TestEqual:
    """Else run `make samples`."""

    def test_the_committed_snapshot_fits_code_files_and_model(
        self, snapshot: WorkspaceSnapshot, files: list[LoadedFile], model: LocalEmbedder
    ) -> None:
        """This version's code and settings, these files, the default model."""
        assert snapshot.misfit(files, sample_indexes(), model) == "", "run make samples"

    def test_the_documents_are_those_that_are_read(self, filled_workspace: Workspace, ordinary: Workspace) -> None:
        """All of them with all they have, their dates and kept files too."""
        ids = [row.doc_id for row in ordinary.documents()]
        assert list(filled_workspace.read_documents(ids)) == list(ordinary.read_documents(ids))
        assert [row.stamp for row in filled_workspace.documents()] == [row.stamp for row in ordinary.documents()]
        kept = [row.hash for row in ordinary.documents() if ordinary.file(row.hash) is not None]
        assert kept
        assert [filled_workspace.file(one) for one in kept] == [ordinary.file(one) for one in kept]

    @pytest.mark.parametrize("name", list(sample_indexes()))
    def test_each_index_is_that_which_is_built(
        self, filled_workspace: Workspace, ordinary: Workspace, name: str
    ) -> None:
        """By its fingerprint, by the content of every row, and by the vectors."""
        output, built = filled_workspace.index(name), ordinary.index(name)
        same = (
            "name",
            "config",
            "config_fingerprint",
            "code_version",
            "model_key",
            "fingerprint",
            "state",
            "documents",
            "chunks",
            "scope",
        )
        assert [getattr(output.row, name) for name in same] == [getattr(built.row, name) for name in same]
        assert (output.row.unknown_share, output.row.built) == (built.row.unknown_share, built.row.built)
        assert rows_of(output) == rows_of(built)
        assert dict(output.levels) == dict(built.levels)
        for level in built.levels:
            one, other = output.vectors_of(level), built.vectors_of(level)
            places = {chunk_id: number for number, chunk_id in enumerate(one.ids)}
            assert np.allclose(one.vectors[[places[chunk_id] for chunk_id in other.ids]], other.vectors, atol=1e-6)

    def test_there_is_nothing_left_to_do(self, filled_workspace: Workspace) -> None:
        """For the next run, whose plan finds every document as it is; pages open with the default settings' index."""
        for name, config in sample_indexes().items():
            plan = make_plan(filled_workspace, config, name=name)
            assert (plan.new, plan.unchanged, plan.rebuild) == (0, plan.documents, False)
        assert [row.name for row in filled_workspace.indexes()] == ["main", "baseline"]

    def test_the_runs_are_those_that_measuring_gives(self, filled_workspace: Workspace, ordinary: Workspace) -> None:
        """Of the baseline and the default settings, on all questions and on the dev split: current, under the keys that
        they would have now, and finding what searches on the indexes that are built find. A sample is asked again;
        below the first results, near ties may be in another order, as the vectors here are rounded to 16 bits.
        """
        save_questions(ordinary, list(ordinary.read_documents([row.doc_id for row in ordinary.documents()])))
        every = load_set(ordinary, SAMPLE_SET).questions
        there = {key: EvaluationRun.from_json(text) for key, text in filled_workspace.runs.all().items()}
        now = documents_key(filled_workspace.documents())
        assert all(is_current(run, now) for run in there.values()), "run make samples"
        forms = (every, every.of(QuestionPart.TUNE))
        assert len(there) == len(sample_indexes()) * len(forms)
        some = [one.id for one in every.questions if one.part is QuestionPart.TUNE][::12]
        with Trials(ordinary) as trials:
            for config in sample_indexes().values():
                options = EvaluationOptions(part=QuestionPart.TUNE, only=some, keep=False)
                fresh = evaluate(ordinary, every, config, options, trials=trials)
                stored = there[fresh.key]
                assert stored.documents == fresh.documents
                answered = {one.question_id: one for one in stored.answered}
                asked_now = every.only(some)
                same = replace(stored, answered=tuple(answered[one.question_id] for one in fresh.answered))
                one, other = (score_run(run, asked_now, Measure(run.n)) for run in (same, fresh))
                assert one.recall.tolist() == other.recall.tolist()
                assert np.allclose(one.context_tokens, other.context_tokens, rtol=0.1)
                for form in forms:
                    (run,) = [
                        run for run in there.values() if (run.config, run.questions) == (config, form.fingerprint)
                    ]
                    assert len(run.answered) == len(form)
                    assert all(one == answered.get(one.question_id, one) for one in run.answered)

    def test_the_full_text_finds_what_it_finds_there(self, filled_workspace: Workspace, ordinary: Workspace) -> None:
        """English and Chinese words."""
        for words in ("firmware rollout", "错误代码"):
            result = [
                [hit.chunk.chunk_id for hit in one.index("main").text_search(TextQuery(words), 5)]
                for one in (filled_workspace, ordinary)
            ]
            assert result[0] == result[1]
            assert result[0]

    def test_live_recall_asks_no_model(self, filled_workspace: Workspace, model: LocalEmbedder) -> None:
        """Every document, title and question was encoded; the units are those that the model's tokenizer makes."""
        documents = list(filled_workspace.read_documents([row.doc_id for row in filled_workspace.documents()]))
        questions = read_questions((SAMPLES / "questions.jsonl").read_bytes(), "questions.jsonl", documents).questions
        assert len(questions) > 200
        assert LiveRecall(
            documents,
            Config().embedding,
            questions,
            encodings=filled_workspace.encodings,
            vectors=filled_workspace.vectors,
        ).is_cached
        short = min(documents, key=lambda one: len(one.text))
        encoder = LateEncoder(model, Config().embedding.late_window)
        kept = LateEncoder(
            model, Config().embedding.late_window, filled_workspace.encodings, filled_workspace.vectors
        ).encode(short)
        fresh = encoder.encode(short)
        for part in ("starts", "ends", "tokens"):
            assert np.array_equal(getattr(kept, part), getattr(fresh, part))


class TestRefused:
    def test_a_snapshot_of_other_files_does_not_fit(
        self, snapshot: WorkspaceSnapshot, files: list[LoadedFile], model: LocalEmbedder
    ) -> None:
        """Changed, missing, or more of them."""
        changed = [files[0]._replace(data=files[0].data + b"\n"), *files[1:]]
        for others in (changed, files[1:], [*files, files[0]._replace(source="more.md")]):
            assert "files" in snapshot.misfit(others, sample_indexes(), model)

    @pytest.mark.parametrize(
        "version", ["PARSING_VERSION", "SPLITTING_VERSION", "CONTEXT_VERSION", "RETRIEVAL_VERSION"]
    )
    def test_a_snapshot_of_other_versions_does_not_fit(
        self,
        snapshot: WorkspaceSnapshot,
        files: list[LoadedFile],
        model: LocalEmbedder,
        version: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """That would read, split or embed in another way; and another format of the file."""
        assert snapshot.misfit(files, sample_indexes(), model) == ""
        monkeypatch.setattr(versions, version, 99)
        assert "version" in snapshot.misfit(files, sample_indexes(), model)
        monkeypatch.undo()
        assert "version" in replace(snapshot, about={**snapshot.about, "format": 0}).misfit(
            files, sample_indexes(), model
        )

    def test_a_snapshot_of_other_settings_or_models_does_not_fit(
        self, snapshot: WorkspaceSnapshot, files: list[LoadedFile], model: LocalEmbedder
    ) -> None:
        """Also a model that is told of questions, and none at all; fewer indexes, and in another order."""
        own = sample_indexes()
        others = ({**own, "main": Config.from_settings({"size": 300})}, {"main": Config()}, dict(reversed(own.items())))
        for changed in others:
            assert "settings" in snapshot.misfit(files, changed, model)
        other = replace(snapshot, passages=replace(snapshot.passages, model="another@1"))
        prefixed = embedder_of(EmbeddingConfig(query_prefix="question: "))
        for one, embedder in ((other, model), (snapshot, prefixed), (snapshot, None)):
            assert "model" in one.misfit(files, sample_indexes(), embedder)

    def test_a_damaged_file_is_a_sentence(self, tmp_path: Path) -> None:
        """Cut off, empty, something else, or not there; packed rows that are damaged, too."""
        data, array = SNAPSHOT.read_bytes(), io.BytesIO()
        np.save(array, np.zeros(3))
        entry = data.rindex(b"PK\x01\x02")  # of the list of members: the flag of encryption, and an unknown compression
        locked, packed = (
            data[: entry + at] + bytes([value]) + data[entry + at + 1 :]
            for at, value in ((8, data[entry + 8] | 1), (10, 99))
        )
        zeros = data[:200_000] + b"\0" * 64 + data[200_064:]
        for number, damaged in enumerate((data[:-2000], b"", b"no snapshot", array.getvalue(), locked, packed, zeros)):
            path = tmp_path / f"{number}.npz"
            path.write_bytes(damaged)
            with pytest.raises(StoreError, match=path.name):
                WorkspaceSnapshot.read(path)
        with pytest.raises(StoreError):
            WorkspaceSnapshot.read(tmp_path / "none.npz")
        with pytest.raises(StoreError):
            replace(WorkspaceSnapshot.read(SNAPSHOT), packed_documents=b"other bytes").documents  # noqa: B018
        with pytest.raises(StoreError):
            replace(WorkspaceSnapshot.read(SNAPSHOT), packed_runs=b"other bytes").runs  # noqa: B018


class _KilledError(BaseException):
    """What ends a process."""


@pytest.mark.parametrize("calls", [0, 2, 6, 9, 12, 15, 18])
def test_a_kill_leaves_a_workspace_that_is_filled_at_the_next_start(
    calls: int,
    tmp_path: Path,
    snapshot: WorkspaceSnapshot,
    files: list[LoadedFile],
    model: LocalEmbedder,
    filled_workspace: Workspace,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whichever of its writes it comes before: no document is there before all is there (law 9)."""
    run, left = Tables.run, iter(range(calls))

    def killed(*args: Any) -> Any:
        if next(left, None) is None:
            raise _KilledError
        return run(*args)

    with monkeypatch.context() as patch:
        patch.setattr(Tables, "run", killed)
        with pytest.raises(_KilledError):
            filled(tmp_path / "workspace", snapshot, files, model)
    again = Workspace.open(tmp_path / "workspace")
    assert again.untouched
    assert again.documents() == []
    again = filled(tmp_path / "workspace", snapshot, files, model)
    assert not again.untouched
    assert {row.name for row in again.indexes()} == set(sample_indexes())
    assert set(again.runs.names()) == set(filled_workspace.runs.names())
    assert all(rows_of(again.index(name)) == rows_of(filled_workspace.index(name)) for name in sample_indexes())


def test_a_workspace_is_untouched_until_a_document_was_saved(tmp_path: Path) -> None:
    """Deleting them all does not make it so again, nor do saved vectors touch it."""
    workspace = Workspace.open(tmp_path / "workspace")
    workspace.vectors.put({"key": np.ones(3, np.float32)})
    assert workspace.untouched
    document = parse_file(SAMPLES / "faq" / "faq.txt", root=SAMPLES)
    workspace.put_document(document)
    workspace.delete_documents([document.doc_id])
    assert not Workspace.open(tmp_path / "workspace").untouched


def test_a_workspace_can_begin_empty(tmp_path: Path) -> None:
    """It stays so, and takes documents like any other; one that has some keeps them."""
    workspace = Workspace.open(tmp_path / "workspace")
    workspace.begin_empty()
    assert (Workspace.open(tmp_path / "workspace").untouched, workspace.documents()) == (False, [])
    workspace.put_document(parse(b"# A\n\nWords.\n", "a.md"))
    workspace.begin_empty()
    assert len(workspace.documents()) == 1


def test_what_is_written_is_read_again_and_makes_the_same_bytes(snapshot: WorkspaceSnapshot, tmp_path: Path) -> None:
    """As small as it is worth, and naming no machine."""
    snapshot.write(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == SNAPSHOT.read_bytes()
    assert SNAPSHOT.stat().st_size < 2_300_000
    assert snapshot.passages.model.startswith(f"{DEFAULT_MODEL}@")
    assert "/" not in json.dumps({**snapshot.about, "files": {}})


def test_rounded_encodings_come_back_near(model: LocalEmbedder) -> None:
    """Each state with a cosine of 0.9999 or more; titles and their tokens too."""
    document = parse_file(SAMPLES / "faq" / "faq.txt", root=SAMPLES)
    encoder = LateEncoder(model, 256)
    output = EncodingSnapshot.from_arrays(EncodingSnapshot.of([document], encoder).arrays())
    back = Encoding.from_bytes(output.encodings([document], encoder)[encoder.encoding_key(document)])
    exact = encoder.encode(document)
    one, other = back.means.astype(np.float32), exact.means.astype(np.float32)
    assert ((one * other).sum(axis=1) / np.linalg.norm(one, axis=1) / np.linalg.norm(other, axis=1)).min() > 0.9999
    assert np.allclose(back.edge, exact.edge)
    titles = output.title_states([document], encoder)
    assert titles.keys() == encoder.context_texts(document, ()).texts.keys()
    assert all(vector[-1] >= 1 for vector in titles.values())
