"""`evaluate`, `sweep` and `compare`: what they print, how they fail, and what they keep."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from chunking.evaluation import METRICS, set_names
from chunking.store import Workspace
from tests.cli.asked import ASKED
from tests.cli.command import GUIDE, Run, check, program

EVALUATED = {
    "label": str,
    "measure": str,
    "n": (int, type(None)),
    "budget": (int, type(None)),
    "expanded": bool,
    "metrics": dict,
    "causes": dict,
    "documents": int,
    "chunks": int,
    "embedded": int,
    "seconds": float,
    "question_set": str,
    "syntax": str,
    "fingerprints": dict,
    "settings": dict,
    "notes": list,
    "unanswered": (dict, type(None)),
    "unjudged": (dict, type(None)),
    "problems": list,
    "failed": list,
    "below": list,
    "questions": list,
}
BY_WORDS = ("--set", "search.mode=text", "--set", "size=32")
"""Needs no model for the questions; it is loaded for the index all the same."""


@pytest.fixture
def evaluated(run: Run, guide: Path, questions: Path, tmp_path: Path) -> Any:
    """Runs `evaluate` over the guide, in one workspace."""

    def evaluated(*words: object) -> Any:
        return run("evaluate", guide, "--questions", questions, "--workspace", tmp_path / "kept", *BY_WORDS, *words)

    return evaluated


def test_evaluate_prints_metrics_and_a_row_for_each_question(evaluated: Any) -> None:
    """Every metric with its interval; a row a question with the spans that were found, in rank order."""
    row = evaluated("--n", 3).row
    check(row, EVALUATED)
    assert list(row["metrics"]) == [metric.name for metric in METRICS]
    recall = row["metrics"]["recall"]
    assert (recall["mean"], recall["high"], recall["std"], recall["n"]) == (1.0, 1.0, 0.0, 3)
    assert 0.2 < recall["low"] < 0.4  # three of three say little
    assert (row["n"], row["measure"], row["settings"]) == (3, "at 3 results", {"size": "32", "search.mode": "text"})
    assert set(row["fingerprints"]) == {"run", "questions", "index", "code"}
    for one in row["questions"]:
        quote = ASKED[one["id"]][1]
        assert one["question"] == ASKED[one["id"]][0]
        assert 0 < len(one["retrieved"]) <= 3
        assert all(doc == "pump/guide.md" for doc, _, _ in one["retrieved"])
        assert any(quote in GUIDE[start:end] for _, start, end in one["retrieved"])
        assert (one["recall"], one["cause"]) == (1.0, None)


def test_evaluate_questions_without_an_answer(run: Run, guide: Path, tmp_path: Path) -> None:
    """They are counted by themselves; alone they are measured too, and a limit of a metric is then one sentence."""
    file = tmp_path / "nothing.jsonl"
    file.write_text(
        '{"id": "none", "question": "Where do penguins breed in winter?", "unanswerable": true}\n', encoding="utf-8"
    )
    row = run("evaluate", guide, "--questions", file, *BY_WORDS).row
    assert row["metrics"] == {}
    assert (row["unanswered"]["correct"]["mean"], row["unanswered"]["wrong"], row["unjudged"]) == (1.0, None, None)
    failed = run("evaluate", guide, "--questions", file, *BY_WORDS, "--fail-below", "recall=50")
    assert failed.code != 0


def test_evaluate_looks_up_what_it_measured(evaluated: Any) -> None:
    """The second time nothing is embedded and the numbers are the same; other results are made of the same run."""
    first, second = evaluated().row, evaluated().row
    assert first == second
    narrow = evaluated("--budget", 20).row
    assert (narrow["n"], narrow["budget"]) == (None, 20)
    assert narrow["metrics"]["tokens"]["mean"] <= 20 < first["metrics"]["tokens"]["mean"]
    assert narrow["fingerprints"] == first["fingerprints"]
    assert evaluated("--expanded").row["measure"] == "at 5 results, with neighbours"


def test_questions_are_plain_language_unless_it_is_said_otherwise(run: Run, guide: Path, tmp_path: Path) -> None:
    """A quotation is a condition with `--syntax operators` only, or where the file says so; a comparison of both says
    it.
    """
    row = {
        "question": 'How high may the "pressure stays" be?',
        "doc": "pump/guide.md",
        "answers": ["The pressure must stay under four bar."],
    }
    file, typed = tmp_path / "q.jsonl", tmp_path / "typed.jsonl"
    file.write_text(json.dumps(row), encoding="utf-8")
    typed.write_text(json.dumps(row | {"syntax": "operators"}), encoding="utf-8")
    results = [
        run("evaluate", guide, "--questions", *words, *BY_WORDS)
        for words in ((file,), (file, "--syntax", "operators"), (typed,), (typed, "--syntax", "plain"))
    ]
    assert [result.row["syntax"] for result in results] == ["plain", "operators", "operators", "plain"]
    prints = [result.row["fingerprints"]["questions"] for result in results]
    assert prints[0] == prints[3] != prints[1] == prints[2]
    for name, result in zip("ab", results[:2], strict=True):
        (tmp_path / name).write_text(json.dumps(result.row), encoding="utf-8")
    assert len(run("compare", tmp_path / "a", tmp_path / "b").row["notes"]) == 1
    old = results[1].row
    del old["syntax"]  # as earlier versions printed it
    (tmp_path / "b").write_text(json.dumps(old), encoding="utf-8")
    assert "--syntax" in run("compare", tmp_path / "a", tmp_path / "b").row["notes"][0]


def test_evaluate_a_folder_of_beir(run: Run, guide: Path, tmp_path: Path) -> None:
    """Or its queries, beside which the judgements lie."""
    (tmp_path / "beir" / "qrels").mkdir(parents=True)
    queries = tmp_path / "beir" / "queries.jsonl"
    queries.write_text('{"_id": "1", "text": "How high may the pressure be?"}\n', encoding="utf-8")
    (tmp_path / "beir" / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\tguide\t1\n", encoding="utf-8")
    for questions in (tmp_path / "beir", queries):
        row = run("evaluate", guide, "--questions", questions, *BY_WORDS).row
        assert [one["id"] for one in row["questions"]] == ["1"]
    empty = tmp_path / "empty"
    empty.mkdir()
    assert run("evaluate", guide, "--questions", empty, *BY_WORDS).code != 0


def test_a_near_miss_is_shown_where_nothing_can_be_chosen(run: Run, guide: Path, tmp_path: Path) -> None:
    """The line, the document, what stands there, and what to do: nothing that only the app offers."""
    file = tmp_path / "near.csv"
    file.write_text(
        "question,doc,answer\nHow?,pump/guide.md,The pressure has to stay under four bar.\n", encoding="utf-8"
    )
    said = run("evaluate", guide, "--questions", file, *BY_WORDS).err
    assert "near.csv, line 2" in said
    assert "must stay under four bar" in said
    assert "pump/guide.md, characters" in said
    assert "offered" not in said


def test_evaluate_keeps_nothing_without_a_workspace(run: Run, guide: Path, questions: Path, tmp_path: Path) -> None:
    """And searches what it is given."""
    before = set(tmp_path.rglob("*"))
    row = run("evaluate", guide, "--questions", questions, *BY_WORDS, "--retrieval", "chunk").row
    assert row["settings"]["search.retrieval"] == "chunk"
    assert set(tmp_path.rglob("*")) == before


def test_evaluate_what_a_workspace_holds(run: Run, evaluated: Any, tmp_path: Path, questions: Path) -> None:
    """Without a path."""
    first = evaluated().row
    assert run("evaluate", "--questions", questions, "--workspace", tmp_path / "kept", *BY_WORDS).row == first
    kept = Workspace.open(tmp_path / "kept")
    assert [row.source for row in kept.documents()] == ["pump/guide.md"]
    assert set_names(kept) == [first["question_set"]]  # once, so that its runs can be looked at and exported
    assert run("export", "questions-jsonl", "--workspace", tmp_path / "kept").code == 0


@pytest.mark.parametrize(
    ("limit", "code"),
    [("recall=99", 0), ("recall=99%", 0), ("precision=99", 1), ("reciprocal_rank=0.2", 0), ("ndcg=1.2", 1)],
)
def test_evaluate_fails_below_a_limit(evaluated: Any, limit: str, code: int) -> None:
    """With an exit code and the numbers, only where the whole interval is significantly below it."""
    ran = evaluated("--fail-below", limit)
    assert ran.code == code
    below = ran.rows[0]["below"]
    assert [one["metric"] for one in below] == ([limit.partition("=")[0]] if code else [])
    assert ("is significantly below" in ran.err) == bool(code)


def test_evaluate_says_what_is_wrong_with_questions(run: Run, guide: Path, questions: Path) -> None:
    """The others are asked; one alone has no statistics and never fails."""
    lines = questions.read_text(encoding="utf-8").splitlines()
    questions.write_text(
        "\n".join([lines[0], '{"question": "Why?", "doc": "pump/guide.md", "answers": []}', "{"]), encoding="utf-8"
    )
    ran = run("evaluate", guide, "--questions", questions, *BY_WORDS, "--fail-below", "precision=100")
    assert ran.code == 0
    (row,) = ran.rows
    assert [one["line"] for one in row["problems"]] == [2, 3]
    assert row["metrics"]["recall"] == {"mean": 1.0, "low": None, "high": None, "std": None, "n": 1}
    assert "Only one question" in ran.err


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("--n", 5, "--budget", 100), 2, "give one of them"),
        (("--n", 0), 2, "one or more"),
        (("--fail-below", "tokens=100"), 2, "no limit for 'tokens'"),
        (("--n", 10**12), 2, "or less"),
        (("--fail-below", "recall=high"), 2, "give a number"),
        (("--fail-below", "recall=nan"), 2, "give a number"),
        (("--fail-below", "recall=inf"), 2, "give a number"),
        (("--fail-below", "recall=-5"), 2, "give a number"),
        (("--set", "size=7"), 2, "size"),
    ],
)
def test_evaluate_is_told_wrong(evaluated: Any, words: tuple[object, ...], code: int, sentence: str) -> None:
    """In one line."""
    ran = evaluated(*words)
    assert (ran.code, ran.out) == (code, "")
    assert sentence in ran.complaint


def test_evaluate_without_questions_or_documents(run: Run, guide: Path, tmp_path: Path) -> None:
    """In one line each."""
    assert "cannot be read" in run("evaluate", guide, "--questions", tmp_path / "none.csv").complaint
    assert "cannot be read" in run("evaluate", guide, "--questions", "long" * 2000).complaint
    assert "nothing to search" in run("evaluate", "--questions", tmp_path / "none.csv").complaint
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    assert run("evaluate", guide, "--questions", empty).code == 1


def test_evaluate_chunks_made_elsewhere(run: Run, guide: Path, questions: Path, tmp_path: Path) -> None:
    """As they are."""
    cuts = [0, GUIDE.index("## Install"), GUIDE.index("## Repair"), len(GUIDE)]
    spans = list(pairwise(cuts))
    lines = [json.dumps({"doc": "pump/guide.md", "start": start, "end": end}) for start, end in spans]
    (tmp_path / "mine.jsonl").write_text("\n".join(lines), encoding="utf-8")
    row = run(
        "evaluate", guide, "--questions", questions, "--chunks", tmp_path / "mine.jsonl", "--set", "search.mode=text"
    ).row
    assert row["chunks"] == 3
    texts = {GUIDE[start:end] for one in row["questions"] for _, start, end in one["retrieved"]}
    assert texts <= {GUIDE[start:end].strip() for start, end in spans}


def test_a_strategy_that_was_not_followed_is_reported(run: Run, guide: Path, questions: Path) -> None:
    """What was measured in its place is never shown as if it were the strategy's."""
    words = ("--questions", questions, "--set", "search.mode=text")
    ran = run("evaluate", guide, *words, "--set", "strategy=page")
    *_, note = ran.row["notes"]
    assert "The strategy page failed on pump/guide.md (it has no pages)" in note
    assert note in ran.err
    (line,) = run("sweep", guide, *words, "--grid", "strategy=page").row["lines"]
    assert note in line["notes"]


