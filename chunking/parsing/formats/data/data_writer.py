"""Write a tree of pairs, lists and texts: a section per path, a line per value, tables for lists.

Values come before sibling objects and lists, because a section ends only where the next one starts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from chunking.model import BlockType
from chunking.parsing.builder.text_builder import Writer

__all__ = ["JOINT", "MAX_SECTIONS", "DataWriter", "Key", "Literal", "Pairs", "scalar_text"]

JOINT = " › "
"""Separator of the keys in a path."""
MAX_SECTIONS = 20_000
"""Most objects and lists with a heading; beyond, the deeper ones are lines with their path."""

_LEVELS = 6
_FEWEST_ROWS, _MOST_COLUMNS, _LONGEST_CELL = 3, 40, 200
_LONG_TEXT = 300
_LONG_LIST, _LONGEST_WORD = 200, 40
"""Maximum characters of a list written on one line, and of each value in it."""

_Items = Sequence[tuple[str, Any]]

_ENCODED = re.compile(r"(?:data:[\w.+/-]{1,80}(?:;[\w=.-]{1,80})*,)?[A-Za-z0-9+/_\r\n-]{1000,}={0,2}\s*")
_CONSTANTS: dict[bool | None, str] = {True: "true", False: "false", None: "null"}


class DataWriter:
    """Writer of a tree of objects and lists as headings, `key: value` lines and tables."""

    def __init__(self, writer: Writer, tree: object, *, first_number: int = 0) -> None:
        """
        Args:
            first_number: number of the outermost list's first element.
        """
        self._writer, self._tree, self._first = writer, tree, first_number
        self._depth = _deepest(tree)

    def write(self) -> None:
        """Write the tree to the writer; an empty list or object writes nothing."""
        if is_container(self._tree):
            self._container("", self._tree, 0)
        elif not isinstance(self._tree, list):
            self._text("", scalar_text(self._tree))

    def _container(self, key: str, value: Any, level: int) -> None:
        """Write the content of an object or list below its heading."""
        if rows := _as_table(value):
            self._writer.table(rows, header_rows=1, meta={"caption": key} if key else None)
            return
        if not isinstance(value, Pairs) and not any(map(is_container, value)):
            self._list("", value)
            return
        items = self._items(value, level)
        self._values([item for item in items if _is_plain(item[1])])
        for name, inner in items:
            if not _is_plain(inner):
                self._inner(name, inner, level + 1)

    def _items(self, value: Any, level: int) -> _Items:
        """Keys and values; list elements by number."""
        if isinstance(value, Pairs):
            return value
        first = self._first if level == 0 else 0
        return [(str(number), inner) for number, inner in enumerate(value, first)]

    def _inner(self, name: str, value: Any, level: int) -> None:
        """Write a nested object or list."""
        self._comment(name)
        if level <= min(self._depth, _LEVELS):
            self._writer.block(
                BlockType.HEADING, name.strip() or '""', level=level, meta={"label": name.strip() or '""'}
            )
            self._container(name, value, level)
        else:
            self._flat(name, value)

    def _values(self, items: _Items) -> None:
        """Write `key: value` lines; a long text becomes a paragraph after its key."""
        lines: list[str] = []
        for name, value in items:
            if is_container(value):
                self._lines(lines)
                self._comment(name)
                self._list(name, value)
                continue
            text = scalar_text(value)
            if len(text) > _LONG_TEXT or "\n" in text.strip():
                self._lines(lines)
                self._comment(name)
                self._text(name, text)
                continue
            comment = getattr(name, "comment", "") if isinstance(name, Key) else ""
            lines += [*comment.splitlines(), f"{name}: {' '.join(text.split())}".rstrip()]
        self._lines(lines)

    def _lines(self, lines: list[str]) -> None:
        if lines:
            self._writer.block(BlockType.LIST, "\n".join(lines), meta={"depth": 1, "items": len(lines)})
            lines.clear()

    def _text(self, name: str, text: str) -> None:
        """Write a text of several paragraphs, with its key before the first."""
        parts = [part for part in text.replace("\r\n", "\n").split("\n\n") if part.strip()]
        for number, part in enumerate(parts):
            self._writer.block(BlockType.PARAGRAPH, f"{name}: {part.strip()}" if name and not number else part)

    def _list(self, name: str, values: Sequence[Any]) -> None:
        """Write values without keys: on the line of their key if short."""
        texts = list(map(scalar_text, values))
        words = all(len(text) <= _LONGEST_WORD and "\n" not in text for text in texts)
        short = words and sum(map(len, texts)) + 2 * len(texts) <= _LONG_LIST
        if name and short:
            self._writer.block(BlockType.LIST, f"{name}: {', '.join(texts)}", meta={"depth": 1, "items": len(texts)})
        elif any(len(text) > _LONG_TEXT for text in texts):
            for number, text in enumerate(texts):
                self._text(f"{name}{JOINT}{number}" if name else "", text)
        else:
            lines = [*([f"{name}:"] if name else []), *(f"- {' '.join(text.split())}" for text in texts)]
            self._writer.block(BlockType.LIST, "\n".join(lines), meta={"depth": 1, "items": len(texts)})

    def _comment(self, name: str) -> None:
        if isinstance(name, Key) and name.comment:
            self._writer.block(BlockType.PARAGRAPH, name.comment)

    def _flat(self, name: str, value: Any) -> None:
        """Write all values below a path, a line each with the rest of the path; iterative, for any depth."""
        lines: list[str] = []
        for path, text in _leaves(name, value):
            if len(text) > _LONG_TEXT:
                self._lines(lines)
                self._text(path, text)
            else:
                lines.append(f"{path}: {' '.join(text.split())}")
        self._lines(lines)


def _is_plain(value: object) -> bool:
    """True for a value, or a list of values, that needs no section."""
    return not is_container(value) or (not isinstance(value, Pairs) and not any(map(is_container, value)))  # type: ignore[call-overload]


def _leaves(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield paths and values in order."""
    stack = [(name, value)]
    while stack:
        path, inner = stack.pop()
        if not is_container(inner):
            yield path, scalar_text(inner)
            continue
        items = inner if isinstance(inner, Pairs) else enumerate(inner)
        # a path of a thousand levels would be written for each of its values: its end says where a value stands
        stack += [(f"{path[-200:]}{JOINT}{key}", one) for key, one in items][::-1]


