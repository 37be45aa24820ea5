"""What `shared_data` does where the test data are not beside the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import shared_data as module
from tests.support.shared_data import shared_data, shared_files


@pytest.fixture
def nothing_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A fresh clone."""
    monkeypatch.setattr(module, "ROOT", tmp_path / "testdata")
    return tmp_path / "testdata"


@pytest.mark.parametrize("ci", ["", "0", "false"])
def test_missing_data_skip_a_test(nothing_there: Path, monkeypatch: pytest.MonkeyPatch, ci: str) -> None:
    """Outside CI, with the name of what is missing."""
    monkeypatch.setenv("CI", ci)
    with pytest.raises(pytest.skip.Exception, match=r"docx/a\.docx"):
        shared_data("docx/a.docx")


@pytest.mark.parametrize("ci", ["1", "true", "True"])
def test_missing_data_fail_a_test_in_ci(nothing_there: Path, monkeypatch: pytest.MonkeyPatch, ci: str) -> None:
    """Nothing is left out in silence there, neither one file nor a whole folder of them."""
    monkeypatch.setenv("CI", ci)
    for name in ("docx/a.docx", *shared_files("docx/*.docx")):
        with pytest.raises(pytest.fail.Exception, match="docx/"):
            shared_data(name)


def test_files_that_are_there(nothing_there: Path) -> None:
    """By their pattern, in order, without those left out by name; `shared_data` takes what `shared_files` gives."""
    (nothing_there / "docx").mkdir(parents=True)
    for name in ("b.docx", "a.docx", "locked.docx", "c.txt"):
        (nothing_there / "docx" / name).touch()
    files = shared_files("docx/*.docx", without="locked")
    assert [path.name for path in files] == ["a.docx", "b.docx"]
    assert list(map(shared_data, files)) == files
