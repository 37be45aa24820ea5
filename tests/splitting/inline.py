"""Documents written inline, and the type of the fixture that cuts them."""

from __future__ import annotations

from collections.abc import Callable

from chunking.model import Chunk, Document
from chunking.parsing import parse

Cut = Callable[..., list[Chunk]]


def read(text: str, source: str) -> Document:
    return parse(text.encode(), source)
