"""What a command does without is not loaded for it: counted in one process that runs one after the other, on the real model's path."""

from __future__ import annotations

import json
import os
from pathlib import Path

from chunking.store import Workspace
from tests.cli.command import SAMPLES, program
from tests.support.stored_runs import with_runs

ENGLISH = "How do I rotate the gateway certificates?"
CHINESE = "三盏灯同时紫色快闪说明什么？"
APP = {"streamlit", "plotly", "pandas"}
MODEL = {"torch", "sentence_transformers", "transformers", "openvino"}
STORAGE = {"lancedb", "pyarrow"}
DRAWING = {"chunking.cli.terminal.screen", "chunking.cli.terminal.look"}
"""What draws for people, and is of no use in a pipe."""
CODE = """
import json, sys
from chunking.cli import main
looked_for = set(sys.argv[2].split())
for words in json.loads(sys.argv[1]):
    code = main(words)
    print("loaded", json.dumps([code, sorted(looked_for & set(sys.modules))]), file=sys.stderr)
"""


def test_nothing_heavy_is_loaded(own_samples: Path, guide: Path, tmp_path: Path) -> None:
    """Neither model, storage nor app to read and to cut; no model to count, to search by words (nor for a question in a language
    that the model cannot read), and to export."""
    with_runs(Workspace.open(own_samples))
    at = ("--workspace", str(own_samples))
    light = [["parse", str(SAMPLES / "faq")], ["chunk", str(SAMPLES / "faq")]]
    stored = [
        ["index", str(guide), "--workspace", str(tmp_path / "w"), "--dry-run"],
        ["search", ENGLISH, "--mode", "text", *at],
        ["search", CHINESE, *at],
        ["export", "report", *at],
    ]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}  # no stand-in for the model
    ran = program(json.dumps(light + stored), " ".join(APP | MODEL | STORAGE | DRAWING), code=CODE, env=environment)
    found = [json.loads(line.removeprefix("loaded ")) for line in ran.err.splitlines() if line.startswith("loaded ")]
    assert [code for code, _ in found] == [0] * len(light + stored)
    assert [names for _, names in found[: len(light)]] == [[]] * len(light)
    assert [set(names) & (MODEL | DRAWING | {"streamlit"}) for _, names in found[len(light) :]] == [set()] * len(stored)
    assert "lancedb" in found[-1][1]  # it would have been seen
