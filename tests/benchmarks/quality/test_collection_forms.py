"""Collections from disk: every form gives the same questions, with exact answers, halved by document."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.ir_collections import HALVES
from benchmarks.quality.collection_forms import AskedCollection, open_collection
from chunking.errors import QuestionError
from tests.benchmarks.quality import forms

FORMS = [forms.beir, forms.squad, forms.legalbench, forms.samples]


def read(path: Path, keep: Path) -> AskedCollection:
    return open_collection(str(path), keep)


def answers(collection: AskedCollection) -> dict[str, str]:
    return {one.text: one.answers[0].text for one in collection.questions.questions}


@pytest.mark.parametrize("write", FORMS)
def test_every_form_gives_the_same_questions_with_exact_answers(write: Callable[[Path], Path], tmp_path: Path) -> None:
    """A document of BEIR is the answer as a whole, with its title."""
    (tmp_path / "data").mkdir()
    collection = read(write(tmp_path / "data"), tmp_path / "keep")
    for question in collection.questions.questions:
        (span,) = question.answers
        assert collection.texts[span.doc_id][span.start : span.end] == span.text
    expected = {
        question: f"{name.title()}\n\n{forms.TEXTS[name]}" if write is forms.beir else answer
        for question, (name, answer) in forms.ANSWERS.items()
    }
    assert answers(collection) == expected
    assert len(collection.texts) == len(forms.TEXTS)


@pytest.mark.parametrize("write", FORMS)
def test_every_other_document_is_of_the_report_half(write: Callable[[Path], Path], tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    collection = read(write(tmp_path / "data"), tmp_path / "keep")
    documents = [one.answers[0].doc_id for one in collection.questions.questions]
    halves = dict(zip(documents, collection.halves.tolist(), strict=True))
    assert [halves[name] for name in sorted(documents)] == [0, 1, 0, 1]
    assert HALVES == ("tune", "report")


def test_questions_without_an_answer_are_left_out_and_counted(tmp_path: Path) -> None:
    (note,) = read(forms.squad(tmp_path), tmp_path / "keep").notes
    assert "4" in note


def test_documents_are_read_once_and_changed_ones_anew(tmp_path: Path) -> None:
    """What is kept belongs to the documents as they were."""
    data, keep = tmp_path / "data", tmp_path / "keep"
    data.mkdir()
    first = read(forms.samples(data), keep)
    updated = {row.doc_id: row.updated_at for row in first.workspace.documents()}
    again = read(data, keep)
    assert (again.folder, {row.doc_id: row.updated_at for row in again.workspace.documents()}) == (
        first.folder,
        updated,
    )
    (data / "docs" / "leave.md").write_text(f"New. {forms.TEXTS['leave']}", encoding="utf-8")
    changed = read(data, keep)
    assert changed.folder != first.folder
    assert answers(changed) == answers(first)


def test_the_questions_are_no_document(tmp_path: Path) -> None:
    """Documents may lie beside them."""
    data = tmp_path / "data"
    data.mkdir()
    forms.samples(data)
    for path in (data / "docs").iterdir():
        path.rename(data / path.name)
    (data / "docs").rmdir()
    rows = [f'"{question}",{name}.md,"{answer}"' for question, (name, answer) in forms.ANSWERS.items()]
    (data / "questions.jsonl").unlink()
    (data / "questions.csv").write_text("\n".join(["question,doc,answer", *rows]), encoding="utf-8")
    collection = read(data, tmp_path / "keep")
    assert len(collection.texts) == len(forms.TEXTS)
    assert set(answers(collection)) == set(forms.ANSWERS)


@pytest.mark.parametrize("name", ["nowhere", "data", "data/other.json"])
def test_what_has_no_known_form_is_one_sentence(name: str, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "other.json").write_text('{"rows": []}', encoding="utf-8")
    with pytest.raises(QuestionError, match="BEIR" if name != "nowhere" else "nowhere"):
        read(tmp_path / name, tmp_path / "keep")


def test_a_collection_none_of_whose_answers_is_there(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    forms.samples(tmp_path / "data")
    forms.write_lines(
        tmp_path / "data" / "questions.jsonl",
        [{"question": "Who?", "doc": "leave.md", "answers": [{"text": "Nobody wrote this sentence."}]}],
    )
    with pytest.raises(QuestionError):
        read(tmp_path / "data", tmp_path / "keep")
