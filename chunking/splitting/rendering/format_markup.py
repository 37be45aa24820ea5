"""Formats whose text has markup, each with the function that removes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from chunking.model import Block
from chunking.splitting.rendering.lightweight_cleaning import clean_asciidoc, clean_org, clean_rst
from chunking.splitting.rendering.markup_cleaning import clean_for_embedding

__all__ = ["MARKUP", "without_markup"]


class _Cleaner(Protocol):
    """As `clean_for_embedding`: removes markup and never adds a token."""

    def __call__(self, text: str, blocks: Iterable[Block] = (), *, offset: int = 0) -> str: ...


MARKUP: Mapping[str, _Cleaner] = {
    "markdown": clean_for_embedding,
    "notebook": clean_for_embedding,
    "rst": clean_rst,
    "asciidoc": clean_asciidoc,
    "org": clean_org,
}
"""Cleaner by format; other formats have no markup in their text."""


def without_markup(format_name: str, text: str, blocks: Iterable[Block] = (), *, offset: int = 0) -> str:
    """Remove the markup from a piece of a document.

    Args:
        format_name: of the document.
        text, blocks, offset: as for `clean_for_embedding`.

    >>> without_markup("markdown", "a *b*"), without_markup("text", "a *b*")
    ('a b', 'a *b*')
    """
    clean = MARKUP.get(format_name)
    return text if clean is None else clean(text, blocks, offset=offset)
