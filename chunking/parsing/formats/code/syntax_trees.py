"""Parse sources with tree-sitter, within limits of work and memory."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from itertools import accumulate

from tree_sitter import Language as Grammar
from tree_sitter import Parser, Tree

from chunking.parsing.formats.code.code_languages import CodeLanguage

__all__ = ["MAX_CALLS", "MAX_NESTING", "NoTreeError", "syntax_tree"]

MAX_NESTING = 50_000
"""Nested brackets: each open one costs the parser some 250 bytes."""
MAX_CALLS = 60_000
"""Calls of the parser to its progress function, one per 100 steps.

An ambiguous grammar takes up to 30 kB of memory between them. Sources need 0.005 to 0.012 a byte, lists of numbers
0.03.
"""
_CALLS_A_BYTE = 0.012
"""Allowance for larger sources."""
_SLICE = 1 << 16
"""Bytes given to the parser at a time."""

_BRACKETS = b"([{)]}"
_NO_BRACKETS = bytes(set(range(256)) - set(_BRACKETS))
_STEPS = {ord(bracket): 1 if bracket in "([{" else -1 for bracket in _BRACKETS.decode()}
_OLD_LINE_END = re.compile(rb"\r(?!\n)")


class NoTreeError(Exception):
    """A source would take too much work; the text says why."""


def syntax_tree(data: bytes, language: CodeLanguage) -> Tree:
    """Parse a source in UTF-8; syntax errors do not prevent a tree.

    Raises:
        NoTreeError: its brackets are nested too deeply, or its parser needs too many steps.
    """
    if max(accumulate(map(_STEPS.__getitem__, data.translate(None, _NO_BRACKETS)), initial=0)) > MAX_NESTING:
        raise NoTreeError(f"its brackets are nested more than {MAX_NESTING:,} deep")
    calls = 0
    limit = max(MAX_CALLS, _CALLS_A_BYTE * len(data))

    def too_many(*_: object) -> bool:
        nonlocal calls
        calls += 1
        return calls > limit

    lines = _OLD_LINE_END.sub(b"\n", data) if b"\r" in data else data  # grammars do not know the line ends of old Macs
    try:
        tree = Parser(_grammar(language.grammar, language.entry)).parse(
            lambda start, _: lines[start : start + _SLICE], progress_callback=too_many
        )
    except ValueError as error:  # as a parser says that it was stopped
        raise NoTreeError("reading it takes too many steps") from error
    assert tree is not None  # nobody else stops it
    return tree


@cache
def _grammar(module: str, entry: str) -> Grammar:
    return Grammar(getattr(import_module(module), entry)())
