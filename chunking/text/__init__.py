"""What every layer asks of plain text: where its sentences start, what each character is to a reader, which words it is
searched by.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chunking.text.characters import TextCharacters as Characters
    from chunking.text.folding import fold as fold
    from chunking.text.search_text import search_words as search_words
    from chunking.text.sentences import sentence_starts as sentence_starts

__all__ = ["Characters", "fold", "search_words", "sentence_starts"]

_HOMES = {
    "Characters": "characters",
    "fold": "folding",
    "search_words": "search_text",
    "sentence_starts": "sentences",
}
"""Imported when they are used: characters and sentences need numpy, which a command that reads its arguments does not.
"""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'chunking.text' has no attribute '{name}'")
    return getattr(importlib.import_module(f"chunking.text.{_HOMES[name]}"), name)
