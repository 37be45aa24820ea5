"""Quotation marks in questions: text in plain language, a condition in typed searches, and the same in everything that
measures.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.config import Config, EmbeddingConfig, QuerySyntax, SearchMode
from chunking.evaluation import (
    EvaluationRun,
    LiveRecall,
    Made,
    Measure,
    PoolSource,
    QuestionPart,
    QuestionSet,
    Trials,
    evaluate,
    generate,
    pool_results,
    read_questions,
    score_run,
    to_csv,
    to_jsonl,
)
from chunking.evaluation.questions.generation.question_prompts import proposals
from chunking.indexing import build_index
from chunking.parsing import parse
from chunking.retrieval import search, search_documents
from chunking.retrieval.query.query_parts import has_operators
from chunking.store import Workspace
from tests.support.plants import WORDS, questions_of
from tests.support.store_rows import FakeEmbedder

MARKS = ("“{}”", '"{}"', "„{}“", "「{}」", "『{}』", "«{}»")
FORBIDDEN = frozenset("".join(MARKS)) - frozenset("{}")
PLAIN, OPERATORS = QuerySyntax.PLAIN, QuerySyntax.OPERATORS


def quoting(questions: QuestionSet, marks: str) -> QuestionSet:
    """The questions with the name of what they ask about in quotation marks."""
    parts = ((one, *one.id.split("-")) for one in questions.questions)
    request = (
        replace(one, text=f"Which number has the {marks.format(thing)} of {place}?") for one, place, thing in parts
    )
    return replace(questions, questions=tuple(request))


def bare(questions: QuestionSet) -> QuestionSet:
    """The questions without their marks."""
    table = str.maketrans(dict.fromkeys(FORBIDDEN))
    return replace(
        questions, questions=tuple(replace(one, text=one.text.translate(table)) for one in questions.questions)
    )


# -- questions that are made


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([*MARKS, "“{}", '{}"', "{}"]), min_size=3, max_size=6))
def test_questions_by_rule_carry_no_operators(marks: list[str]) -> None:
    """Whatever marks stand in headings, key phrases and the questions that a document asks itself."""
    sections = (
        f"## The {mark.format(f'red valve {number}')} and more\n\n**{mark.format('duty phone')}**: the phone "
        f"of whoever is on duty at "
        f"night number {number}. The {mark.format('duty phone')} rings on a frost night. Call the duty "
        f"phone, and wait.\n\n"
        f"## How is the {mark.format('blue filter')} number {number} changed?\n\nSwitch the pump off before "
        f"you open its cover, please.\n"
        for number, mark in enumerate(marks)
    )
    chinese = "".join(
        f"\n## 更换{mark.format('滤芯')}之{number}\n\n请先关闭电源，再打开电池仓的盖子，然后更换。\n"
        for number, mark in enumerate(marks)
    )
    documents = [
        parse(f"# Handbook\n\n{chr(10).join(sections)}".encode(), "a.md"),
        parse(f"# 手册\n{chinese}".encode(), "b.md"),
    ]
    generated = generate(documents, most=60)
    assert {one.made for one in generated.questions} >= {Made.HEADING}
    for question in generated.questions:
        assert not FORBIDDEN & set(question.text), question.text
        assert not has_operators(question.text)
    assert generated.syntax is PLAIN


@pytest.mark.parametrize("marks", MARKS)
def test_questions_by_a_model_carry_no_operators(marks: str) -> None:
    answer = json.dumps(
        [{"question": f"What is the {marks.format('main pump')} for?", "quotes": ["It is."]}], ensure_ascii=False
    )
    (proposal,) = proposals(answer) or ()
    assert proposal.question == "What is the main pump for?"


# -- everything that measures


@pytest.mark.parametrize("marks", MARKS)
def test_a_run_takes_quotations_as_text(marks: str, workspace: Workspace, trials: Trials) -> None:
    """A plain question finds what the same question without marks finds; a typed search obeys them."""
    questions = quoting(questions_of(workspace), marks)
    plain = evaluate(workspace, questions, WORDS, trials=trials)
    without = evaluate(workspace, bare(questions), WORDS, trials=trials)
    assert [one.results for one in plain.answered] == [one.results for one in without.answered]
    typed = evaluate(workspace, replace(questions, syntax=OPERATORS), WORDS, trials=trials)
    assert [one.results for one in typed.answered] != [one.results for one in plain.answered]
    build_index(workspace, WORDS, embedder=FakeEmbedder())
    for question, answered in zip(questions.questions, typed.answered, strict=True):
        shown = search(workspace, question.text).results
        assert [hits[:3] for hits in answered.results[: len(shown)]] == [
            (o.chunk.doc_id, o.chunk.start, o.chunk.end) for o in shown
        ]


def test_pools_documents_and_highlights_obey_the_syntax(workspace: Workspace) -> None:
    """Labelling pools, the search without an index, and what is marked in a hit."""
    quoted, text = (
        "Which number has the “checked. The pump” of north?",
        "Which number has the checked. The pump of north?",
    )
    hits = {syntax: search_documents(workspace, quoted, syntax=syntax) for syntax in QuerySyntax}
    assert hits[PLAIN].results == search_documents(workspace, text).results
    build_index(workspace, WORDS, name="small", embedder=FakeEmbedder())
    source = (PoolSource("small", SearchMode.TEXT),)
    plain = pool_results(workspace, quoted, source, 5, workspace.document)
    assert set(plain.passages) == set(pool_results(workspace, text, source, 5, workspace.document, OPERATORS).passages)
    assert set(plain.passages) != set(
        pool_results(workspace, quoted, source, 5, workspace.document, OPERATORS).passages
    )
    marked = {
        syntax: [one.highlights for one in search(workspace, quoted, syntax=syntax).results] for syntax in QuerySyntax
    }
    assert marked[PLAIN] == [one.highlights for one in search(workspace, text).results]
    assert marked[PLAIN] != marked[OPERATORS]


def test_live_recall_reads_questions_as_a_run_does(workspace: Workspace, trials: Trials) -> None:
    """By words, where live numbers are those of the index."""
    questions = quoting(questions_of(workspace), MARKS[0])
    documents = [workspace.document(row.doc_id) for row in workspace.documents()]
    live = LiveRecall(documents, EmbeddingConfig(model="remote:any"), questions)
    live.prepare()
    config = Config.from_settings({"embedding.model": "remote:any"}, WORDS)
    scores = live.scores(config, Measure(5)).scores
    run = evaluate(workspace, questions, WORDS, trials=trials)
    assert scores.recall.tolist() == score_run(run, questions, Measure(5)).recall.tolist()
    assert not any("quotation" in note for note in live.scores(config).notes)


# -- what the set says


def test_the_syntax_is_reported_by_the_fingerprint_and_the_run(workspace: Workspace, trials: Trials) -> None:
    """Where it decides what is found; typed searches keep the fingerprint of sets that were saved before there was a
    choice.
    """
    quoted = quoting(questions_of(workspace), MARKS[0])
    typed = replace(quoted, syntax=OPERATORS)
    assert quoted.fingerprint != typed.fingerprint
    assert quoted.of(QuestionPart.TUNE).fingerprint != typed.of(QuestionPart.TUNE).fingerprint
    words = questions_of(workspace)
    assert words.fingerprint == replace(words, syntax=OPERATORS).fingerprint
    runs = [evaluate(workspace, one, WORDS, trials=trials) for one in (quoted, typed)]
    assert [run.syntax for run in runs] == [PLAIN, OPERATORS]
    assert runs[0].key != runs[1].key
    assert [EvaluationRun.from_json(run.to_json()) for run in runs] == runs


def test_what_was_saved_before_there_was_a_choice(workspace: Workspace, trials: Trials) -> None:
    """A set becomes plain language; runs that took quotations as conditions are no longer current."""
    quoted = quoting(questions_of(workspace), MARKS[0])
    tree = json.loads(replace(quoted, syntax=OPERATORS).to_json())
    del tree["syntax"]
    kept = QuestionSet.from_json(json.dumps(tree))
    assert kept == quoted
    old = json.loads(evaluate(workspace, replace(quoted, syntax=OPERATORS), WORDS, trials=trials).to_json())
    del old["syntax"]
    run = EvaluationRun.from_json(json.dumps(old))
    assert run.syntax is OPERATORS
    assert run.questions != kept.fingerprint


@pytest.mark.parametrize("write", [to_csv, to_jsonl])
@pytest.mark.parametrize("syntax", list(QuerySyntax))
def test_the_syntax_survives_files(write: Callable[..., str], syntax: QuerySyntax, workspace: Workspace) -> None:
    documents = [workspace.document(row.doc_id) for row in workspace.documents()]
    questions = replace(quoting(questions_of(workspace), MARKS[1]), syntax=syntax)
    again = read_questions(write(questions, documents).encode(), "things.any", documents)
    assert again.questions == questions
    assert QuestionSet.from_json(questions.to_json()) == questions


def test_a_file_that_says_both_is_plain(tmp_path: Path, workspace: Workspace) -> None:
    """And says so."""
    documents = [workspace.document("north")]
    rows = [
        {"question": f"Q {n}?", "answer": f"The {n} of north is", **more}
        for n, more in (("pump", {"syntax": "operators"}), ("tank", {}))
    ]
    read = read_questions("\n".join(map(json.dumps, rows)).encode(), "a.jsonl", documents)
    assert (read.questions.syntax, len(read.notes)) == (PLAIN, 1)
