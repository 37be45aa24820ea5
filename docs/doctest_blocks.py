"""Shows the doctests of docstrings as code: an extension of griffe, which reads the sources for the API reference."""

from __future__ import annotations

import re
from typing import Any

import griffe

__all__ = ["DoctestBlocks", "fenced"]

_DOCTEST = re.compile(r"^>>> .*(?:\n(?!\s*$).*)*(?:\n\n>>> .*(?:\n(?!\s*$).*)*)*", re.MULTILINE)
"""From a prompt to the next empty line; blocks that only an empty line parts are one."""


def fenced(docstring: str) -> str:
    """A docstring with its doctests as fenced code.

    >>> fenced("Add.\\n\\n>>> 1 + 1\\n2").splitlines()
    ['Add.', '', '```pycon', '>>> 1 + 1', '2', '```']
    """
    return _DOCTEST.sub(lambda match: f"```pycon\n{match[0]}\n```", docstring)


class DoctestBlocks(griffe.Extension):
    """Fences the doctests of every docstring that is read."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)
