"""Speed of splitting against peers, at first and again, and the number of split fences and tables.

python -m benchmarks.splitting

One generated Markdown document of 10 MB, the same tokenizer for all (counts without special tokens), the same size. The
best of some rounds counts for everyone, so that other work on the machine does not decide. A peer that would take over
a minute is timed on a tenth of the document, which flatters it if anything, and the table says so.
"""

from __future__ import annotations

import random
import re
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from tokenizers import Tokenizer

from benchmarks.report import Row, Table
from chunking.config import ENGLISH_MODEL, ChunkConfig
from chunking.embedding.model_folder import find_model
from chunking.model import Document
from chunking.parsing import parse
from chunking.splitting import Chunker, TokenCounter

LENGTH = 10_000_000
SIZE = 200
ROUNDS = 3
PATIENCE = 60.0
"""Seconds for a peer's rounds before it is timed on a part of the document."""
PART = 10
FIRST_PASS = 3.4
RE_CUT = 80.0

Split = Callable[[str], list[str]]


@dataclass(frozen=True, slots=True)
class Timed:
    """Timing of one splitter."""

    name: str
    seconds: float
    """Seconds for the whole document."""
    scaled: bool
    cut: int
    """Fences and tables that would fit and are in no chunk whole."""
    fitting: int
    chunks: int

    def label(self) -> str:
        return f"{self.name}, {self.seconds:.1f} s{' (a tenth of the text, scaled)' if self.scaled else ''}"


def run() -> Table:
    """Split the same document with every splitter and compare."""
    text = generated(LENGTH)
    tokenizer = raw_tokenizer()
    began = time.perf_counter()
    document = parse(text.encode(), "generated.md")
    parsing = time.perf_counter() - began
    first, again, chunker = ours(document)
    chunks = [chunk.content for chunk in chunker.chunks(ChunkConfig(size=SIZE, prefix="none"))]
    cut, fitting = cut_though_fitting(text, chunks, tokenizer)
    peers = [timed(name, split, text, tokenizer) for name, split in peer_splitters(tokenizer)]
    fastest = min(peers, key=lambda peer: peer.seconds)
    alike = min((peer for peer in peers if "tokie" not in peer.name), key=lambda peer: peer.seconds)
    rows = [
        speed_row("first pass: measure and split", f"{first:.2f} s", fastest, fastest.seconds / first, FIRST_PASS),
        speed_row("the same, peers on the same tokenizer", f"{first:.2f} s", alike, alike.seconds / first, None),
        speed_row(
            "first pass with block parsing",
            f"{first + parsing:.2f} s",
            fastest,
            fastest.seconds / (first + parsing),
            None,
        ),
        speed_row("split again at another size", f"{again * 1000:.0f} ms", fastest, fastest.seconds / again, RE_CUT),
        Row("fences and tables split though they would fit", f"{cut} of {fitting}", "", str(cut), "0", cut == 0),
        *(
            Row(f"the same, {peer.name}", "", f"{peer.seconds:.1f} s", f"{peer.cut} of {peer.fitting}")
            for peer in peers
        ),
    ]
    notes = [
        (
            f"{len(text) / 1e6:.0f} million characters of generated Markdown, {SIZE} tokens of {ENGLISH_MODEL} "
            f"each, {len(chunks):,} chunks."
        ),
        f"Block parsing takes {parsing:.1f} s. Peers: {'; '.join(peer.label() for peer in peers)}.",
    ]
    return Table("Splitting against other splitters", rows, notes)


def ours(document: Document) -> tuple[float, float, Chunker]:
    """Return seconds of the first pass (with a new tokenizer) and of splitting again at other sizes."""
    folder = find_model(ENGLISH_MODEL).path
    first = float("inf")
    for _ in range(ROUNDS):
        counter = TokenCounter(folder)
        began = time.perf_counter()
        chunker = Chunker(document, counter)
        chunker.boundaries(ChunkConfig(size=SIZE))
        first = min(first, time.perf_counter() - began)
    best: dict[int, float] = {}
    for _ in range(ROUNDS):
        for size in range(SIZE - 5, SIZE + 6):
            began = time.perf_counter()
            chunker.boundaries(ChunkConfig(size=size))
            best[size] = min(best.get(size, float("inf")), time.perf_counter() - began)
    return first, statistics.median(best.values()), chunker