def test_a_limit_below_one_percent_is_asked_about(evaluated: Any) -> None:
    """Who writes 0.8 most likely means 80."""
    assert "write 80 if you mean 80 percent" in evaluated("--fail-below", "recall=0.8").err


def test_sweep_prints_the_leaderboard(run: Run, guide: Path, questions: Path, tmp_path: Path) -> None:
    """The leaderboard, and what does not go together; the second time all is looked up."""
    words = (
        "--workspace",
        tmp_path / "kept",
        *BY_WORDS,
        "--grid",
        "size=32,48",
        "--grid",
        "min_size=0,40",
        "--try",
        "overlap=4 size=40",
    )
    ran = run("sweep", guide, "--questions", questions, *words)
    (row,) = ran.rows
    assert ran.code == 0
    assert [one["place"] for one in row["lines"]] == [1, 2, 3, 4]
    assert row["lines"][0]["tied"]
    assert {one["label"] for one in row["lines"]} == {
        "size 32 · overlap 0 · min size 0",
        "size 48 · overlap 0 · min size 0",
        "size 48 · overlap 0 · min size 40",
        "size 40 · overlap 4 · min size none",
    }
    assert [one["label"] for one in row["failed"]] == ["size 32 · min_size 40"]
    assert row["failed"][0]["error"] in ran.err
    assert (row["questions"], row["known"], row["metric"]) == (3, 0, "recall")
    assert row["verdict"].endswith(".")
    assert row["verdict"] in ran.err
    assert row["recommendation"]["run"] == row["lines"][0]["run"]
    assert (row["recommendation"]["kind"], row["recommendation"]["margin"]) == (
        "undecided",
        0.02,
    )  # three questions decide nothing
    assert row["recommendation"]["needed"] >= 30
    again = run("sweep", guide, "--questions", questions, *words, "--minutes", 5, "--metric", "iou").rows[0]
    assert (again["known"], again["embedded"], again["metric"]) == (4, 0, "iou")


