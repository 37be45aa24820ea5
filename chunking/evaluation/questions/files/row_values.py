"""Rows of question files: parsing of cells, nested records and values into questions with quotes.

pandas often saves lists as Python prints them (`['a']`) or as NumPy does (`array(['a'], dtype=object)`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from chunking.config import QuerySyntax
from chunking.evaluation.questions.files.question_formats import FIELDS
from chunking.evaluation.questions.question import Made, Pool, QuestionPart
from chunking.text.bounded_json import read_json

__all__ = [
    "QuestionFileRow",
    "Quote",
    "flat_records",
    "language_tag",
    "listed",
    "offset",
    "one_of",
    "pool",
    "quotes",
    "quotes_judged",
    "read_cell",
    "short_text",
    "yes",
]

_TEXT_KEYS = ("text", "content", "quote", "answer", "page_content")
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*")
_LONGEST_NAME = 500
"""Most characters of an id or a document's name."""
_OFFSET = re.compile(r"\d{1,15}")
_HOP = re.compile(r"<\d+-hop>\s*")
"""Prefix of each passage in a multi-hop question (RAGAS)."""

_LONGEST_CELL = 1_000_000
"""Most characters of a cell."""
_DEEPEST_NESTING = 12
_TOKEN = re.compile(
    r"""(?s)\s*(?:(?P<text>[bBrRuU]{0,2}(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))"""
    r"""|(?P<number>[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|(?P<name>[A-Za-z_][\w.]*)|(?P<mark>[][{}(),:=]))"""
)
_ESCAPE = re.compile(r"(?s)\\(.)")
_KNOWN_ESCAPES = frozenset("\\'\"abfnrtvxuUN01234567\n")
_CLOSING = {"[": "]", "(": ")", "{": "}"}
_CONSTANTS = {
    "None": None,
    "null": None,
    "nan": None,
    "NaN": None,
    "True": True,
    "true": True,
    "False": False,
    "false": False,
}

_LIST_KEYS = ("questions", "data", "rows", "examples", "samples", "tests")
"""Keys under which a JSON object keeps its questions."""


@dataclass(frozen=True, slots=True)
class Quote:
    """An answer as the file gives it, not located yet: words, offsets, document, passage."""

    text: str = ""
    start: int | None = None
    end: int | None = None
    doc: str = ""
    """Document, if it differs from the row's."""
    passage: str = ""
    """Passage around the answer; offsets then count from the passage's start."""
    entire: bool = False
    """True if the answer is the entire document, or the entire text given for it."""


@dataclass(frozen=True, slots=True)
class QuestionFileRow:
    """A row of a question file: a question, or one of its answers."""

    line: int
    question: str = ""
    doc: str = ""
    quotes: tuple[Quote, ...] = ()
    id: str = ""
    language: str = "und"
    origin: Made = Made.IMPORTED
    part: QuestionPart = QuestionPart.TUNE
    single: bool = False
    """True if the row holds one answer, and other rows may hold more."""
    unanswerable: bool = False
    """True if the file says that the documents hold no answer."""
    judged: tuple[tuple[Quote, bool], ...] = ()
    """(passage, relevant) of each judged passage."""
    pool: Pool | None = None
    syntax: QuerySyntax | None = None
    """Query syntax, if the file states it."""
    title: str = ""
    """Title of its document, which may have another name here."""
    error: str = ""
    """Why the row cannot be read; the other fields are then empty."""


def quotes(value: Any) -> Iterator[Quote]:
    """Yield the answers in a text, a list, or an object with a text and offsets."""
    if isinstance(value, str):
        yield Quote(_HOP.sub("", value, count=1) if value.startswith("<") else value)
    elif isinstance(value, list):
        for one in value:
            yield from quotes(one)
    elif isinstance(value, dict):
        text = next((value[key] for key in _TEXT_KEYS if key in value), "")
        start = next((value[key] for key in FIELDS["start"] if key in value), None)
        end = next((value[key] for key in FIELDS["end"] if key in value), None)
        if start is None and isinstance(span := value.get("span"), list) and len(span) == 2:  # LegalBench-RAG's
            start, end = span
        if isinstance(text, list):  # SQuAD's: lists side by side
            starts = start if isinstance(start, list) else [None] * len(text)
            for one, place in zip(text, starts, strict=False):
                yield from quotes({"text": one, "start": place})
            return
        first, after = offset(start), offset(end)
        text = text if isinstance(text, str) else ""
        if first is not None and after is None and text:
            after = first + len(text)
        doc = next((short_text(value[key]) for key in FIELDS["doc"] if key in value), "")
        yield Quote(text, first, after, doc)


def quotes_judged(value: Any) -> Iterator[tuple[Quote, bool]]:
    """Yield (passage, relevant) from a list of objects, or from its JSON in a cell."""
    listed = read_cell(value) if isinstance(value, str) else value
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict):
            yield from ((quote, yes(one.get("relevant"))) for quote in quotes(one) if quote.text.strip())


def pool(value: Any) -> Pool | None:
    """Parse a question's pool from an object or its JSON; None if absent or unreadable."""
    record = read_cell(value) if isinstance(value, str) else value
    try:
        return Pool.from_record(record) if isinstance(record, dict) else None
    except (KeyError, TypeError, ValueError):
        return None


def yes(value: Any) -> bool:
    """True for True and the texts “true”, “yes”, “1” and “是”, in any case."""
    return value is True or (isinstance(value, str) and value.strip().casefold() in ("true", "yes", "1", "是"))


