"""Whether a SQLite file is damaged, asked without a lock: a server has its record of jobs for itself, and must not find
it taken.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

__all__ = ["damage", "fault_line"]

_LOOKS = 5
"""At a file that is written to meanwhile."""
_JOURNAL = "-journal"
_NO_HEADER = bytes(8)
"""What a journal begins with that nothing has to be taken back from."""


def damage(file: Path) -> str:
    """What is damaged in a database with a rollback journal, in SQLite's words; empty: nothing, or it is just being
    written to.

    Its bytes are read, and checked in memory.

    Raises:
        OSError: it cannot be read.
    """
    for _ in range(_LOOKS):
        before = _stamp(file)
        content = file.read_bytes()
        if content and not _in_between(file) and _stamp(file) == before:
            return _damage(content)
    return ""


def fault_line(report: str) -> str:
    """What SQLite says first that names a place, in one line.

    >>> fault_line("*** in database main ***\\nPage 3: never used")
    'Page 3: never used'
    """
    return report.splitlines()[-1] if report else report


def _damage(content: bytes) -> str:
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.deserialize(content)
            report = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.Error as error:
        return str(error)
    return "" if report == "ok" else fault_line(report)


def _stamp(file: Path) -> tuple[int, int]:
    facts = os.stat(file)
    return facts.st_mtime_ns, facts.st_size


def _in_between(file: Path) -> bool:
    """Whether a journal says that a change is under way, or was cut short: who opens the file next takes it back."""
    try:
        with file.with_name(f"{file.name}{_JOURNAL}").open("rb") as journal:
            return journal.read(len(_NO_HEADER)) not in (b"", _NO_HEADER)
    except FileNotFoundError:
        return False
