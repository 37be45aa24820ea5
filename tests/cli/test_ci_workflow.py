"""The workflow for CI that the documentation offers: it is one, and its command passes and fails as it should."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from chunking.config import Config
from chunking.export import configuration_yaml
from tests.cli.command import GUIDE, ROOT, Run

QUESTIONS = {
    "How high may the pressure be?": "The pressure must stay under four bar.",
    "Why does it drip?": "The seal is worn.",
    "What is done before the filter is changed?": "Switch the pump off before the filter is changed.",
    "Which number has the valve?": "| valve | 23 |",
    "Which number has the seal?": "| seal | 17 |",
    "How is the pump restarted?": "systemctl restart pump",
}


@pytest.fixture
def workflow() -> dict[str, Any]:
    """The only YAML of the page."""
    (text,) = re.findall(
        r"```yaml\n(.*?)```", (ROOT / "docs" / "guides" / "pipelines.md").read_text(encoding="utf-8"), re.DOTALL
    )
    parsed: dict[str, Any] = yaml.safe_load(text)
    return parsed


@pytest.fixture
def command(workflow: dict[str, Any]) -> tuple[list[str], str]:
    """The words of the step that evaluates, and the file that its output goes to."""
    (line,) = (step["run"] for step in workflow["jobs"]["evaluate"]["steps"] if "evaluate" in step.get("run", ""))
    *words, arrow, out = shlex.split(line)
    assert (words[0], arrow) == ("chunkscope", ">")
    return words[1:], out


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files that the page asks for, in the present folder."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "guide.md").write_text(GUIDE, encoding="utf-8")
    config = Config.from_settings({"size": "32", "search.mode": "text"})
    (tmp_path / "chunkscope.yaml").write_text(configuration_yaml(config), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ask(folder: Path, questions: dict[str, str]) -> None:
    """Write the question set."""
    lines = [
        json.dumps({"question": text, "doc": "guide.md", "answers": [{"text": quote}]})
        for text, quote in questions.items()
    ]
    (folder / "questions.jsonl").write_text("\n".join(lines), encoding="utf-8")


def test_the_example_is_a_workflow_for_pull_requests(workflow: dict[str, Any], command: tuple[list[str], str]) -> None:
    """It runs on pull requests, keeps the folder of the embeddings, and saves the file that the command writes."""
    assert "pull_request" in workflow["on"]
    steps = {
        step["uses"].partition("@")[0]: step["with"] for step in workflow["jobs"]["evaluate"]["steps"] if "with" in step
    }
    words, out = command
    assert steps["actions/cache"]["path"] == words[words.index("--workspace") + 1]
    assert steps["actions/upload-artifact"]["path"] == out


def test_it_passes_where_answers_are_found(run: Run, repository: Path, command: tuple[list[str], str]) -> None:
    """One object for the file; a second run over the same files takes the run that is kept."""
    ask(repository, QUESTIONS)
    first = run(*command[0]).row
    assert first["below"] == []
    assert (repository / ".chunkscope").is_dir()
    again = run(*command[0])
    assert again.row["fingerprints"] == first["fingerprints"]
    assert "Embedding" not in again.err


def test_it_fails_where_they_are_not(run: Run, repository: Path, command: tuple[list[str], str]) -> None:
    """Questions that no word of the documents answers."""
    ask(repository, {f"Nonsense {number} xyzzy?": quote for number, quote in enumerate(QUESTIONS.values())})
    ran = run(*command[0])
    assert ran.code == 1
    assert {one["metric"] for one in ran.rows[0]["below"]} == {"recall", "reciprocal_rank"}