def test_sweep_estimates_first(run: Run, guide: Path, questions: Path, tmp_path: Path) -> None:
    """All of it; then few are measured, the present settings among them, and both numbers stand side by side under
    their own names.
    """
    grid = ("--grid", "size=32,40,48,64", "--grid", "search.rerank=none,title", "--workspace", tmp_path / "kept")
    ran = run("sweep", guide, "--questions", questions, *BY_WORDS, *grid, "--estimate", "--measure", 2)
    assert ran.code == 0
    (row,) = ran.rows
    assert len(row["estimated"]) == len(row["not_estimated"]) == 4
    assert all(one["reasons"] for one in row["not_estimated"])
    chosen = [one for one in row["estimated"] if one["measure_as"]]
    assert len(chosen) == len(row["lines"]) == len(row["estimated_against_measured"]) == 2
    assert {reason for one in chosen for reason in one["measure_as"]} >= {"best", "cheapest", "present"}
    for one in row["estimated_against_measured"]:
        assert (
            one["distance"]["recall"] == one["estimated"]["recall"] - one["measured"]["recall"] == 0
        )  # words alone are followed exactly
    alone = run("sweep", guide, "--questions", questions, *BY_WORDS, *grid, "--estimate", "--measure", 0).row
    assert "lines" not in alone
    assert alone["estimated_against_measured"] == []


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ((), 1, "has no configuration"),
        (("--grid", "size=32", "--estimate", "--minutes", "1"), 2, "--estimate"),
        (("--grid", "size=32", "--measure", "-1"), 2, "--measure"),
        (("--grid", "size=32", "--workers", "2"), 2, "--engine"),
        (("--grid", "size=32", "--engine", "ray", "--workers", "0"), 2, "--workers"),
        (("--grid", "size=32", "--engine", "ray", "--address", "127.0.0.1:1"), 2, "--workspace"),
        (("--grid", "embedding.mode=late", "--engine", "ray"), 2, "ray"),
        (("--grid", "size"), 2, "key=value"),
        (("--grid", "size=32", "--grid", "size=48"), 2, "varied twice"),
        (("--grid", "size=32", "--metric", "luck"), 1, "no metric 'luck'"),
        (("--grid", "size=32", "--minutes", "-1"), 2, "below 0"),
        (("--grid", "size=32", "--minutes", "nan"), 2, "no number"),
    ],
)
def test_sweep_is_told_wrong(
    run: Run, guide: Path, questions: Path, words: tuple[str, ...], code: int, sentence: str
) -> None:
    """In one line."""
    ran = run("sweep", guide, "--questions", questions, *BY_WORDS, *words)
    assert (ran.code, ran.out) == (code, "")
    assert sentence in ran.complaint


