"""Hypothesis strategies shared by several test files: ordinary and hostile documents.

markdown()        headings, paragraphs, lists, fences, tables, question-answer pairs, quotes, HTML, odd characters
plain_text()      the same words without markup
words()           English, Chinese, emoji, very long words, special tokens written out, control characters
built()           documents as readers with a Writer make them: pages and boxes, tables, furniture at the end or between
tabular()         CSV and TSV texts
chunk_configs()   every strategy, both units, sizes from 16, overlaps, prefixes, what is kept whole or stands alone,
levels
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from chunking.config import ChunkConfig, Keep, Prefix, Strategy, TableText, Unit
from chunking.model import BlockType, Document, LeftOut
from chunking.parsing.builder.text_builder import Piece, Writer
from chunking.splitting.strategies.custom_splitters import Splitter, register_splitter
from tests.support.documents import document_of

__all__ = ["SPLITTERS", "built", "chunk_configs", "documents", "markdown", "meaning", "plain_text", "tabular", "words"]

_ENGLISH = [
    "the",
    "measure",
    "of",
    "a",
    "chunk",
    "is",
    "what",
    "it",
    "holds",
    "when",
    "nobody",
    "looks",
    "Dr.",
    "Smith",
    "said",
    "e.g.",
    "3.14",
    "tokenizer's",
    "naïve",
    "café",
    "don't",
]
_CHINESE = [
    "安装说明",
    "请先关闭电源。",
    "然后，打开盖子！",
    "组件的响应式状态",
    "「为什么？」他问",
    "版本3.2支持",
    "模板引用：",
    "𠮷野家",
]
_JAPANESE_KOREAN = ["これはテストです。", "コンポーネント", "설치방법", "안녕하세요"]
_EMOJI = ["😀", "👩‍👩‍👧‍👦", "🇨🇳🇫🇷", "👍🏽", "❤️", "e\u0301\u0327", "ก็"]
_ODD = [
    "[SEP]",
    "x[CLS]y",
    "[UNK][PAD]",
    "a\u200bb",
    "\ufeff",
    "\x0c",
    "a\x0bb",
    "\u2028",
    "\xa0",
    "\u3000",
    "≠",
    "﷽",
    "\ufffd",
]
_MARKED = [
    "**bold**",
    "`a_b`",
    '[link](https://example.org/a_(b)?c=1 "t")',
    "![img](x.png)",
    "<b>b</b>",
    "~~old~~",
    "snake_case",
    "***",
    "C#",
]


def words() -> st.SearchStrategy[str]:
    """Return a strategy for one word, ordinary or odd."""
    return st.one_of(
        st.sampled_from(_ENGLISH),
        st.sampled_from(_ENGLISH),
        st.sampled_from(_CHINESE),
        st.sampled_from([*_JAPANESE_KOREAN, *_EMOJI, *_ODD, *_MARKED]),
        st.text(max_size=12).map(lambda text: text.replace("\x00", "\ufffd")),
        st.builds(
            lambda letters, times: letters * times,
            st.sampled_from(["a", "ab1", "Qx7zJ", "é", "한", "あ", "/x", "=", "😀"]),
            st.integers(8, 90),
        ),
    )


def _line(most: int = 14) -> st.SearchStrategy[str]:
    ends = st.sampled_from(["", "", ".", "!", "?", "。", "…", ":"])
    joints = st.sampled_from([" ", " ", " ", "  ", "", "\t", ", ", ". ", "。"])
    return st.builds(
        lambda items, joint, end: joint.join(items).replace("\r", " ") + end,
        st.lists(words(), min_size=1, max_size=most),
        joints,
        ends,
    )


def _paragraph() -> st.SearchStrategy[str]:
    return st.lists(_line(), min_size=1, max_size=5).map("\n".join)


def _fence() -> st.SearchStrategy[str]:
    def build(language: str, lines: list[str]) -> str:
        return f"```{language}\n" + "\n".join(lines) + "\n```"

    lines = st.sampled_from(
        ["x = 1", "    return f(x)", "", "# not a heading", "server { listen 80; }", "很长的注释。", "a" * 150, "| a |"]
    )
    return st.builds(build, st.sampled_from(["", "python", "nginx"]), st.lists(lines, max_size=12))


def _table() -> st.SearchStrategy[str]:
    def build(cells: list[str], rows: int) -> str:
        width = len(cells)
        body = [f"| {' | '.join(f'{cell}{row}' for cell in cells)} |" for row in range(rows)]
        return "\n".join([f"| {' | '.join(cells)} |", "|" + "---|" * width, *body])

    cell = st.sampled_from(["name", "默认值", "what it does. And why", "`x`", "200", "long header of a column"])
    return st.builds(build, st.lists(cell, min_size=1, max_size=4), st.integers(0, 30))


def _pair() -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds(lambda q, a: f"Q: {q}?\nA: {a}", _line(8), _line()),
        st.builds(lambda q, a: f"问：{q}？\n答：{a}", _line(8), _line()),
    )


def _heading() -> st.SearchStrategy[str]:
    titles = st.one_of(
        st.sampled_from(["Install", "选项", "On Linux", "API `use()`", "A title of many words " * 6]), _line(5)
    )
    return st.builds(lambda level, title: "#" * level + " " + title.replace("\n", " "), st.integers(1, 6), titles)


def _list() -> st.SearchStrategy[str]:
    return st.lists(_line(6), min_size=1, max_size=6).map(lambda items: "\n".join(f"- {item}" for item in items))


def _block() -> st.SearchStrategy[str]:
    others = st.one_of(
        _list(),
        _fence(),
        _table(),
        _pair(),
        _line(6).map(lambda line: f"> {line}"),
        st.just("<div>\nhtml\n</div>"),
        st.just("---"),
    )
    return st.one_of(_heading(), _heading(), _paragraph(), _paragraph(), others, others)


def _has_text(text: str) -> bool:
    return any(not char.isspace() and char not in "\ufeff\u200b" for char in text)


def markdown(most: int = 14) -> st.SearchStrategy[str]:
    """Return a strategy for non-empty Markdown with any line endings."""
    joints = st.sampled_from(["\n\n", "\n\n", "\n\n\n", "\n", "\r\n\r\n"])
    return st.builds(
        lambda blocks, joint: joint.join(blocks), st.lists(_block(), min_size=1, max_size=most), joints
    ).filter(_has_text)


def plain_text(most: int = 10) -> st.SearchStrategy[str]:
    """Return a strategy for non-empty text without markup."""
    return st.lists(st.one_of(_paragraph(), _pair()), min_size=1, max_size=most).map("\n\n".join).filter(_has_text)


def documents() -> st.SearchStrategy[tuple[str, str]]:
    """Return a strategy for (text, source) of Markdown or plain text."""
    return st.one_of(
        st.tuples(markdown(), st.just("guide/notes.md")), st.tuples(plain_text(), st.just("guide/notes.txt"))
    )


_CELLS = [
    "",
    "port",
    "默认值",
    "80",
    "a | b",
    "what it does. And why",
    "3,5 %",
    '"quoted"',
    "一个很长的单元格，里面有标点。",
    "x" * 40,
    "no-space",
]


def _cells() -> st.SearchStrategy[str]:
    return st.one_of(st.sampled_from(_CELLS), _line(4).map(lambda text: text.replace("\n", " ")))


def _rows() -> st.SearchStrategy[list[list[str]]]:
    """Return a strategy for even or ragged rows, a few or more than most limits."""
    return st.lists(st.lists(_cells(), min_size=1, max_size=5), min_size=1, max_size=6).flatmap(
        lambda rows: st.sampled_from([1, 1, 4, 9]).map(lambda times: rows * times)
    )


@st.composite
def built(draw: st.DrawFn, most: int = 10) -> Document:
    """Draw a document of a paged format with some paragraphs left out."""
    writer = Writer("guide/notes.pdf")
    boxed = draw(st.booleans())
    page = 1
    for _ in range(draw(st.integers(1, most))):
        page += draw(st.sampled_from([0, 0, 0, 1]))
        kind = draw(
            st.sampled_from(
                [BlockType.HEADING, BlockType.TABLE, BlockType.CODE, BlockType.LIST, *[BlockType.PARAGRAPH] * 4]
            )
        )
        if kind is BlockType.TABLE:
            caption = draw(st.sampled_from([None, {"caption": "Table 1. Ports"}, {"caption": "表 1 端口"}]))
            writer.table(draw(_rows()), header_rows=draw(st.integers(0, 2)), page=page, meta=caption)
            continue
        lines = draw(st.lists(_line(8), min_size=1, max_size=1 if kind is BlockType.HEADING else 4))
        pieces = [Piece(line, page, (0.1, n / 8, 0.9, (n + 1) / 8) if boxed else None) for n, line in enumerate(lines)]
        level = draw(st.integers(1, 6)) if kind is BlockType.HEADING else None
        writer.block(kind, [part for piece in pieces for part in (piece, Piece(" "))][:-1], level=level)
    for _ in range(draw(st.integers(0, 2))):
        writer.leave_out(draw(_line(4)), "page footer")
    writer.block(BlockType.PARAGRAPH, "The end.")
    return _with_gaps(draw, document_of(writer.finish(page_count=page)))


def _with_gaps(draw: st.DrawFn, document: Document) -> Document:
    """Leave out some paragraphs of a document, never all."""
    paragraphs = [block for block in document.blocks[:-1] if block.type is BlockType.PARAGRAPH]
    gone = [block for block in paragraphs if draw(st.sampled_from([False, False, False, True]))]
    spans = sorted(
        [*document.left_out, *(LeftOut(block.start, block.end, "running header") for block in gone)],
        key=lambda span: span.start,
    )
    return replace(
        document, blocks=tuple(block for block in document.blocks if block not in gone), left_out=tuple(spans)
    )


def tabular() -> st.SearchStrategy[tuple[str, str]]:
    """Return a strategy for (text, source) of delimited files."""

    def written(rows: list[list[str]], delimiter: str) -> str:
        def field(cell: str) -> str:
            plain = cell.replace("\t", " ")
            return '"' + plain.replace('"', '""') + '"' if delimiter in plain or '"' in plain else plain

        return "\n".join(delimiter.join(map(field, row)) for row in rows)

    delimiters = st.sampled_from([",", ",", ";", "\t"])
    return st.tuples(st.builds(written, _rows(), delimiters).filter(_has_text), st.just("guide/table.csv"))


def _windows(text: str) -> list[tuple[int, int]]:
    """Return the offsets of overlapping windows that end inside words."""
    return [(start, min(start + 30, len(text))) for start in range(0, len(text), 20)]


SPLITTERS: dict[str, Splitter] = {
    "lines": str.splitlines,
    "windows": _windows,
    "squeezed": lambda text: [" ".join(part.split()) for part in text.split("\n\n")],
    "every second": lambda text: text.splitlines()[::2],
    "backwards": lambda text: _windows(text)[::-1],
    "nothing": lambda text: [],
}
"""User-defined splitters: correct ones, and some that overlap, omit text or go backwards."""
for _name, _splitter in SPLITTERS.items():
    register_splitter(_name, _splitter)


def meaning(document: Document, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return sentence vectors without a model: similar for texts with the same letters."""
    texts = [document.text[start:end].casefold() for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    counts = np.array([[text.count(letter) for letter in "etaoinsr的是"] + [1] for text in texts], np.float32).reshape(
        -1, 11
    )
    return counts / np.linalg.norm(counts, axis=1, keepdims=True)


@st.composite
def chunk_configs(draw: st.DrawFn, strategy: Strategy | None = None) -> ChunkConfig:
    """Draw any valid configuration."""
    size = draw(st.one_of(st.integers(16, 80), st.integers(16, 400)))
    kinds = st.lists(st.sampled_from(list(Keep)), unique=True).map(tuple)
    return ChunkConfig(
        strategy=strategy or draw(st.sampled_from(list(Strategy))),
        unit=draw(st.sampled_from(list(Unit))),
        size=size,
        overlap=draw(st.one_of(st.just("0"), st.integers(0, size - 1).map(str), st.integers(0, 60).map("{}%".format))),
        min_size=draw(st.one_of(st.none(), st.integers(0, size))),
        prefix=draw(st.sampled_from(list(Prefix))),
        heading_levels=draw(st.sampled_from(["1-6", "1-3", "1,2", "3"])),
        keep_whole=draw(st.one_of(st.just(tuple(Keep)), kinds)),
        own_chunk=draw(st.one_of(st.just(()), kinds)),
        table_rows_limit=draw(st.integers(1, 30)),
        table_text=draw(st.sampled_from(list(TableText))),
        parent_size=draw(st.sampled_from([0, 16, 60, 300, 2000])),
        granularities=draw(st.sampled_from([(), (2,), (3, 8)])),
        semantic_share=draw(st.integers(50, 99)),
        splitter=draw(st.sampled_from(sorted(SPLITTERS))),
        context_size=draw(st.integers(8, 100)),
    )
