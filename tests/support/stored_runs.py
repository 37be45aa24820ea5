"""Workspaces with an index, question sets and runs, and texts that break careless files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from chunking.config import Config
from chunking.evaluation import (
    Answered,
    AnswerSpan,
    Cause,
    Diagnosis,
    EvaluationRun,
    Found,
    Made,
    Question,
    QuestionSet,
    load_set,
    save_set,
)
from chunking.evaluation.runs.run import documents_key, model_key, run_key
from chunking.export import Material
from chunking.model import Document
from chunking.store import Workspace
from chunking.versions import chunks_version
from tests.support.shelf import fill
from tests.support.word_embedder import WordEmbedder

EVIL = "</script><script>window.hacked=1</script><img src=//evil.example/x onerror=window.hacked=2>"


HOSTILE = f"""# Title {EVIL} <a href="javascript:window.hacked=3">

=HYPERLINK("http://evil.example","click") and `{{{{7*7}}}}` {{% raw %}} ${{1+1}}

+1 @SUM(A1) \u202e reversed \u2028 line \x07 bell \ufeff mark 'quotes' "and" \\u003c

## 表格 --> <!-- ]]> &lt;b&gt;

-2+3 cmd|' /C calc'!A0 %{{x}} $x^2$ a very long word: {"x" * 300}
"""


CONFIG = Config.from_settings({"size": "48", "min_size": "0", "granularities": "2", "parent_size": "96"})


def filled(folder: Path, files: dict[str, str]) -> Workspace:
    """Return a workspace with an index of chunks, larger chunks and parents."""
    workspace = Workspace.open(folder)
    fill(workspace, files, WordEmbedder(), CONFIG, code_version=chunks_version())
    return workspace


def material_of(workspace: Workspace, **changes: object) -> Material:
    """Return the input of exports for a workspace's index."""
    index = workspace.index()
    return replace(Material(workspace, index, index.config), **changes)  # type: ignore[arg-type]


def questions_about(
    documents: Sequence[Document], count: int, *, name: str = "sample", text: str = "What about it?"
) -> QuestionSet:
    """Return questions whose answers are spans of 40 characters along the documents."""
    rows = []
    for number in range(count):
        document = documents[number % len(documents)]
        start = 7 * number % max(len(document.text) - 40, 1)
        answer = AnswerSpan(document.doc_id, start, start + 40, document.text[start : start + 40])
        rows.append(Question(f"q{number}", f"{text} {number}", (answer,), Made.WRITTEN, language="en"))
    return QuestionSet(name, tuple(rows))


def run_of(
    questions: QuestionSet,
    missed: Sequence[int],
    *,
    key: str,
    label: str,
    config: Config | None = None,
    tokens: int = 50,
    why: str = "Rank 9 of 40.",
) -> EvaluationRun:
    """Return a run that answered every question except those at the indices `missed`."""
    diagnosis = Diagnosis(Cause.RANKED_BELOW, why, 9, {"vector": 9, "text": None}, (), "search.k=10")
    rows = []
    for place, question in enumerate(questions.questions):
        (answer,) = question.answers
        hit = Found(
            answer.doc_id,
            max(answer.start - 10, 0),
            answer.end + 10,
            tokens,
            max(answer.start - 60, 0),
            answer.end + 60,
        )
        far = Found(answer.doc_id, answer.end + 50, answer.end + 90, tokens, answer.end + 50, answer.end + 90)
        rows.append(
            Answered(
                question.id,
                (far,) if place in missed else (hit, far),
                0.5,
                diagnosis if place in missed else None,
                (tokens, 2 * tokens),
            )
        )
    config = config or Config()
    return EvaluationRun(
        key,
        label,
        config,
        questions.name,
        questions.fingerprint,
        "f" * 16,
        tuple(rows),
        5,
        30,
        chunks=9,
        made_at=f"2026-11-22T06:00:0{len(label) % 10}+00:00",
    )


def with_runs(workspace: Workspace) -> Workspace:
    """Save a set of 40 questions and two runs in a workspace."""
    documents = [workspace.document(row.doc_id) for row in workspace.documents()]
    save_set(workspace, questions_about(documents, 40))
    questions = load_set(workspace, "sample").questions  # with the answers where they stand: what is measured
    documents_now = documents_key(workspace.documents())
    for run in (
        run_of(questions, [3], key="", label="size 48", config=CONFIG),
        run_of(questions, range(0, 40, 2), key="", label="default settings", tokens=200),
    ):
        key = run_key(documents_now, questions, run.config, n=run.n, depth=run.depth, model=model_key(run.config))
        workspace.runs.put({key: replace(run, key=key).to_json()})
    return workspace


def keys_of(workspace: Workspace) -> dict[str, str]:
    """Return the keys of a workspace's runs by label."""
    runs = [EvaluationRun.from_json(text) for text in workspace.runs.all().values()]
    return {run.label: run.key for run in runs}


def put_current_run(workspace: Workspace, questions: QuestionSet, run: EvaluationRun) -> EvaluationRun:
    """Store a run under the key that an evaluation of these questions would have now, and return it."""
    documents = documents_key(workspace.documents())
    key = run_key(documents, questions, run.config, n=run.n, depth=run.depth, model=model_key(run.config))
    current = replace(run, key=key)
    workspace.runs.put({key: current.to_json()})
    return current