def result(path: Path, values: list[float], mark: str = "q") -> Path:
    """What `evaluate` prints, as far as `compare` reads it."""
    rows = [
        {"id": f"{mark}{n}", "question": f"What is {n}?", "recall": value, "tokens": 100 * value}
        for n, value in enumerate(values)
    ]
    path.write_text(json.dumps({"questions": rows}), encoding="utf-8")
    return path


def test_compare_prints_the_difference_and_its_significance(run: Run, tmp_path: Path) -> None:
    """The first less the second, whether it is significant, and on which questions they differ."""
    a, b = (
        result(tmp_path / "a.json", [1.0] * 30 + [0.0] * 10),
        result(tmp_path / "b.json", [0.0] * 10 + [1.0] * 10 + [0.0] * 20),
    )
    row = run("compare", a, b).row
    assert row["difference"]["mean"] == 0.5
    assert row["difference"]["shown"]
    assert (len(row["a_better"]), row["b_better"], row["left_out"]) == (20, [], 0)
    assert row["sentence"].startswith("The recall of a.json is 50.0 points higher than that of b.json")
    assert run("compare", a, b, "--fail-if-worse").code == 0
    assert run("compare", b, a, "--fail-if-worse").code == 1
    assert run("compare", a, b, "--metric", "tokens", "--fail-if-worse").code == 1
    close_result = result(tmp_path / "near.json", [1.0] * 29 + [0.0] * 11)
    few = run("compare", a, close_result, "--fail-if-worse").row
    assert (few["difference"]["shown"], few["a_better"]) == (False, ["q29"])
    assert "more questions" in few["sentence"]


