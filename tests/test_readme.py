"""The README tells the truth: its tables, its map of the tree, its dependencies and its example."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import chunking
from docs.tables import with_tables
from tests.support.stand_in_model import stand_in_model

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_settings_and_commands_stand_in_the_readme() -> None:
    """`python -m docs.tables` brings them up to date."""
    assert with_tables(README) == README


def test_every_dependency_is_named_with_its_reason() -> None:
    """A row in the table of dependencies for each line of requirements.txt."""
    table = README[README.index("## Dependencies") :]
    for line in (ROOT / "requirements.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            assert re.search(rf"\b{re.escape(line.split('==')[0])}\b", table), line


def test_every_module_and_package_of_the_library_is_on_the_map() -> None:
    """What stands in chunking/ stands under "Where things are"."""
    tree = README[README.index("## Where things are") : README.index("## Dependencies")]
    for path in (ROOT / "chunking").iterdir():
        name = f"{path.name}/" if path.is_dir() else path.name
        if not name.startswith("__"):
            assert name in tree, name


def test_every_picture_is_there() -> None:
    """No broken image."""
    for link in re.findall(r"\]\((docs/images/[^)]+)\)", README):
        assert (ROOT / link).exists(), link


def test_the_example_runs_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Ten lines that do the main job, on the samples."""
    match = re.search(r"<!-- example -->\n```python\n(.*?)```", README, re.DOTALL)
    assert match
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    monkeypatch.chdir(tmp_path)
    with stand_in_model():  # what is shown is how the library is called, not what the model finds
        exec(compile(match[1], "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "chunks" in printed
    assert "characters" in printed


@pytest.mark.parametrize("name", chunking.__all__)
def test_the_handful_of_names_can_be_imported(name: str) -> None:
    """Each name of the library leads somewhere, and the list is sorted."""
    assert getattr(chunking, name).__doc__
    assert sorted(chunking.__all__) == chunking.__all__
