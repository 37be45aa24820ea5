"""Matching of facts (numbers, names, key words) in the product's sentences, independent of wording."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["tells"]


def tells(sentences: str | Sequence[str], *facts: str) -> bool:
    """True if the sentences match the facts one to one, in order, each with all its facts.

    Facts are set apart by spaces; each stands in the sentence as a word or number of its own, in small or capital
    letters.
    >>> tells(("Pages 2–3 are damaged.", "a.md is empty."), "pages 2 3 damaged", "a.md empty")
    True
    >>> tells("Pages 2–3 are damaged.", "pages 2 4 damaged")
    False
    """
    texts = (sentences,) if isinstance(sentences, str) else tuple(sentences)
    return len(texts) == len(facts) and all(_holds(sentence, fact) for sentence, fact in zip(texts, facts, strict=True))


def _holds(sentence: str, facts: str) -> bool:
    return all(re.search(rf"(?<!\w){re.escape(fact)}(?!\w)", sentence, re.IGNORECASE) for fact in facts.split())
