"""Table of growth: a column a size, each figure with its ratio to the size before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any

from benchmarks.report import Row

__all__ = ["GrowthTable", "Line"]

_COLUMNS = 118
_PHASES = {
    "prepare": "comparing, before the first document",
    "split": "splitting",
    "write": "embedding (fake) and writing rows",
    "text": "full-text index",
    "vectors": "vector index",
    "tidy": "listing and tidying",
}
_KINDS = {"added": "adding one document", "changed": "changing one document", "deleted": "deleting one document"}
_NOISE = 1.1
"""Ratio up to which two versions count as equally fast."""
_SAME = 2.0
"""Ratio, to the smallest size, up to which a change costs the same."""

Figures = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """Measurement as a row: how it is read from a size's figures and written, and its target."""

    what: str
    value: Callable[[Figures], float]
    text: Callable[[float], str]
    target: str = ""
    met: Callable[[float, float], bool] | None = None
    """Given the value and that of the smallest size."""
    ratio: bool = True


def seconds(value: float) -> str:
    """Return seconds in the unit in which they are easily read.

    >>> seconds(0.0123), seconds(1.234), seconds(98.7), seconds(5400)
    ('12 ms', '1.2 s', '99 s', '90 min')
    """
    if value < 1:
        return f"{value * 1000:.0f} ms" if value >= 0.01 else f"{value * 1000:.1f} ms"
    return f"{value:.1f} s" if value < 10 else f"{value:.0f} s" if value < 600 else f"{value / 60:.0f} min"


def size(value: float) -> str:
    """Return bytes in the unit in which they are easily read.

    >>> size(12_345), size(23_400_000), size(2_340_000_000)
    ('0.01 MB', '23 MB', '2.3 GB')
    """
    megabytes = value / 1e6
    if megabytes < 1:
        return f"{megabytes:.2f} MB"
    return f"{megabytes:,.0f} MB" if megabytes < 1000 else f"{megabytes / 1000:,.1f} GB"


def _milliseconds(value: float) -> str:
    return f"{value:.0f} ms"


def _lines() -> Iterator[Line]:
    yield Line("adding the files", lambda one: one["build"]["add"]["seconds"], seconds)
    yield Line("planning", lambda one: one["build"]["planning"], seconds)
    yield Line("index run after the plan", lambda one: _run_seconds(one), seconds)
    for phase, name in _PHASES.items():
        yield Line(f"… {name}", lambda one, phase=phase: one["build"]["phases"].get(phase, 0.0), seconds)
    yield Line("chunks a second, plan and run", lambda one: one["chunks"] / one["build"]["build"]["seconds"], _count)
    yield Line("processor time of plan and run", lambda one: one["build"]["build"]["processor"], seconds)
    yield Line("bytes written by plan and run", lambda one: one["build"]["build"]["written"], size)
    yield Line("commits, all tables", lambda one: one["build"]["commits"], _count)
    yield Line("peak memory, adding files", lambda one: one["build"]["add"]["peak"], size, "< 3 GB", _below(3e9))
    yield Line("peak memory, plan and run", lambda one: one["build"]["build"]["peak"], size, "< 3 GB", _below(3e9))
    yield Line("disk: the whole workspace", lambda one: one["build"]["disk"]["workspace"], size)
    yield Line("… rows of the index", lambda one: one["build"]["disk"]["table"], size)
    yield Line("… its full-text, vector and id indexes", lambda one: one["build"]["disk"]["indexes"], size)
    yield Line("… saved embeddings", lambda one: one["build"]["disk"]["embeddings"], size)
    yield Line("opening the workspace", lambda one: one["use"]["open"]["seconds"], seconds)
    yield Line("first search", lambda one: one["use"]["search"]["first"], _milliseconds)
    yield from _searches("search", "")
    yield Line("peak memory, searching", lambda one: one["use"]["search"]["peak"], size)
    for kind, name in _KINDS.items():
        yield Line(f"{name}: writing it", lambda one, kind=kind: one["use"][kind]["writing"], seconds)
        yield Line(
            f"{name}: the index run",
            lambda one, kind=kind: one["use"][kind]["running"],
            seconds,
            f"≤ {_SAME:g} × the smallest",
            lambda value, smallest: value <= _SAME * smallest,
        )
        yield Line(f"{name}: bytes written", lambda one, kind=kind: one["use"][kind]["written"], size)
    yield Line("1 % more documents: the index run", lambda one: one["use"]["batches"]["running"], seconds)
    yield Line("1 % more documents: bytes written", lambda one: one["use"]["batches"]["written"], size)
    yield Line("list of documents", lambda one: one["use"]["list_first"], seconds)
    yield Line("list of documents, again", lambda one: one["use"]["list_again"], seconds)
    yield Line("list of documents after a write", lambda one: one["use"]["changed"]["list"], seconds)
    yield Line("whether the index is out of date", lambda one: one["use"]["stale"], seconds)
    yield Line("whether it is, again", lambda one: one["use"]["stale_again"], seconds)
    yield Line("whether it is, after a write", lambda one: one["use"]["changed"]["stale"], seconds)
    yield from _searches("search_after", " after the changes")


