"""What the Answer tab draws, as plain texts: the browser makes no markup of any of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from chunking.retrieval.answers.answer import CheckedSentence
from chunking.retrieval.answers.citation_check import Support
from chunking.retrieval.results.search_result import ContextSource
from components.kit.wording import quantity

__all__ = ["answer_rows"]

_SIGNS: dict[Support, tuple[str, str]] = {
    Support.SUPPORTED: ("✓", ""),
    Support.UNSUPPORTED: ("▲", Support.UNSUPPORTED.value),
    Support.UNCHECKED: ("?", Support.UNCHECKED.value),
    Support.UNCITED: ("○", Support.UNCITED.value),
}
"""Sign behind a sentence, and the words beside it; what is in order has the sign alone."""
_BROKEN_OFF = "It broke off and was not checked."


def answer_rows(
    sentences: Sequence[CheckedSentence], sources: Sequence[ContextSource], *, running: bool
) -> dict[str, Any]:
    """The sentences of an answer, ready to draw.

    Args:
        running: more may come; else a last sentence without a check was broken off.
    Returns:
        JSON: `rows` (text, citations, sign, reason of each sentence) and `summary`.
    """
    by_number = {source.number: source for source in sources}
    rows = [_row(one, by_number, running) for one in sentences]
    counted = Counter(one.check.support for one in sentences if one.check is not None)
    said = [f"{_SIGNS[kind][0]} {counted[kind]} {kind.value}" for kind in Support if counted[kind]]
    return {"rows": rows, "summary": " · ".join([quantity(len(rows), "sentence"), *said]) if rows else ""}


def _row(one: CheckedSentence, by_number: dict[int, ContextSource], running: bool) -> dict[str, Any]:
    check = one.check
    kind = check.support if check is not None else None if running else Support.UNCHECKED
    sign, words = _SIGNS[kind] if kind is not None else ("", "")
    return {
        "text": one.sentence.text,
        "line": one.sentence.new_line,
        "cites": [
            {
                "number": number,
                "title": by_number[number].citation if number in by_number else "",
                "known": number in by_number,
            }
            for number in one.sentence.numbers
        ],
        "kind": kind.name.lower() if kind is not None else "coming",
        "sign": sign,
        "words": words,
        "reason": check.reason if check is not None else "" if running else _BROKEN_OFF,
    }
