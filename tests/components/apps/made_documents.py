"""Documents that are hard to draw, and a cutting of them so simple that a test can say where every boundary is."""

from __future__ import annotations

import base64
import hashlib
import struct
import zlib
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from chunking.evaluation import AnswerFate, AnswerSpan, AnswerState, Question, QuestionSet
from chunking.model import Document, Flag
from chunking.parsing import parse
from chunking.splitting import ChunkSpans
from chunking.viewing.messages.bands import FLAG_BITS

HOSTILE = "<script>window.broken = 1</script> <img src=x onerror='window.broken = 1'> &amp; </span></div>"

_PARTS = (
    "# 😀 Grüße, 世界",
    "First 👩‍👩‍👧 family, then 𝒜 letters and 中文字符，没有空格的句子。再来一句！" * 2,
    HOSTILE,
    "## Windows line ends\r\n\r\nA line.\r\nAnother 🎉 line.\r\n",
    "```python\nprint('code   stays   code')\n```",
    "## Second <b>section</b>",
    "Words " * 60,
)


@dataclass(frozen=True, slots=True)
class Cut:
    """The part of `splitting.Boundaries` that is drawn."""

    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    tokens: NDArray[np.int32]
    prefix_tokens: NDArray[np.int32]
    embedded_tokens: NDArray[np.int32]
    sizes: NDArray[np.int32]
    sections: NDArray[np.int32]
    flags: NDArray[np.int32]
    prefixes: list[str]


@cache
def scene_document() -> Document:
    """Emoji of several code points, Chinese, markup that tries to run, Windows line ends."""
    return parse("\n\n".join(_PARTS).encode(), "scene.md")


@cache
def long_document() -> Document:
    """1,000 sections with emoji; a megabyte."""
    paragraph = (
        "Some 🙂 running text that fills the page with ordinary words until a line or two are full of them. " * 9
    )
    parts = [f"{'#' * (1 + number % 3)} Section {number}\n\n{paragraph}" for number in range(1000)]
    return parse("\n\n".join(parts).encode(), "long.md")


def spans(document: Document, size: int, overlap: int) -> Cut:
    """Every `size` characters, whatever stands there; each begins `overlap` before the end of the one before."""
    starts = np.arange(0, len(document.text), size - overlap, dtype=np.int32)
    ends = np.minimum(starts + size, len(document.text)).astype(np.int32)
    kept = np.concatenate([[True], ends[1:] > ends[:-1]])
    starts, ends = starts[kept], ends[kept]
    heads = np.array([section.start for section in document.sections])
    sections = np.maximum(np.searchsorted(heads, starts, side="right") - 1, 0).astype(np.int32)
    flags = np.zeros(len(starts), dtype=np.int32)
    flags[2:3] = FLAG_BITS[Flag.TABLE_CUT]
    prefixes = [" › ".join(document.sections[place].title_path) for place in sections]
    return Cut(
        starts,
        ends,
        ends - starts,
        np.full(len(starts), 3, dtype=np.int32),
        ends - starts,
        ends - starts,
        sections,
        flags,
        prefixes,
    )


def question_set(document: Document) -> QuestionSet:
    """Four answers: in the emoji line, over the boundary at 90, far behind it, and a second to question 1."""
    spans = ((30, 50, 0), (80, 130, 1), (300, 312, 2), (60, 66, 0))
    answers = [
        [AnswerSpan(document.doc_id, start, end, document.text[start:end]) for start, end, of in spans if of == number]
        for number in range(3)
    ]
    texts = ("Who is <b>first</b>? 😀", "谁在边界上？", "Where is the rest?")
    return QuestionSet(
        "scene", tuple(Question(f"q{number}", text, tuple(answers[number])) for number, text in enumerate(texts))
    )


