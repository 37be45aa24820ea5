"""Short displays of results: a few lines in a shell, safe HTML in a notebook.

>>> one_line("Stop\\n the\\x1b[2J  service " * 9, 24)
'Stop the\ufffd[2J service St…'
>>> quantity(1, "chunk"), quantity(1200, "query", "queries")
('1 chunk', '1,200 queries')
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Collection, Sequence

__all__ = [
    "GIGABYTE",
    "LANGUAGES",
    "MEGABYTE",
    "Displayable",
    "bytes_text",
    "first_names",
    "one_line",
    "printable",
    "quantity",
    "summary_line",
]

_HTML = "chunking.viewing.static_html"
"""Module that renders HTML; it depends on every result class, so it is imported on first use."""
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")
"""Control characters obeyed by terminals, and lone surrogates, which UTF-8 cannot encode.

Without tab and line feed.
"""
_DIRECTIONS = re.compile("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")
"""Bidirectional control characters, which are removed.

Separated from their text, they would reverse the rest of the line.
"""
_MOST_HEAD = 120

MEGABYTE, GIGABYTE = 10**6, 10**9

LANGUAGES = {
    "en": "English",
    "zh": "Chinese",
    "ja": "Japanese",
    "ko": "Korean",
    "ru": "Russian",
    "el": "Greek",
    "ar": "Arabic",
    "he": "Hebrew",
    "hi": "Hindi",
    "th": "Thai",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "it": "Italian",
    "pt": "Portuguese",
    "nl": "Dutch",
    "sv": "Swedish",
    "da": "Danish",
    "nb": "Norwegian",
    "fi": "Finnish",
    "hu": "Hungarian",
    "ro": "Romanian",
    "tr": "Turkish",
    "und": "not told",
}
"""Names of document languages by tag, for every tag of `chunking.parsing`."""


class Displayable:
    """Base of results that notebooks (Jupyter, VS Code, Colab, marimo) show as HTML.

    The short `repr` comes from the subclass.
    """

    __slots__ = ()

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        """Return the displays of the result by MIME type.

        Args:
            include, exclude: MIME types to return and to omit; None or empty: all.
        """
        makers: dict[str, Callable[[], str]] = {"text/plain": lambda: repr(self), "text/html": lambda: _html(self)}
        return {
            kind: make()
            for kind, make in makers.items()
            if (not include or kind in include) and kind not in (exclude or ())
        }

    def _display_(self) -> _Page:
        """Return HTML for marimo, which would otherwise display chunks as a plain list."""
        return _Page(_html(self))


class _Page:
    """HTML that any notebook renders."""

    def __init__(self, html: str) -> None:
        self._html = html

    def _repr_html_(self) -> str:
        return self._html


def _html(value: Displayable) -> str:
    return str(importlib.import_module(_HTML).html_of(value))


def summary_line(kind: str, *facts: str) -> str:
    """Format the first line of a `repr`, omitting empty facts and cutting long ones.

    >>> summary_line("Run", "size 200", "", "3 questions")
    '<Run size 200 · 3 questions>'
    """
    return f"<{kind} {' · '.join(one_line(fact, _MOST_HEAD) for fact in facts if fact)}>"


def one_line(text: str, most: int) -> str:
    """Return a text as one printable line of at most `most` characters (>= 1), with `…` if cut.

    White space is collapsed, and bidirectional control characters are removed.
    """
    line = _DIRECTIONS.sub("", printable(" ".join(text[: 8 * most].split())))
    return line if len(line) <= most and len(text) <= 8 * most else f"{line[: most - 1].rstrip()}…"


def printable(text: str) -> str:
    """Replace control characters and lone surrogates with U+FFFD; tab and line feed stay."""
    return _UNPRINTABLE.sub("\ufffd", text)


def first_names(names: Sequence[str], most: int, separator: str = ", ") -> str:
    """Join the first names and count the rest.

    >>> first_names(["a", "b", "c"], 2), first_names(["a", "b"], 2)
    ('a, b and 1 more', 'a, b')
    """
    rest = f" and {len(names) - most:,} more" if len(names) > most else ""
    return separator.join(names[:most]) + rest


def quantity(number: int, noun: str, plural: str = "") -> str:
    """Format a count with commas between thousands and its noun, in the singular for 1."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def bytes_text(number: float) -> str:
    """Format a number of bytes with its unit.

    >>> bytes_text(300), bytes_text(51_000), bytes_text(5 * 10**6), bytes_text(1.5 * 10**9)
    ('300 bytes', '51 kB', '5.0 MB', '1.5 GB')
    """
    if number < 1_000:
        return f"{number:.0f} bytes"
    if number < MEGABYTE:
        return f"{number / 1_000:.0f} kB"
    return f"{number / MEGABYTE:.1f} MB" if number < GIGABYTE else f"{number / GIGABYTE:,.1f} GB"