def offset(value: Any) -> int | None:
    """Return an int, or a text of up to 15 digits as one; None for anything else, even a bool."""
    if isinstance(value, str) and _OFFSET.fullmatch(value.strip()):
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def short_text(value: Any) -> str:
    """Return a text or an integer as one line of up to 500 characters; empty for anything else.

    Runs of white space become one space. Booleans, and integers of more than 15 digits, give an empty text.
    """
    if isinstance(value, str):
        return " ".join(value.split())[:_LONGEST_NAME]
    return str(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**15 else ""


def language_tag(value: Any) -> str:
    """Return a text in the form of a language tag as it is; `und` for anything else."""
    text = short_text(value)
    return text if _LANGUAGE.fullmatch(text) else "und"


def one_of(kind: Any, value: Any, default: Any) -> Any:
    """Return the member of an enumeration with a value, else the default."""
    return kind(value) if isinstance(value, str) and value in list(kind) else default


def read_cell(text: str) -> Any:
    """Parse a list or mapping in a cell, as JSON or as Python prints it; None for anything else.

    >>> read_cell("['a', \\"b's\\"]"), read_cell("{'text': array(['x'], dtype=object)}"), read_cell("[see above]")
    (['a', "b's"], {'text': ['x']}, None)
    """
    cell = text.strip()
    if cell[:1] not in ("[", "{", "(") or len(cell) > _LONGEST_CELL:
        return None
    try:
        return read_json(cell)
    except (ValueError, RecursionError):
        pass
    try:
        tokens = _Tokens(cell)
        value = tokens.value()
        return value if tokens.ended else None
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None


class _Tokens:
    """Recursive parser over the tokens of a cell."""

    def __init__(self, text: str) -> None:
        self._tokens = _tokenize(text)
        self._next = next(self._tokens)

    @property
    def ended(self) -> bool:
        """True at the end of the cell."""
        return self._next == ("end", "")

    def _take(self) -> tuple[str, str]:
        token, self._next = self._next, next(self._tokens, ("end", ""))
        return token

    def value(self, depth: int = 0) -> Any:
        """Parse the next value.

        Raises:
            ValueError: there is none.
        """
        kind, text = self._take()
        if depth > _DEEPEST_NESTING:
            raise ValueError("it nests too deeply")
        if kind == "text":
            return ast.literal_eval(_ESCAPE.sub(_known_escape, text))  # one string token: nothing else can stand in it
        if kind == "number":
            return float(text) if any(mark in text for mark in ".eE") else int(text)
        if kind == "name":
            return self._named(text, depth)
        if text in _CLOSING:
            return self._mapping(depth) if text == "{" else self._list(_CLOSING[text], depth)
        raise ValueError(f"no value begins with {text}")

    def _named(self, name: str, depth: int) -> Any:
        """Parse a constant, or the list of an `array(...)`, whose other arguments are ignored."""
        if name in _CONSTANTS:
            return _CONSTANTS[name]
        if not name.endswith("array") or self._take()[1] != "(":
            raise ValueError(f"{name} is not a value")
        value = self.value(depth + 1)
        while self._next[1] != ")" and not self.ended:
            self._take()
        self._take()
        return value

    def _list(self, closing: str, depth: int) -> list[Any]:
        """Parse values separated by commas, or by blanks, as NumPy prints them."""
        values = []
        while self._next[1] != closing or self._next[0] != "mark":
            values.append(self.value(depth + 1))
            if self._next == ("mark", ","):
                self._take()
        self._take()
        return values

    def _mapping(self, depth: int) -> dict[str, Any]:
        values: dict[str, Any] = {}
        while self._next != ("mark", "}"):
            key = self.value(depth + 1)
            if self._take()[1] != ":":
                raise ValueError("a key without a value")
            values[str(key)] = self.value(depth + 1)
            if self._next == ("mark", ","):
                self._take()
        self._take()
        return values


def _known_escape(match: re.Match[str]) -> str:
    """Double the backslash of an escape that Python does not know."""
    return match[0] if match[1] in _KNOWN_ESCAPES else f"\\{match[0]}"


def _tokenize(text: str) -> Iterator[tuple[str, str]]:
    """Yield (kind, text) of each token; `end` at the end, or an empty `mark` at unreadable text."""
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            break
        yield str(match.lastgroup), str(match[match.lastgroup or 0])
        at = match.end()
    yield ("end", "") if not text[at:].strip() else ("mark", "")


def listed(tree: Any) -> list[Any] | None:
    """Return the records of parsed JSON: an array, or a list under a known key; else None.

    An object with `paragraphs` is one record: an article of SQuAD.
    """
    if isinstance(tree, list):
        return tree
    if not isinstance(tree, dict):
        return None
    if "paragraphs" in tree:
        return [tree]
    return next((tree[name] for name in _LIST_KEYS if isinstance(tree.get(name), list)), None)


def flat_records(record: Any) -> Iterator[Any]:
    """Yield the questions of a SQuAD article with passage and title; any other record as it is.

    A record under the key `row`, as dataset viewers give it, is unwrapped first.
    """
    if isinstance(record, dict) and isinstance(record.get("row"), dict):  # as the viewer of a hub gives a row
        record = record["row"]
    paragraphs = record.get("paragraphs") if isinstance(record, dict) else None
    if not isinstance(paragraphs, list):
        yield record
        return
    for paragraph in paragraphs:
        if not isinstance(paragraph, Mapping) or not isinstance(paragraph.get("qas"), list):
            yield paragraph
            continue
        shared = {"title": record.get("title"), "context": paragraph.get("context", paragraph.get("context_text"))}
        for question in paragraph["qas"]:
            yield {**shared, **question} if isinstance(question, Mapping) else question
