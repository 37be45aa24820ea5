"""Plain text: scripts, sentences, graphemes and search words."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chunking.text.characters import TextCharacters as TextCharacters
    from chunking.text.folding import fold as fold
    from chunking.text.search_text import search_words as search_words
    from chunking.text.sentences import sentence_starts as sentence_starts

__all__ = ["TextCharacters", "fold", "search_words", "sentence_starts"]

_HOMES = {
    "TextCharacters": "characters",
    "fold": "folding",
    "search_words": "search_text",
    "sentence_starts": "sentences",
}
"""Homes of the public names, imported on first use.

Some need numpy, which the command line's parser does not.
"""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'chunking.text' has no attribute '{name}'")
    return getattr(importlib.import_module(f"chunking.text.{_HOMES[name]}"), name)
