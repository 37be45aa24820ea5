"""Where the program and its data are, in the repository and where it is installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from chunking.paths import DATA, INSTALLED, LIBRARY, PROJECT, SECRETS, data_folder

ROOT = Path(__file__).parent.parent


def test_in_the_repository_everything_is_in_one_folder() -> None:
    """Options, secrets, samples and requirements are looked for there."""
    assert (PROJECT, LIBRARY, SECRETS, INSTALLED) == (ROOT, ROOT, ROOT, False)
    assert (PROJECT / "serve.py").is_file()
    assert (PROJECT / "requirements.txt").is_file()
    assert DATA == ROOT / ".workspaces"


def test_an_installed_program_keeps_data_apart_from_its_files(tmp_path: Path) -> None:
    """An update replaces its files."""
    (tmp_path / "chunking").mkdir()
    (tmp_path / "chunkscope_app").mkdir()
    (tmp_path / "chunkscope_app" / "serve.py").touch()
    for name in ("__init__.py", "paths.py"):
        shutil.copy(ROOT / "chunking" / name, tmp_path / "chunking")
    code = "from chunking.paths import *; print(INSTALLED, LIBRARY, PROJECT, DATA, SECRETS, sep='|')"
    environment = {"HOME": str(tmp_path / "ada"), "XDG_DATA_HOME": str(tmp_path / "data")}
    process = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    ).stdout
    installed, library, project, *places = process.strip().split("|")
    assert (installed, Path(library), Path(project)) == ("True", tmp_path, tmp_path / "chunkscope_app")
    assert not any(Path(place).is_relative_to(tmp_path / "chunkscope_app") for place in places)
    if sys.platform == "linux":
        assert set(places) == {str(tmp_path / "data" / "chunkscope")}


@pytest.mark.parametrize(
    ("system", "environment", "expected"),
    [
        ("linux", {"XDG_DATA_HOME": "/data"}, "/data/chunkscope"),
        ("linux", {"XDG_DATA_HOME": ""}, "/home/ada/.local/share/chunkscope"),
        ("darwin", {}, "/home/ada/Library/Application Support/Chunkscope"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/Chunkscope"),
        ("win32", {}, "/home/ada/AppData/Local/Chunkscope"),
    ],
)
def test_data_are_where_the_system_keeps_those_of_a_person(
    system: str, environment: dict[str, str], expected: str
) -> None:
    """Each system has a place for them."""
    assert data_folder(system, environment, Path("/home/ada")).as_posix() == expected
