"""What millions of documents take, computed from measured rates: machines, hours, disk and money.

python -m benchmarks.growth.on_paper                                  as in the documentation
python -m benchmarks.growth.on_paper --documents 3 --price 0.06       three million, at another price of a core
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

__all__ = ["RATES", "Assumptions", "Estimate", "Rate", "Source", "paper_table", "rates_table"]


class Source(StrEnum):
    """Where a number comes from."""

    HERE = "measured here"
    TRIAL = "measured in a trial"
    COMPUTED = "computed"
    ASSUMED = "assumption"


@dataclass(frozen=True, slots=True)
class Rate:
    """Number that the arithmetic starts from."""

    what: str
    value: float
    unit: str
    source: Source
    how: str


RATES = {
    "chunks": Rate(
        "chunks of a document", 10, "chunks", Source.ASSUMED, "as in the table of growth: 5 kB of plain Markdown"
    ),
    "tokens": Rate(
        "tokens of a chunk", 128, "tokens", Source.HERE, "the same documents, the default model's tokenizer"
    ),
    "embed": Rate(
        "embedding with multilingual-e5-small in bf16",
        3_400,
        "tokens a second and core",
        Source.HERE,
        "[Benchmarks](benchmarks.md#embedding): 24 texts of 4,365 tokens in 1.28 s of one core",
    ),
    "read": Rate(
        "reading a document and saving it",
        25,
        "ms of a core",
        Source.HERE,
        "200 files, each in a guarded process of its own (22 ms); the rest as in the table, on a busy machine",
    ),
    "split": Rate(
        "splitting a document",
        24,
        "ms of a core",
        Source.HERE,
        "100,000 documents, as in the table; the trial's took 12 ms, with all-MiniLM-L6-v2",
    ),
    "rows": Rate(
        "writing rows", 11, "s of a core for a million chunks", Source.TRIAL, "LanceDB alone, 20,000 rows a commit"
    ),
    "text": Rate("full-text index", 57, "s of a core for a million chunks", Source.TRIAL, "86 s on the clock"),
    "train": Rate(
        "training a vector index's partitions",
        38,
        "s of a core for a million chunks",
        Source.HERE,
        "1,010 partitions of 1,020,000 vectors, 55 s on the clock of a busy machine",
    ),
    "vectors": Rate(
        "filling them, IVF-SQ",
        104,
        "s of a core for a million chunks",
        Source.HERE,
        "the same vectors in two segments, 149 s on the clock of a busy machine",
    ),
    "row_disk": Rate(
        "rows of the index on disk", 2.4, "GB for a million chunks", Source.TRIAL, "with 384 numbers each"
    ),
    "index_disk": Rate("its indexes on disk", 0.58, "GB for a million chunks", Source.TRIAL, "full text and IVF-SQ"),
    "saved_disk": Rate(
        "saved embeddings on disk", 1.6, "GB for a million chunks", Source.COMPUTED, "384 × 4 bytes, and the key"
    ),
    "text_disk": Rate("documents on disk", 5, "kB a document", Source.HERE, "the table of growth"),
    "memory": Rate(
        "memory to build both indexes", 2.9, "GB for a million chunks", Source.HERE, "peak of the run; linear beyond"
    ),
    "search": Rate(
        "full-text leg, p95", 205, "ms at a million chunks", Source.TRIAL, "two cores; taken as linear beyond"
    ),
    "list": Rate("list of documents in memory", 1.5, "kB a document", Source.TRIAL, "151 MB for 100,000"),
}
"""Rates by key."""


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What the reader may set otherwise."""

    price: float = 0.04
    """Dollars for a core and an hour."""
    disk_price: float = 0.08
    """Dollars for a GB of disk and a month."""
    cores: int = 16
    """Cores of a machine."""
    machine_memory: float = 64.0
    """GB of memory of a machine."""
    efficiency: float = 0.7
    """Share of the cores' time that is work, and not waiting, starting or moving data."""
    segments: int = 8
    """Most segments of an index, each made by one machine."""
    hours: float = 12.0
    """Hours in which the build shall end; the machines are as many as that takes."""
    answer: float = 400.0
    """Milliseconds within which 95 of 100 searches shall answer."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a number of documents takes; core hours unless a unit is named."""

    documents: float
    chosen: Assumptions = Assumptions()

    @property
    def chunks(self) -> float:
        """Millions of chunks."""
        return self.documents * _rate("chunks") / 1e6

    @property
    def embedding(self) -> float:
        return self.chunks * 1e6 * _rate("tokens") / _rate("embed") / 3600

    @property
    def reading(self) -> float:
        return self.documents * (_rate("read") + _rate("split")) / 1000 / 3600

    @property
    def writing(self) -> float:
        return self.chunks * _rate("rows") / 3600

    @property
    def full_text(self) -> float:
        return self.chunks * _rate("text") / 3600

    @property
    def training(self) -> float:
        """K-means compares 256 vectors of each partition with all centroids, and both are the root of the chunks."""
        return self.chunks * _rate("train") / 3600

    @property
    def vector_index(self) -> float:
        """Each vector is compared with as many centroids as the root of their number."""
        return max(1.0, self.chunks) ** 1.5 * _rate("vectors") / 3600

    @property
    def spread(self) -> float:
        """Work of all machines alike."""
        return self.embedding + self.reading + self.writing

    @property
    def working_cores(self) -> float:
        """Cores of a machine, without the share of their time that is no work."""
        return self.chosen.cores * self.chosen.efficiency

    def hours_on(self, machines: int) -> float:
        """Hours of the build; one machine trains, then the indexes are made on one machine a segment, or on fewer."""
        on_indexes = min(machines, self.chosen.segments)
        indexing = self.full_text + self.vector_index
        return (self.spread / machines + self.training + indexing / on_indexes) / self.working_cores

    @property
    def machines(self) -> int:
        """Fewest machines that end the build in time; where the indexes alone take it, those that halve the rest."""
        most = max(1, math.ceil(self.spread / (self.working_cores * self.chosen.hours / 2)))
        return next((count for count in range(1, most) if self.hours_on(count) <= self.chosen.hours), most)

    @property
    def hours(self) -> float:
        return self.hours_on(self.machines)

    @property
    def index_hours(self) -> float:
        """Those of them for both indexes."""
        return self.hours - self.spread / (self.machines * self.working_cores)

    @property
    def dollars_an_hour(self) -> float:
        return self.machines * self.chosen.cores * self.chosen.price

    @property
    def disk(self) -> float:
        """GB, with room for a second index beside the first, as a rebuild needs it."""
        chunks = 2 * (_rate("row_disk") + _rate("index_disk")) + _rate("saved_disk")
        return chunks * self.chunks + self.documents * _rate("text_disk") / 1e6

    @property
    def segment_memory(self) -> float:
        """GB of memory to make one segment's indexes."""
        return self.chunks / self.chosen.segments * _rate("memory")

    @property
    def list_memory(self) -> float:
        """GB of memory for the list of all documents."""
        return self.documents * _rate("list") / 1e6

    @property
    def full_text_seconds(self) -> float:
        """Seconds of the full-text leg on two cores, p95."""
        return self.chunks * _rate("search") / 1000

    @property
    def servers(self) -> int:
        """Machines that answer in time, each with a part of the index."""
        return math.ceil(2 * self.full_text_seconds * 1000 / self.chosen.answer / self.chosen.cores)


