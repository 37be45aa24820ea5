"""What `chunking.notebook` loads, and what it says where a package is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from chunking.errors import ConfigError
from chunking.notebook import explore
from tests.notebook.notebook_documents import guide

ROOT = Path(__file__).parents[2]


def test_the_app_is_not_loaded() -> None:
    """Not by the import, and not by a widget: Streamlit alone takes half a second."""
    code = (
        "import sys; import chunking.notebook; light = {'numpy', 'anywidget'} & {*sys.modules}\n"
        "from chunking import parse; chunking.notebook.explore(parse(b'# A\\n\\nB.', 'a.md'))\n"
        "print(*light, *sorted({'streamlit', 'components', 'torch', 'plotly'} & {*sys.modules}))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert ran.stdout.split() == []


def test_a_missing_anywidget_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ConfigError) as raised:
        explore(guide(1))
    assert raised.value.where == "anywidget"
