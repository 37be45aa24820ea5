"""Lists and mappings in a table cell (JSON, Python or NumPy), and questions nested in JSON objects.

pandas often saves lists as Python prints them (`['a']`) or as NumPy does (`array(['a'], dtype=object)`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from chunking.text.bounded_json import read_json

__all__ = ["flat_records", "listed", "read_cell"]

_LONGEST = 1_000_000
"""Most characters of a cell."""
_DEEPEST = 12
_TOKEN = re.compile(
    r"""(?s)\s*(?:(?P<text>[bBrRuU]{0,2}(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))"""
    r"""|(?P<number>[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|(?P<name>[A-Za-z_][\w.]*)|(?P<mark>[][{}(),:=]))"""
)
_ESCAPE = re.compile(r"(?s)\\(.)")
_KNOWN_ESCAPES = frozenset("\\'\"abfnrtvxuUN01234567\n")
_CLOSING = {"[": "]", "(": ")", "{": "}"}
_WORDS = {
    "None": None,
    "null": None,
    "nan": None,
    "NaN": None,
    "True": True,
    "true": True,
    "False": False,
    "false": False,
}

_LISTS = ("questions", "data", "rows", "examples", "samples")
"""Keys under which a JSON object keeps its questions."""


def read_cell(text: str) -> Any:
    """Parse the list or mapping in a table cell; None for anything else.

    >>> read_cell("['a', \\"b's\\"]"), read_cell("{'text': array(['x'], dtype=object)}"), read_cell("[see above]")
    (['a', "b's"], {'text': ['x']}, None)
    """
    cell = text.strip()
    if cell[:1] not in ("[", "{", "(") or len(cell) > _LONGEST:
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
        self._tokens = _split(text)
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
        if depth > _DEEPEST:
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
        if name in _WORDS:
            return _WORDS[name]
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


def _split(text: str) -> Iterator[tuple[str, str]]:
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
    """Return the records of a JSON file: an array, or an object's list under a known key; None without."""
    if isinstance(tree, list):
        return tree
    if not isinstance(tree, dict):
        return None
    if "paragraphs" in tree:
        return [tree]
    return next((tree[name] for name in _LISTS if isinstance(tree.get(name), list)), None)


def flat_records(record: Any) -> Iterator[Any]:
    """Yield the questions of a record: those of a SQuAD article, with passage and title, or itself."""
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