def _searches(key: str, when: str) -> Iterator[Line]:
    recall = key.replace("search", "recall")
    yield Line(f"hybrid search{when}, p50", lambda one: one["use"][key]["p50"], _milliseconds, "< 150 ms", _below(150))
    yield Line(f"hybrid search{when}, p95", lambda one: one["use"][key]["p95"], _milliseconds, "< 400 ms", _below(400))
    yield Line(
        f"recall@10 of the vector index{when}",
        lambda one: one["use"][recall]["recall"],
        lambda value: f"{value:.3f}",
        "≥ 0.97",
        lambda value, _: value >= 0.97,
        ratio=False,
    )
    yield Line(
        f"storage calls of a search{when}",
        lambda one: max(one["use"][key]["calls"]),
        lambda value: f"{value:.0f}",
        "the same",
        lambda value, smallest: value == smallest,
        ratio=False,
    )


def _run_seconds(one: Figures) -> float:
    return float(one["build"]["build"]["seconds"] - one["build"]["planning"])


def _count(value: float) -> str:
    return f"{value:,.0f}"


def _below(most: float) -> Callable[[float, float], bool]:
    return lambda value, _: value < most


@dataclass(frozen=True)
class GrowthTable:
    """Figures of the sizes, and pairs of the current and an earlier version."""

    sizes: Mapping[int, Figures]
    pairs: Sequence[tuple[Figures, Figures]]
    """Figures of the smallest size now and before, round by round."""
    before: str
    machine: str

    @property
    def rows(self) -> Sequence[Row]:
        """Return a row for each target and size."""
        smallest = self.sizes[min(self.sizes)]
        rows = [
            Row(
                f"{line.what}, {count:,} chunks",
                line.text(line.value(one)),
                "",
                "",
                line.target,
                line.met(line.value(one), line.value(smallest)),
            )
            for line in _lines()
            if line.met is not None
            for count, one in self.sizes.items()
        ]
        return [*rows, *self._compared()]

    def markdown(self) -> str:
        """Return the table as Markdown."""
        heads = [f"{count:,} chunks" for count in self.sizes]
        table = [("what", *heads, "target"), ("---",) * (len(heads) + 2), *map(self._cells, _lines())]
        parts = ["**Growth on one machine**", _joined(table)]
        if self.pairs:
            compared = [(row.what, row.ours, row.against, row.result, row.target) for row in self._compared()]
            heads = ["what", "now", f"`{self.before}`", "ratio", "target"]
            parts += [
                f"**{min(self.sizes):,} chunks with an earlier version, in turn**",
                _joined([heads, ["---"] * len(heads), *compared]),
            ]
        return "\n\n".join([*parts, "\n".join(f"{fill(note, _COLUMNS)}  " for note in self._notes())])

    def _cells(self, line: Line) -> tuple[str, ...]:
        cells, last = [], None
        smallest = line.value(self.sizes[min(self.sizes)])
        for one in self.sizes.values():
            value = line.value(one)
            grown = f" ({_times(value / last)})" if line.ratio and last and value else ""
            missed = " ✗" if line.met is not None and not line.met(value, smallest) else ""
            cells.append((line.text(value) if value or not line.what.startswith("…") else "–") + grown + missed)
            last = value
        return (line.what, *cells, line.target)

    def _compared(self) -> Iterator[Row]:
        """Yield the smallest size now and before: the better of the rounds of each."""
        values: Mapping[str, Callable[[Figures], float]] = {
            "adding the files": lambda one: one["build"]["add"]["seconds"],
            "plan and index run": lambda one: one["build"]["build"]["seconds"],
            "… processor time": lambda one: one["build"]["build"]["processor"],
            **{
                f"{name}: the index run": lambda one, kind=kind: one["use"][kind]["running"]
                for kind, name in _KINDS.items()
            },
            "hybrid search, p50": lambda one: one["use"]["search"]["p50"] / 1000,
        }
        for what, value in values.items() if self.pairs else ():
            now, then = (min(value(pair[side]) for pair in self.pairs) for side in (0, 1))
            ratio = now / then
            yield Row(what, seconds(now), seconds(then), f"{ratio:.2f} ×", f"≤ {_NOISE:g} ×", ratio <= _NOISE)

    def _notes(self) -> Iterator[str]:
        kinds = {one["build"]["vector_index"] or "none: every vector is compared" for one in self.sizes.values()}
        yield (
            f"{self.machine}. Documents of ten chunks, recombined from the sentences of the English samples; vectors "
            "of 384 numbers in clusters, made from a hash of the text and not by a model, whose time is measured under "
            "Embedding. In brackets: the ratio to the size before. ✗: target missed."
        )
        yield (
            "Each size has two processes of its own, one that adds and builds, one that opens, searches and changes. "
            "Imports and the tokenizer come before. Bytes written are those given to the system to write. One "
            "document: medians of three. Searches: 50 warm "
            f"ones, {self._calls()}; recall: from 60 of the index's own vectors."
        )
        yield f"Vector indexes: {'; '.join(sorted(kinds))}."
        revisions = {one["revision"] for one in self.sizes.values()}
        if len(revisions) > 1:
            by_size = ", ".join(f"{count:,} chunks at {one['revision']}" for count, one in self.sizes.items())
            yield f"Not all of one version: {by_size}."
        loads = ", ".join(f"{one['load']:.1f}" for one in self.sizes.values())
        yield f"Load of the machine at the end of each size: {loads}."

    def _calls(self) -> str:
        calls = sorted({call for one in self.sizes.values() for call in one["use"]["search"]["calls"]})
        return f"{' or '.join(map(str, calls))} storage calls for 1, 5 or 50 results"


def _times(ratio: float) -> str:
    """Return a ratio in two digits, and in all before the decimal point.

    >>> _times(0.334), _times(1234.5)
    ('× 0.33', '× 1,234')
    """
    return f"× {ratio:.2g}" if ratio < 100 else f"× {ratio:,.0f}"


def _joined(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
