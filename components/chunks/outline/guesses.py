"""What the outline says of headings that a file does not declare: by what evidence each was guessed, and how sure the
guess is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from chunking.model import BlockType, Document
from chunking.parsing.headings.evidence import CONFIDENCE, EVIDENCE, Evidence

__all__ = ["guess_sentence", "guess_sentences"]

_PHRASES: Mapping[str, str] = {
    Evidence.CONTENTS: "the table of contents",
    Evidence.LINK: "a link that leads to it",
    Evidence.NUMBER: "its number",
    Evidence.LOOSE_NUMBER: "a number out of order",
    Evidence.RUNNING_HEAD: "running heads",
    Evidence.SIZE: "its size",
    Evidence.WEIGHT: "bold type",
    Evidence.CAPITALS: "capitals",
    Evidence.FONT: "its font",
    Evidence.SPACE: "the space above it",
    Evidence.POSITION: "its position",
    Evidence.NAME: "its name",
    Evidence.MARK: "the signs around it",
}
_MOST = 3
"""Kinds of evidence that are named, the strongest first."""
_SURE = ((0.95, "very sure"), (0.75, "fairly sure"), (0.0, "may be wrong"))


def guess_sentences(document: Document) -> list[str]:
    """A sentence for each section whose heading was guessed, an empty one for the others; no list at all where none
    was.
    """
    guesses = {
        block.start: guess_sentence(block.meta[EVIDENCE], block.meta[CONFIDENCE])
        for block in document.blocks
        if block.type is BlockType.HEADING and EVIDENCE in block.meta and CONFIDENCE in block.meta
    }
    if not guesses:
        return []
    first = document.blocks[0].start  # the first section starts at 0, wherever its heading does
    return [guesses.get(section.start or first, "") if section.level else "" for section in document.sections]


def guess_sentence(evidence: Collection[str], confidence: float) -> str:
    """By what a heading was guessed, and how sure that is.

    >>> guess_sentence(["number", "bold"], 0.83)
    'Guessed from its number and bold type; fairly sure.'
    """
    sure = next(words for least, words in _SURE if confidence >= least)
    named = [phrase for kind in evidence if (phrase := _PHRASES.get(kind))][:_MOST]
    if not named:
        return f"Guessed; {sure}."
    words = named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
    return f"Guessed from {words}; {sure}."