def speed_row(what: str, ours_: str, peer: Timed, ratio: float, target: float | None) -> Row:
    met = ratio >= target if target else None
    return Row(
        what, ours_, f"fastest: {peer.label()}", f"{ratio:.1f} × as fast", f"≥ {target:g} ×" if target else "", met
    )


def peer_splitters(tokenizer: Tokenizer) -> Iterator[tuple[str, Split]]:
    """Yield the splitters that count tokens, set up as in their documentation."""
    import tokie
    from chonkie import RecursiveChunker
    from langchain_text_splitters import RecursiveCharacterTextSplitter
    from semantic_text_splitter import MarkdownSplitter

    def length(text: str) -> int:
        return len(tokenizer.encode(text, add_special_tokens=False).ids)

    recursive = RecursiveCharacterTextSplitter(chunk_size=SIZE, chunk_overlap=0, length_function=length)
    chonkie = RecursiveChunker(tokenizer=tokenizer, chunk_size=SIZE)
    fast = tokie.Tokenizer.from_json(str(find_model(ENGLISH_MODEL).path / "tokenizer.json"))
    on_tokie = RecursiveChunker(tokenizer=fast, chunk_size=SIZE)
    markdown = MarkdownSplitter.from_huggingface_tokenizer(tokenizer, SIZE)
    yield "langchain-text-splitters", recursive.split_text
    yield "chonkie", lambda text: [chunk.text for chunk in chonkie.chunk(text)]
    yield "chonkie on tokie", lambda text: [chunk.text for chunk in on_tokie.chunk(text)]
    yield "semantic-text-splitter", markdown.chunks


