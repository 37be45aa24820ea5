"""Real files of the test data next to the project, which a fresh clone lacks.

A test asks for its file with `shared_data`: without the file it is skipped, and in CI (`CI` is set to 1 or true) it
fails, so that nobody takes a run without the data for a whole one. The project's own real files lie in
`tests/data/formats`.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

__all__ = ["shared_data", "shared_files"]

ROOT = Path(__file__).parents[3] / "shared" / "testdata"


def shared_data(name: str | Path) -> Path:
    """Return the file or folder of this name in the test data.

    Args:
        name: Its path inside the test data, as `docx/word_sample.docx`, or one that `shared_files` gave.
    Raises:
        Skipped: It is missing.
        Failed: It is missing, and this is CI.
    """
    path = ROOT / name
    if path.exists():
        return path
    missing = f"{path.relative_to(ROOT)} of the test data is not beside the project (shared/testdata)."
    if os.environ.get("CI", "").lower() in ("1", "true"):
        pytest.fail(missing)
    pytest.skip(missing)


def shared_files(pattern: str, *, without: str = "") -> list[Path]:
    """Return the matching files for `parametrize`; if there are none, the pattern for `shared_data`.

    Args:
        pattern: As `docx/*.docx`.
        without: Leaves out the names that start with this.
    """
    return sorted(path for path in ROOT.glob(pattern) if not without or not path.name.startswith(without)) or [
        ROOT / pattern
    ]
