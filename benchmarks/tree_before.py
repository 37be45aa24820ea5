"""The version before, checked out beside the present one, so that both are measured in one run."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["last_version", "tree_of"]

_ROOT = Path(__file__).parent.parent


def last_version() -> str | None:
    """The newest tag before the present commit, else the branch that this one is landed on; None where there is
    neither.
    """
    tag = _git("describe", "--tags", "--abbrev=0", "HEAD^")
    if tag:
        return tag
    landed = _git("rev-parse", "--verify", "--quiet", "origin/main")
    return landed if landed and landed != _git("rev-parse", "HEAD") else None


def _git(*words: str) -> str:
    """What git answers; empty where it cannot."""
    done = subprocess.run(["git", *words], cwd=_ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


@contextmanager
def tree_of(revision: str, folder: Path) -> Iterator[Path]:
    """The files of a revision, in a folder that is gone afterwards.

    Raises:
        LookupError: git does not know the revision.
    """
    commit = _git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    if not commit:
        raise LookupError(f"git does not know the revision '{revision}'")
    place = folder / "before"
    subprocess.run(["git", "worktree", "add", "--quiet", "--detach", str(place), commit], cwd=_ROOT, check=True)
    try:
        yield place
    finally:
        subprocess.run(["git", "worktree", "remove", "--force", str(place)], cwd=_ROOT, check=True)
