"""A run over a small collection: what is measured is kept, a stopped run goes on, and the docs have whole runs only."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest

from benchmarks import __main__ as program
from benchmarks.quality import quality_run, rankings
from benchmarks.quality.quality_run import run
from chunking.errors import QuestionError
from chunking.evaluation import EvaluationRun, Trials, evaluate
from tests.benchmarks.quality import forms
from tests.support.stand_in_model import stand_in_model

ROWS = ("default", "Recursive 200/0")


@pytest.fixture(autouse=True)
def model() -> Iterator[None]:
    with stand_in_model():
        yield


@pytest.fixture
def data(tmp_path: Path) -> str:
    (tmp_path / "data").mkdir()
    return str(forms.samples(tmp_path / "data"))


@pytest.fixture
def indexes(monkeypatch: pytest.MonkeyPatch) -> Mock:
    """Counts the indexes that are asked for."""
    trial = Trials.trial
    counter = Mock(side_effect=lambda *args, **options: trial(*args, **options))
    monkeypatch.setattr(Trials, "trial", lambda *args, **options: counter(*args, **options))
    return counter


def test_short_documents_are_found_by_product_and_rebuilt_method(data: str, tmp_path: Path) -> None:
    """Each document is a chunk, and five are shown of four."""
    table = run(collections=[data], configurations=ROWS, keep=tmp_path / "keep")
    (collection,) = table.collections
    for name in ROWS:
        assert [place.recall for place in table.curve(name)][-1] == 1
        assert len(collection.figures[name]) > 4
    assert table.markdown().count("100.0 ·") >= 2 * len(ROWS)


def test_a_second_run_measures_nothing(
    data: str, tmp_path: Path, indexes: Mock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a search nor a rebuilt method."""
    first = run(collections=[data], configurations=ROWS, keep=tmp_path / "keep")
    assert indexes.called
    indexes.reset_mock()
    monkeypatch.setattr(rankings, "ranking", Mock(side_effect=AssertionError))
    again = run(collections=[data], configurations=ROWS, keep=tmp_path / "keep")
    assert not indexes.called
    assert again.markdown() == first.markdown()


def test_a_stopped_run_goes_on_where_it_was(
    data: str, tmp_path: Path, indexes: Mock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Questions are saved a part at a time; here a part is one question of four."""
    parts: list[EvaluationRun] = []

    def stopping(*args: object, **options: object) -> EvaluationRun:
        if len(parts) == 3:
            raise KeyboardInterrupt
        parts.append(evaluate(*args, **options))
        return parts[-1]

    monkeypatch.setattr(rankings, "PART", 1)
    with monkeypatch.context() as patch:
        patch.setattr(rankings, "evaluate", stopping)
        with pytest.raises(KeyboardInterrupt):
            run(collections=[data], configurations=ROWS[:1], keep=tmp_path / "keep")
    assert indexes.call_count == 3
    run(collections=[data], configurations=ROWS[:1], keep=tmp_path / "keep")
    assert indexes.call_count == 4


def test_a_missing_model_is_a_sentence_in_the_notes(data: str, tmp_path: Path, indexes: Mock) -> None:
    """The other rows stay, and nothing is built for it."""
    names = (ROWS[1], "default, no-such-model")
    table = run(models=["no-such-model"], collections=[data], configurations=names, keep=tmp_path / "keep")
    assert [one.name for one in table.configurations] == [ROWS[1]]
    assert [note for note in table.notes if "no-such-model" in note]
    assert not indexes.called


def test_a_collection_of_one_document_has_no_report_half(data: str, tmp_path: Path) -> None:
    (Path(data) / "questions.jsonl").write_text(
        (Path(data) / "questions.jsonl").read_text(encoding="utf-8").splitlines()[0], encoding="utf-8"
    )
    table = run(collections=[data], configurations=ROWS[1:], keep=tmp_path / "keep")
    assert (list(table.collections), len(table.notes)) == ([], 1)
    tuned = run(collections=[data], configurations=ROWS[1:], half="tune", keep=tmp_path / "keep")
    assert "–" in tuned.markdown()


def test_an_unknown_row_names_the_known_ones(data: str, tmp_path: Path) -> None:
    with pytest.raises(QuestionError, match="TokenText 250/125"):
        run(collections=[data], configurations=["best"], keep=tmp_path / "keep")


def test_a_run_of_a_part_leaves_the_documentation_alone(
    data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is printed; a run that is stopped says so and keeps what it has."""
    monkeypatch.setattr(program, "write_block", Mock(side_effect=AssertionError))
    monkeypatch.setattr(quality_run, "draw_pictures", Mock(side_effect=AssertionError))
    words = ["quality", "--collection", data, "--configuration", ROWS[1], "--keep", str(tmp_path / "keep")]
    assert program.main(words) == 0
    assert ROWS[1] in capsys.readouterr().out
    monkeypatch.setattr(rankings.CollectionRankings, "of", Mock(side_effect=KeyboardInterrupt))
    assert program.main(words) == 130
    assert "kept" in capsys.readouterr().err
    assert program.main([*words[:2], "nowhere", *words[3:]]) == 1
