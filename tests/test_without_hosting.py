"""A copy of the program without the folder hosting/: it serves one person."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PARTS = ("chunking", "components", "pages", "app.py", "serve.py", "sample_data", "sample_articles", ".streamlit")
PAGES = ("documents", "chunks", "index", "search", "evaluate", "tune", "export", "agents")
IMPORT_ALL = """
import importlib, importlib.util, pkgutil
import chunking, components

assert importlib.util.find_spec("hosting") is None
for package in (chunking, components):
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if found.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(found.name)
        except ImportError as error:
            if (error.name or "").split(".")[0] in ("hosting", "chunking", "components"):
                raise
import serve
assert len(serve.app._user_middleware) == 4, serve.app._user_middleware
"""
OPEN_PAGES = """
import sys
from streamlit.testing.v1 import AppTest
from chunking.parsing import parse
from chunking.store import Workspace

Workspace.open("workspace").put_documents([parse(b"# Valve\\n\\nOpen it slowly.", "valve.md")])
for page in sys.argv[1:]:
    app = AppTest.from_file("app.py", default_timeout=120).run().switch_page(f"pages/{page}.py").run()
    assert not app.exception, (page, app.exception)
    assert not app.error, (page, app.error)
"""
REFUSE = """
from streamlit.testing.v1 import AppTest

app = AppTest.from_file("app.py", default_timeout=120).run()
assert not app.exception, app.exception
(error,) = app.error
assert "hosting" in error.value
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree without hosting/ and its tests, with the stand-in for models."""
    folder = tmp_path_factory.mktemp("tree")
    for name in PARTS:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
        copy(ROOT / name, folder / name)
    shutil.copytree(ROOT / "tests" / "support", folder / "tests" / "support")
    shutil.copy2(ROOT / "tests" / "__init__.py", folder / "tests")
    return folder


def run(tree: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the copy, with a home folder of its own."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("CHUNKSCOPE_")}
    path = os.pathsep.join((str(tree), str(tree / "tests" / "support" / "stand_in")))
    environment = {f"CHUNKSCOPE_{name}": value for name, value in {"HOME": str(tree / "home"), **variables}.items()}
    return subprocess.run(
        [sys.executable, *words],
        cwd=tree,
        env={**inherited, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_module_and_the_server_can_be_imported(tree: Path) -> None:
    """Nothing needs the folder; the server has the layers of one person."""
    done = run(tree, "-c", IMPORT_ALL)
    assert done.returncode == 0, done.stderr


def test_every_page_opens(tree: Path) -> None:
    """In the mode local, on a workspace with a document."""
    done = run(tree, "-c", OPEN_PAGES, *PAGES, WORKSPACE=str(tree / "workspace"))
    assert done.returncode == 0, done.stderr


def test_the_mode_of_a_team_is_refused_in_a_sentence(tree: Path) -> None:
    """It names the folder that is not there."""
    done = run(tree, "-c", REFUSE, MODE="team")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", ["doctor", "users"])
def test_the_commands_of_operators_are_refused_in_a_sentence(tree: Path, command: str) -> None:
    """As everything else that is wrong with a deployment."""
    done = run(tree, "-m", "chunking", command)
    assert done.returncode != 0
    assert "hosting" in done.stderr
    assert "Traceback" not in done.stderr
