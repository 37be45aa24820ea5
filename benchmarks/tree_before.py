"""Checkout of the previous version, to measure both versions in one run."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["last_version", "tree_of"]

_ROOT = Path(__file__).parent.parent


def last_version() -> str | None:
    """Return the newest tag before the current commit, else the main branch; None if there is neither."""
    tag = _git("describe", "--tags", "--abbrev=0", "HEAD^")
    if tag:
        return tag
    landed = _git("rev-parse", "--verify", "--quiet", "origin/main")
    return landed if landed and landed != _git("rev-parse", "HEAD") else None


def _git(*words: str) -> str:
    """Return git's output; empty on failure."""
    done = subprocess.run(["git", *words], cwd=_ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


@contextmanager
def tree_of(revision: str, folder: Path) -> Iterator[Path]:
    """Check out a revision in a temporary folder.

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