def timed(name: str, split: Split, text: str, tokenizer: Tokenizer) -> Timed:
    """Time a splitter, on a part of the text if the whole would take too long."""
    part = text[: text.rindex("\n\n", 0, len(text) // PART)]
    seconds, chunks = clocked(split, part)
    scaled = seconds * PART > PATIENCE / ROUNDS
    if scaled:
        text, seconds = part, seconds * len(text) / len(part)
    else:
        seconds, chunks = min((clocked(split, text) for _ in range(ROUNDS)), key=lambda one: one[0])
    cut, fitting = cut_though_fitting(text, chunks, tokenizer)
    return Timed(name, seconds, scaled, cut, fitting, len(chunks))


def clocked(split: Split, text: str) -> tuple[float, list[str]]:
    began = time.perf_counter()
    chunks = split(text)
    return time.perf_counter() - began, chunks


def cut_though_fitting(text: str, chunks: Sequence[str], tokenizer: Tokenizer) -> tuple[int, int]:
    """Count the marked fences and tables of at most `SIZE` tokens that are in no chunk whole, and all."""
    holders = {mark: chunk for chunk in chunks for mark in re.findall(r"blk\d+", chunk)}
    small_blocks = [
        match[0]
        for match in re.finditer(r"^```[^\n]*\n.*?^```$|^\|[^\n]*\|(?:\n\|[^\n]*\|)+", text, re.MULTILINE | re.DOTALL)
    ]
    fitting = [block for block in small_blocks if len(tokenizer.encode(block, add_special_tokens=False)) <= SIZE]
    marks = [re.search(r"blk\d+", block) for block in fitting]
    cut = sum(mark is None or block not in holders.get(mark[0], "") for mark, block in zip(marks, fitting, strict=True))
    return cut, len(fitting)


def raw_tokenizer() -> Tokenizer:
    """Return the model's tokenizer without truncation and padding."""
    tokenizer = Tokenizer.from_file(str(find_model(ENGLISH_MODEL).path / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


class _Writer:
    """Generator of realistic Markdown: Zipfian words, some Chinese, fences and tables."""

    SYLLABLES = (
        "ba",
        "con",
        "de",
        "er",
        "fi",
        "gra",
        "in",
        "ka",
        "lo",
        "men",
        "no",
        "or",
        "per",
        "qui",
        "re",
        "sta",
        "ti",
        "un",
        "ver",
        "wi",
        "ex",
        "al",
        "tion",
        "ing",
        "ly",
        "pre",
        "sub",
        "mo",
        "ra",
        "te",
    )
    COMMON = (  # noqa: SIM905
        "the of and to in a is that for it as was with be by on not he this are or his from at which but "
        "have an had they you "
        "were their one all we can her has there been if more when will would who so no"
    ).split()
    CHINESE = (
        "系统配置文件用户可以通过命令行参数修改默认设置并在重新启动后"
        "生效数据存储索引检索文档切分标题段落表格代码示例说明"
    )

    def __init__(self) -> None:
        self.chance = random.Random(11)
        rare = ["".join(self.chance.choices(self.SYLLABLES, k=self.chance.randint(2, 4))) for _ in range(30_000)]
        self.words = self.COMMON + rare
        weights = [1 / (rank + 2.7) for rank in range(len(self.words))]
        self.totals = list(accumulate(weights))
        self.blocks = 0

    def some(self, least: int, most: int) -> list[str]:
        return self.chance.choices(self.words, cum_weights=self.totals, k=self.chance.randint(least, most))

    def sentence(self) -> str:
        if self.chance.random() < 0.08:
            return "".join(self.chance.choices(self.CHINESE, k=self.chance.randint(8, 40))) + "。"
        words = self.some(6, 24)
        if self.chance.random() < 0.2:
            words[len(words) // 2] = self.chance.choice(
                ["`{}`", "**{}**", "[{}](https://example.org/page)", "{},"]
            ).format(words[0])
        return " ".join(words).capitalize() + self.chance.choice(["."] * 8 + ["?", "!"])

    def paragraph(self) -> str:
        return " ".join(self.sentence() for _ in range(self.chance.randint(1, 6)))

    def mark(self) -> str:
        self.blocks += 1
        return f"blk{self.blocks}"

    def fence(self) -> str:
        lines = [
            f"    {'_'.join(self.some(1, 2))} = {'.'.join(self.some(1, 3))}({self.chance.randint(0, 9999)})"
            for _ in range(self.chance.randint(2, 14))
        ]
        if len(lines) > 4:
            lines.insert(len(lines) // 2, "")
        return "\n".join([f"```python\n# {self.mark()}", *lines, "```"])

    def table(self) -> str:
        rows = [
            f"| {' '.join(self.some(1, 2))} | {self.chance.randint(0, 999)} | {' '.join(self.some(2, 6))} |"
            for _ in range(self.chance.randint(2, 12))
        ]
        return "\n".join([f"| {self.mark()} | value | meaning |", "|---|---|---|", *rows])

    def listing(self) -> str:
        return "\n".join(f"- {self.sentence()}" for _ in range(self.chance.randint(2, 6)))

    def heading(self) -> str:
        level = self.chance.choices((1, 2, 3, 4), (1, 6, 12, 4))[0]
        return f"{'#' * level} {' '.join(self.some(1, 5)).capitalize()}"

    def pieces(self) -> Iterator[str]:
        kinds = (self.paragraph, self.fence, self.table, self.listing, self.heading)
        while True:
            yield self.chance.choices(kinds, (60, 9, 6, 9, 16))[0]()


def generated(length: int) -> str:
    """Return about `length` characters of Markdown, always the same."""
    pieces: list[str] = ["# Generated"]
    written = 0
    for piece in _Writer().pieces():
        pieces.append(piece)
        written += len(piece) + 2
        if written >= length:
            return "\n\n".join(pieces) + "\n"
    raise AssertionError("the writer never ends")


if __name__ == "__main__":
    print(run().markdown())
