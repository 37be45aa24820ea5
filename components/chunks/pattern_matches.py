"""What the patterns of the settings match in the document that is shown: marks in its text, and a count under each
field.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from chunking.splitting import Patterned
from components.kit.viewer import TextMark, ViewMarks
from components.kit.wording import plain, quantity

__all__ = ["MOST_MARKED", "pattern_counts", "pattern_marks"]

MOST_MARKED = 3_000
"""Matches that are marked in the text; all of them count."""


def pattern_marks(made: Patterned | None) -> ViewMarks | None:
    """What the patterns match in a document; None without patterns."""
    if made is None:
        return None
    spans = [(head.start, head.end) for head in made.headings.heads] if made.headings else []
    spans += [span for found in made.splits for span in found]
    return ViewMarks(highlights=[TextMark(*span) for span in sorted(set(spans))[:MOST_MARKED]]) if spans else None


def pattern_counts(made: Patterned | None, key: str) -> None:
    """What a field's patterns come to, under it; nothing for other settings.

    Args:
        made: what they match in the document that is shown.
        key: of the setting.
    """
    if made is None:
        return
    if key == "headings_from" and made.headings is not None:
        _told(made.headings.counts, made.headings.elsewhere, made.headings.faults, "heading")
    elif key == "split_before" and made.splits:
        _told([len(one) for one in made.splits], [0] * len(made.splits), [one.fault for one in made.splits], "match")


def _told(counts: Sequence[int], elsewhere: Sequence[int], faults: Sequence[str], noun: str) -> None:
    rows = enumerate(zip(counts, elsewhere, faults, strict=True), 1)
    lines = [
        f"Pattern {number}: {plain(fault or _counted(found, noun, other))}" for number, (found, other, fault) in rows
    ]
    st.caption("  \n".join(lines), help="In this document. Matches are underlined in its text.")


def _counted(number: int, noun: str, other: int) -> str:
    if not number + other:
        return "never matches here"
    found = (
        "1 match"
        if noun == "match" and number == 1
        else f"{number:,} matches"
        if noun == "match"
        else quantity(number, noun)
    )
    return (
        found
        if not other
        else f"{found}; {other:,} more inside a line, in code, in a table or contents list, or already matched"
    )