def _as_table(value: Any) -> list[list[str]]:
    """Header and rows of a list of objects with equal keys and short values; else empty."""
    if (
        isinstance(value, Pairs)
        or len(value) < _FEWEST_ROWS
        or not all(isinstance(row, Pairs) and row for row in value)
    ):
        return []
    columns: dict[str, int] = {}
    for row in value:
        for key, _ in row:
            columns.setdefault(key, len(columns))
        if len(columns) > _MOST_COLUMNS:
            return []
    if any(2 * len(row) < len(columns) or len({key for key, _ in row}) < len(row) for row in value):
        return []
    rows = [list(columns)]
    for row in value:
        cells = [""] * len(columns)
        for key, inner in row:
            text = scalar_text(inner)
            if is_container(inner) or len(text) > _LONGEST_CELL or "\n" in text.strip():
                return []
            cells[columns[key]] = text
        rows.append(cells)
    return rows


def _deepest(tree: object) -> int:
    """Deepest level with headings, so that there are at most `MAX_SECTIONS`."""
    level, count, below = 0, 0, [tree]
    while below and level <= _LEVELS:
        inner = [value for one in below if isinstance(one, list) for value in _values_of(one) if is_container(value)]
        count += len(inner)
        if count > MAX_SECTIONS:
            return level
        level, below = level + 1, inner
    return _LEVELS


def _values_of(value: list[Any]) -> Iterator[Any]:
    return (inner for _, inner in value) if isinstance(value, Pairs) else iter(value)


class Pairs(list[tuple[str, Any]]):
    """An object as keys and values in order, duplicates included."""


class Literal(str):
    """A value other than a string (a number, an alias), as the file writes it."""

    __slots__ = ()


class Key(str):
    """A key of an object, with the comment above it in `comment`."""

    comment: str = ""


def is_container(value: object) -> bool:
    """True for a non-empty object or list."""
    return isinstance(value, list) and bool(value)


def scalar_text(value: object) -> str:
    """Return a scalar, or an empty list or object, as text; long base64 is replaced by its length.

    >>> scalar_text(True), scalar_text("a"), scalar_text([]), scalar_text(Pairs())
    ('true', 'a', '[]', '{}')
    """
    if isinstance(value, str):
        if len(value) >= 1000 and _ENCODED.fullmatch(value) and _is_varied(value):
            return f"[{len(value):,} characters of encoded data]"
        return value
    if isinstance(value, list):
        return "{}" if isinstance(value, Pairs) else "[]"
    return _CONSTANTS[value] if value is None or isinstance(value, bool) else str(value)


def _is_varied(text: Sequence[str]) -> bool:
    """True if a text has more distinct characters than a line of dashes."""
    return len(set(text[:1000])) > 10