def test_compare_what_cannot_be(run: Run, tmp_path: Path) -> None:
    """In one line each."""
    a, other = result(tmp_path / "a.json", [1.0]), result(tmp_path / "b.json", [1.0], mark="x")
    assert "no question in common" in run("compare", a, other).complaint
    assert "cannot be read" in run("compare", a, tmp_path / "none.json").complaint
    assert "`chunkscope evaluate`" in run("compare", a, a, "--metric", "ndcg").complaint
    rows = [
        json.dumps({"questions": [{"id": "q0", "question": "What is 0?", "recall": value}]})
        for value in (math.nan, math.inf, -3, 10**400)
    ]
    for text in ("[]", "[" * 100_000, *rows):
        (tmp_path / "no.json").write_text(text, encoding="utf-8")
        assert "`chunkscope evaluate`" in run("compare", a, tmp_path / "no.json").complaint


def test_compare_says_what_else_differs(run: Run, tmp_path: Path) -> None:
    """Results at 1 and at 5 are no comparison of settings, nor are those over other answers."""
    a, b = result(tmp_path / "a.json", [1.0, 0.0]), result(tmp_path / "b.json", [1.0, 1.0])
    assert run("compare", a, b).row["notes"] == []
    for path, n in ((a, 1), (b, 5)):
        tree = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(
            json.dumps(tree | {"measure": f"at {n} results", "fingerprints": {"questions": str(n)}}),
            encoding="utf-8-sig",
        )
    ran = run("compare", a, b)
    measured, question_note = ran.row["notes"]
    assert "at 1 results, the second at 5 results" in measured
    assert "at different positions" in question_note
    assert measured in ran.err


def test_the_program_writes_nothing_else(guide: Path, questions: Path) -> None:
    """As a process: one object on stdout, plain lines on stderr, none of a library's own."""
    ran = program("evaluate", guide, "--questions", questions, *BY_WORDS)
    assert ran.code == 0
    assert len(ran.rows) == 1
    assert "questions: Asking the questions" in ran.err
    assert "Traceback" not in ran.err
