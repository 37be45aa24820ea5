"""Griffe extension that shows the doctests of docstrings as code in the API reference."""

from __future__ import annotations

import re
from typing import Any

import griffe

__all__ = ["DoctestBlocks", "fenced"]

_DOCTEST = re.compile(r"^>>> .*(?:\n(?!\s*$).*)*(?:\n\n>>> .*(?:\n(?!\s*$).*)*)*", re.MULTILINE)
"""Doctest from a prompt to the next empty line; blocks separated only by an empty line are joined."""


def fenced(docstring: str) -> str:
    """Return a docstring with its doctests as fenced code.

    >>> fenced("Add.\\n\\n>>> 1 + 1\\n2").splitlines()
    ['Add.', '', '```pycon', '>>> 1 + 1', '2', '```']
    """
    return _DOCTEST.sub(lambda match: f"```pycon\n{match[0]}\n```", docstring)


class DoctestBlocks(griffe.Extension):
    """Extension that fences the doctests of every docstring."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)
