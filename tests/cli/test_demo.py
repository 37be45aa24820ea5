"""The guide in a terminal: five steps from the samples' snapshot, on the real model's path and without the model."""

from __future__ import annotations

import json
import os
from pathlib import Path

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
    baseline, default, searches, measured, grid = ran.rows
    assert [row["step"] for row in ran.rows] == [1, 2, 3, 4, 5]
    assert baseline["estimate"]["means"]["recall"] < default["estimate"]["means"]["recall"] - 0.05
    assert default["estimate"]["means"]["context_tokens"] < baseline["estimate"]["means"]["context_tokens"]
    assert {one["mode"]: one["answer_rank"] for one in searches["searches"]} == {"vector": None, "hybrid": 1}
    assert 0.5 < measured["metrics"]["recall"]["low"] < measured["metrics"]["recall"]["high"] <= 1
    assert len(grid["estimated"]) > 10
    assert sum(bool(one["measure_as"]) for one in grid["estimated"]) == 4  # with the baseline


def test_the_demo_on_a_terminal() -> None:
    """Each step with the command that does the same."""
    shown = on_terminal("demo", columns=72)
    assert shown.code == 0
    assert sum(line.startswith("$ chunkscope ") for line in shown.lines) == 5


def test_a_demo_goes_into_a_new_folder_only(run: Run, samples: Path, tmp_path: Path) -> None:
    """A workspace that is in use is left as it is."""
    ran = run("demo", "--workspace", samples)
    assert (ran.code, ran.out) == (2, "")
    assert "--workspace" in str(ran.complaint) or str(samples) in ran.complaint
