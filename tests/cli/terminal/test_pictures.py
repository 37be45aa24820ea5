"""What people see is what the pictures show; they are drawn anew on purpose only."""

from __future__ import annotations

import pytest

from chunking.cli.terminal.terminal_text import width
from tests.cli.terminal.pictures import FOLDER, PICTURES, draw
from tests.cli.terminal.pseudo_terminal import plain


@pytest.mark.parametrize("name", PICTURES)
def test_a_view_looks_as_in_its_picture(name: str) -> None:
    """Line for line; `python -m tests.cli.terminal.pictures` draws it anew."""
    picture = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert draw(name).splitlines() == picture.splitlines()
    assert all(width(plain(line)) <= PICTURES[name][2].columns for line in picture.splitlines())


def test_there_is_a_file_for_each_and_no_other() -> None:
    """A picture that nothing draws holds nothing."""
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(PICTURES)
