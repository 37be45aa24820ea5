"""Runs the command, mostly in this process; one workspace with the samples for all tests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.asked import ASKED
from tests.cli.command import GUIDE
from tests.cli.command_fixtures import _stand_in, own_samples, run, samples  # noqa: F401


@pytest.fixture
def guide(tmp_path: Path) -> Path:
    """A folder with one small document in a folder."""
    (tmp_path / "docs" / "pump").mkdir(parents=True)
    (tmp_path / "docs" / "pump" / "guide.md").write_text(GUIDE, encoding="utf-8")
    return tmp_path / "docs"


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    """Three questions about the guide."""
    lines = (
        {"id": name, "question": text, "doc": "pump/guide.md", "answers": [{"text": quote}]}
        for name, (text, quote) in ASKED.items()
    )
    file = tmp_path / "questions.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return file
