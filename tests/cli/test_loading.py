"""What a command does without is not loaded for it: counted in one process that runs one after the other, on the real
model's path.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from chunking.cli import COMMANDS
from chunking.store import Workspace
from tests.cli.command import SAMPLES, program
from tests.support.stored_runs import with_runs

ENGLISH = "How do I rotate the gateway certificates?"
CHINESE = "三盏灯同时紫色快闪说明什么？"
APP = {"streamlit", "plotly", "pandas"}
MODEL = {"torch", "sentence_transformers", "transformers", "openvino"}
STORAGE = {"lancedb", "pyarrow"}
CODE = """
import json, sys
from chunking.cli import main
looked_for = set(sys.argv[2].split())
for words in json.loads(sys.argv[1]):
    code = main(words)
    print("loaded", json.dumps([code, sorted(looked_for & set(sys.modules))]), file=sys.stderr)
"""


def test_light_commands_load_no_model_storage_or_app(own_samples: Path, guide: Path, tmp_path: Path) -> None:
    """Neither model, storage nor app to read and to cut; no model to count, to search by words in any language,
    and to export."""
    with_runs(Workspace.open(own_samples))
    at = ("--workspace", str(own_samples))
    light = [["parse", str(SAMPLES / "faq")], ["chunk", str(SAMPLES / "faq")]]
    stored = [
        ["index", str(guide), "--workspace", str(tmp_path / "w"), "--dry-run"],
        ["search", ENGLISH, "--mode", "text", *at],
        ["search", CHINESE, "--mode", "text", *at],
        ["export", "report", *at],
    ]
    environment = {
        name: value for name, value in os.environ.items() if name != "PYTHONPATH"
    }  # no stand-in for the model
    ran = program(json.dumps(light + stored), " ".join(APP | MODEL | STORAGE), code=CODE, env=environment)
    loaded = [json.loads(line.removeprefix("loaded ")) for line in ran.err.splitlines() if line.startswith("loaded ")]
    assert [code for code, _ in loaded] == [0] * len(light + stored)
    assert [names for _, names in loaded[: len(light)]] == [[]] * len(light)
    assert [set(names) & (MODEL | {"streamlit"}) for _, names in loaded[len(light) :]] == [set()] * len(stored)
    assert "lancedb" in loaded[-1][1]  # it would have been seen


HELP = """
import json, sys
from chunking.cli import main
code = main(sys.argv[1:])
own = sorted(name for name in sys.modules if name.partition(".")[0] == "chunking")
others = sorted({name.partition(".")[0] for name in sys.modules} - sys.stdlib_module_names - {"chunking"})
print("loaded", json.dumps([code, own, others]), file=sys.stderr)
"""


def test_the_help_loads_the_table_of_commands_alone() -> None:
    """Neither a setting nor a command, and no other package than an interpreter that does nothing."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    bare = program(
        code="import json, sys; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))",
        env=environment,
    )
    ran = program("--help", code=HELP, env=environment)
    code, own, others = json.loads(ran.err.removeprefix("loaded "))
    assert code == 0
    assert [name for name in own if not name.startswith("chunking.cli")] == ["chunking", "chunking.errors"]
    assert set(own) & {f"chunking.cli.commands.{row.function.partition('.')[0]}" for row in COMMANDS} == set()
    assert set(others) - set(bare.rows[0]) == set()