def _rate(key: str) -> float:
    return RATES[key].value


def rates_table() -> str:
    """Return the table of rates, with the source of each."""
    rows = [
        (rate.what, f"{rate.value:,g} {rate.unit}", f"**{rate.source}**: {rate.how}" if rate.how else rate.source)
        for rate in RATES.values()
    ]
    chosen = Assumptions()
    assumed = (
        ("a core for an hour", f"${chosen.price:g}", "a general-purpose machine, on demand"),
        ("a GB of disk for a month", f"${chosen.disk_price:g}", ""),
        ("a machine", f"{chosen.cores} cores, {chosen.machine_memory:g} GB", ""),
        ("share of the cores' time that is work", f"{chosen.efficiency:g}", "the trial's on two cores was 0.5"),
        ("the build ends within", f"{chosen.hours:g} hours", "sets the number of machines"),
    )
    rows += [(what, value, f"**{Source.ASSUMED}**{': ' * bool(how)}{how}") for what, value, how in assumed]
    return _markdown([("rate", "value", "where it comes from"), ("---",) * 3, *rows])


def paper_table(documents: Sequence[float] = (10e6, 100e6), chosen: Assumptions | None = None) -> str:
    """Return the table of what numbers of documents take, with its arithmetic."""
    estimates = [Estimate(count, chosen or Assumptions()) for count in documents]
    heads = ("what", "arithmetic (D documents, C chunks)", *(f"{count / 1e6:,g} M documents" for count in documents))
    rows = [(what, arithmetic, *map(text, estimates)) for what, arithmetic, text in _lines(estimates[0].chosen)]
    return _markdown([heads, ("---",) * len(heads), *rows])


