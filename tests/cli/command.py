"""The command as a process of its own, what a run of it gave, and what it is run over."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Never

from chunking.parsing import parse_file

ROOT = Path(__file__).parents[2]


SAMPLES = ROOT / "sample_data"
GUIDE = """# Pump guide

## Install

Switch the pump off before the filter is changed. The pressure must stay under four bar.

| part | number |
|---|---|
| seal | 17 |
| valve | 23 |

## Repair

Q: Why does it drip?
A: The seal is worn.

```sh
systemctl restart pump
```
"""


@dataclass(frozen=True, slots=True)
class Ran:
    """What a run of the command gave."""

    code: int
    out: str
    err: str

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The objects on stdout, a line each."""
        return [json.loads(line, parse_constant=_no_json) for line in self.out.splitlines()]

    @property
    def row(self) -> dict[str, Any]:
        """The only object on stdout; nothing went wrong."""
        assert self.code == 0, self.err
        (row,) = self.rows
        return row

    @property
    def complaint(self) -> str:
        """The one sentence that says what went wrong; there is no other line on stderr that would hide it."""
        (line,) = self.err.splitlines()
        assert line.startswith("chunkscope: "), line
        assert line.endswith("."), line
        return line


def _no_json(constant: str) -> Never:
    raise AssertionError(f"{constant} is not JSON")


Run = Callable[..., Ran]


def check(row: dict[str, Any], expected: Mapping[str, Any], optional: Collection[str] = ()) -> None:
    """The keys in their order, without those that may be left out, each of its type."""
    assert list(row) == [key for key in expected if key in row or key not in optional]
    for key, value in row.items():
        assert isinstance(value, expected[key]), (key, value)


def text_of(source: str) -> str:
    """The text of a sample, as it is read."""
    return parse_file(SAMPLES / source, root=SAMPLES).text


def program(*words: object, code: str | None = None, **options: Any) -> Ran:
    """Run the command (or a piece of Python) as a process of its own."""
    start: Sequence[str] = ["-m", "chunking"] if code is None else ["-c", code]
    done = subprocess.run(
        [sys.executable, *start, *map(str, words)],
        capture_output=True,
        encoding="utf-8",
        cwd=ROOT,
        check=False,
        timeout=240,
        **options,
    )
    return Ran(done.returncode, done.stdout, done.stderr)
