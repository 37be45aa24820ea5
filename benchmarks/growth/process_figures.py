"""Time, memory and written bytes of a step, as Linux counts them for this process."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

__all__ = ["Figures", "disk_bytes", "measured"]

_SELF = Path("/proc/self")


@dataclass(slots=True)
class Figures:
    """What a step took."""

    seconds: float = 0.0
    processor: float = 0.0
    """Seconds of all threads."""
    written: int = 0
    """Bytes given to the system to write, also what never reaches the disk since it is deleted before."""
    peak: int = 0
    """Most resident bytes during the step."""

    def as_record(self) -> dict[str, float]:
        return asdict(self)


@contextmanager
def measured(what: str) -> Iterator[Figures]:
    """Measure a `with` block, and print the result to standard error."""
    figures = Figures()
    _forget_peak()
    written, processor, started = _number("io", "wchar"), time.process_time(), time.perf_counter()
    yield figures
    figures.seconds = time.perf_counter() - started
    figures.processor = time.process_time() - processor
    figures.written = _number("io", "wchar") - written
    figures.peak = _number("status", "VmHWM") * 1024
    print(
        f"  {what}: {figures.seconds:.2f} s, processor {figures.processor:.2f} s, "
        f"{figures.written / 1e6:,.1f} MB written, peak {figures.peak / 1e6:,.0f} MB",
        file=sys.stderr,
        flush=True,
    )


def _forget_peak() -> None:
    """Have the kernel count the most resident bytes from now on."""
    (_SELF / "clear_refs").write_text("5", encoding="ascii")


def _number(file: str, key: str) -> int:
    lines = (_SELF / file).read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{key}:"))


def disk_bytes(folder: Path) -> int:
    """Return the bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