def _lines(chosen: Assumptions) -> Iterator[tuple[str, str, Callable[[Estimate], str]]]:
    """Yield what a row is, its arithmetic, and its text for an estimate."""
    rate = {key: f"{one.value:,g}" for key, one in RATES.items()}
    cores, parts, memory = chosen.cores, chosen.segments, chosen.machine_memory
    money = f"× {cores} × ${chosen.price:g}"
    yield "chunks", f"D × {rate['chunks']}", lambda one: f"{one.chunks:,g} M"
    yield (
        "embedding, core hours",
        f"C × {rate['tokens']} tokens ÷ {rate['embed']} a second",
        lambda one: _count(one.embedding),
    )
    yield (
        "reading and splitting, core hours",
        f"D × ({rate['read']} + {rate['split']}) ms",
        lambda one: _count(one.reading),
    )
    yield "writing rows, core hours", f"C × {rate['rows']} s a million", lambda one: _count(one.writing)
    yield "full-text index, core hours", f"C × {rate['text']} s a million", lambda one: _count(one.full_text)
    yield "training the vector index, core hours", f"C × {rate['train']} s a million", lambda one: _count(one.training)
    yield (
        "filling its partitions, core hours",
        f"(C ÷ 1 M)^1.5 × {rate['vectors']} s",
        lambda one: _count(one.vector_index),
    )
    yield (
        "**machines**",
        f"the first three ÷ ({cores} cores × {chosen.efficiency:g}), to end within {chosen.hours:g} h",
        lambda one: f"{one.machines}",
    )
    yield (
        "both indexes, hours",
        f"trained on one of them, then on at most {parts}, one a segment",
        lambda one: _count(one.index_hours),
    )
    yield "**the build, hours**", "the first three on all, then both indexes", lambda one: _count(one.hours)
    yield "building, money by the hour", f"machines {money}", lambda one: _dollars(one.dollars_an_hour)
    yield "**the build, money**", "the same × hours", lambda one: _dollars(one.dollars_an_hour * one.hours)
    yield (
        "**disk, GB**",
        f"C × (2 × ({rate['row_disk']} + {rate['index_disk']}) + {rate['saved_disk']}) GB a million "
        f"+ D × {rate['text_disk']} kB",
        lambda one: _count(one.disk),
    )
    yield "disk, money a month", f"GB × ${chosen.disk_price:g}", lambda one: _dollars(one.disk * chosen.disk_price)
    yield (
        "memory for one segment's indexes, GB",
        f"C ÷ {parts} × {rate['memory']} GB a million",
        lambda one: _count(one.segment_memory) + _above(one.segment_memory, memory),
    )
    yield (
        "list of documents in one process, GB",
        f"D × {rate['list']} kB",
        lambda one: _count(one.list_memory) + _above(one.list_memory, memory),
    )
    yield (
        "full-text leg on two cores, p95, seconds",
        f"C × {rate['search']} ms a million",
        lambda one: _count(one.full_text_seconds) + _above(one.full_text_seconds * 1000, chosen.answer),
    )
    yield (
        f"**machines that answer within {chosen.answer:g} ms**",
        f"2 cores × that ÷ {chosen.answer / 1000:g} s ÷ {cores}, the index in as many parts",
        lambda one: f"{one.servers}",
    )
    yield (
        "answering, money by the hour",
        f"the same {money}",
        lambda one: _dollars(one.servers * cores * chosen.price),
    )


def _above(value: float, most: float) -> str:
    return " ✗" if value > most else ""


def _count(value: float) -> str:
    """Write a number with the digits that its origin bears out.

    >>> _count(0.123), _count(12.3), _count(12345)
    ('0.1', '12', '12,000')
    """
    if value < 10:
        return f"{value:.1f}".removesuffix(".0") if value >= 0.05 else "< 0.1"
    digits = max(0, math.floor(math.log10(value)) - 1)
    return f"{round(value, -digits):,.0f}" if digits else f"{value:,.0f}"


def _dollars(value: float) -> str:
    return f"${value:.2f}" if value < 10 else f"${_count(value)}"


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def main(words: Sequence[str]) -> None:
    """Print the table for other numbers."""
    chosen = Assumptions()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth.on_paper")
    parser.add_argument("--documents", type=float, action="append", metavar="MILLIONS", help="10 and 100 by default")
    parser.add_argument("--price", type=float, default=chosen.price, help="dollars for a core and an hour")
    parser.add_argument("--cores", type=int, default=chosen.cores, help="cores of a machine")
    parser.add_argument("--hours", type=float, default=chosen.hours, help="hours in which the build shall end")
    given = parser.parse_args(words)
    chosen = replace(chosen, price=given.price, cores=given.cores, hours=given.hours)
    print(paper_table([one * 1e6 for one in given.documents or (10, 100)], chosen))


if __name__ == "__main__":
    main(sys.argv[1:])
