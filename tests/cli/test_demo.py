"""The guide in a terminal: five steps from the samples' snapshot, on the real model's path and without the model."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from chunking.evaluation import EvaluationRun, Measure, QuestionPart, load_set, score_run
from chunking.samples import SAMPLE_SET, prepare, sample_indexes
from chunking.store import Workspace
from tests.cli.command import Run, program
from tests.cli.terminal.pseudo_terminal import on_terminal

NO_STAND_IN = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
CODE = """
import json, sys
from chunking.cli import main
code = main(["demo"])
loaded = {"torch", "sentence_transformers", "transformers", "openvino", "streamlit"} & set(sys.modules)
print(json.dumps([code, sorted(loaded)]), file=sys.stderr)
"""


def test_five_steps_without_a_model() -> None:
    """The steps lead from the baseline to the estimates, and load nothing that runs a model."""
    ran = program(code=CODE, env=NO_STAND_IN)
    assert json.loads(ran.err.splitlines()[-1]) == [0, []]
    baseline, default, searches, evaluated, grid = ran.rows
    assert [row["step"] for row in ran.rows] == [1, 2, 3, 4, 5]
    assert baseline["measured"]["means"]["recall"] < default["measured"]["means"]["recall"] - 0.1
    assert default["measured"]["means"]["context_tokens"] < 0.5 * baseline["measured"]["means"]["context_tokens"]
    assert default["measured_baseline"] == baseline["measured"]
    assert default["measured"]["means"]["recall"] == pytest.approx(evaluated["metrics"]["recall"]["mean"], abs=1e-6)
    assert all(row["measured"]["questions"] == row["estimate"]["questions"] for row in (baseline, default))
    assert {one["mode"]: one["answer_rank"] for one in searches["searches"]} == {"vector": None, "hybrid": 1}
    assert 0.5 < evaluated["metrics"]["recall"]["low"] < evaluated["metrics"]["recall"]["high"] <= 1
    assert len(grid["estimated"]) > 10
    assert sum(bool(one["measure_as"]) for one in grid["estimated"]) == 4  # with the baseline


def test_the_demo_on_a_terminal() -> None:
    """Each step with the command that does the same; its recall is that of the runs, as on the front page."""
    shown = on_terminal("demo", columns=72)
    assert shown.code == 0
    assert sum(line.startswith("$ chunkscope ") for line in shown.lines) == 5
    text = "\n".join(shown.lines)
    for recall, tokens in stored_numbers():
        assert re.search(rf"{recall} %.* {tokens} ", text), (recall, tokens)


def stored_numbers() -> list[tuple[str, str]]:
    """Recall and tokens of the runs in the samples' snapshot on the dev questions, as pages round them."""
    with TemporaryDirectory() as folder:
        workspace = Workspace.open(folder)
        with workspace.writer():
            prepare().put_into(workspace)
        dev = load_set(workspace, SAMPLE_SET).questions.of(QuestionPart.TUNE)
        stored = map(EvaluationRun.from_json, workspace.runs.all().values())
        runs = [run for run in stored if run.questions == dev.fingerprint]
    assert len(runs) == len(sample_indexes())
    scores = [score_run(run, dev, Measure(run.n)) for run in runs]
    return [(f"{100 * one.recall.mean():.1f}", f"{one.context_tokens.mean():,.0f}") for one in scores]


def test_a_demo_goes_into_a_new_folder_only(run: Run, samples: Path, tmp_path: Path) -> None:
    """A workspace that is in use is left as it is."""
    ran = run("demo", "--workspace", samples)
    assert (ran.code, ran.out) == (2, "")
    assert "--workspace" in str(ran.complaint) or str(samples) in ran.complaint