def states(document: Document, cut: ChunkSpans, questions: QuestionSet) -> list[AnswerState]:
    """Whole where a span holds it, lost where it is the third question's, else split: simple, as the cutting is."""
    answer_states = []
    for question in questions.questions:
        for answer in question.answers:
            pairs = enumerate(zip(cut.starts.tolist(), cut.ends.tolist(), strict=True))
            holders = tuple(number for number, (start, end) in pairs if start <= answer.start and answer.end <= end)
            fate = AnswerFate.MISSED if question.id == "q2" else AnswerFate.INTACT if holders else AnswerFate.SPLIT
            answer_states.append(AnswerState(question.id, answer, fate, holders))
    return answer_states


@cache
def drawn_document() -> Document:
    """Code, Hebrew and Arabic paragraphs with a name and numbers, a direction mark, tables."""
    parts = (
        "# Trees 😀",
        "```python\ndef leaf(size=3):\n    return 'green'  # always\n```",
        "## שלום עולם",
        "המים נעצרים ב-Shutoff valve שליד הדלת, 12 מטר משם. Elm הוא עץ.",
        "مرحبا بالعالم: يغلق الصمام رقم 7 قبل الشتاء.",
        "A file named invoice\u202efdp.exe and what stands behind it.",
        TABLE,
        "After the table.",
        "Pump | Litres\n--- | ---:\nHill | 1,200\nMill | 90",
    )
    return parse("\n\n".join(parts).encode(), "drawn.md")


TABLE = """| Tree 😀 | Grows | Height (m) | Where |
|:--|---|---:|:-:|
| Elm | by the river, on wet ground, slowly at first and then for three hundred years | 30 | a \\| b |
| <b>Oak</b> |  | 24 | hill |
| 柳树 | near water | 1,005 | שלום |
| Ash | along hedges and on the north side of stone walls | 18.5 | x |"""
"""A pipe row with each thing that is hard: emoji, an escaped bar, an empty cell, markup, wide letters, words from right
to left.
"""

FIELDS = '''name,note,"height, m",seen
Finch,"3 cm, ""or so""",12,2024
"Great
tit","two
lines",14,
Wren,plain <i>text</i>,9.5,2023
'''


@cache
def fields_document() -> Document:
    """A CSV file with quotes, a field over two lines, and 4,000 rows more."""
    return parse((FIELDS + "".join(f"bird {n},note {n},{n / 10},2020\n" for n in range(4000))).encode(), "birds.csv")


@cache
def pictures_document() -> Document:
    """Emphasis over line ends, and pictures: one whose bytes are in the text, and five that must not be drawn."""
    noise = b"".join(b"\0" + hashlib.shake_256(bytes([row])).digest(192) for row in range(64))
    address = "data:image/png;base64,"
    parts = (
        "# Pumps 😀",
        "The **pump that\nstands by the river** runs. It is *never\n\nstopped* at 2 * 3\nhours * a day.",
        "> A quote **over\n> two lines** ends.",
        "- An item **that\n  goes on** here\n- and ** another\n- of them**",
        "![A pump by the river](images/pump.png)",
        f"![Red noise]({address}{base64.b64encode(_png(64, 64, noise)).decode()})",
        f"![Huge]({address}{base64.b64encode(_png(60_000, 60_000, noise)).decode()})",
        "![Drawn by code](data:image/svg+xml;base64,PHN2Zy8+PHN2Zy8+PHN2Zy8+)",
        "![Elsewhere](https://example.org/tracker.png)",
        f"![Not a picture]({address}{'A' * 400})",
        "The end.",
    )
    return parse("\n\n".join(parts).encode(), "pumps.md")


def _png(width: int, height: int, rows: bytes) -> bytes:
    """A picture of 24-bit colours; with another size than its rows have, a header that promises too much."""
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


@cache
def guessed_document() -> Document:
    """A page whose title is declared, and whose two other headings are bold lines."""
    prose = "<p>Words of the text, which go on for a while and then come to their end.</p>"
    lines = "".join(f"<p><b>{number} {name}</b></p>{prose * 60}" for number, name in (("1.1", "Leaf"), ("1.2", "Root")))
    return parse(f"<h1>Plants</h1>{lines}".encode(), "plants.html")
