"""Mark superscripts and subscripts of a Word file with the characters of `raised_text`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from chunking.text.raised_text import END, SUBSCRIPT, SUPERSCRIPT

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["mark_raised_runs", "raising_styles"]

_ALIGNED = {"superscript": SUPERSCRIPT, "subscript": SUBSCRIPT}
_BETWEEN = frozenset(
    {"proofErr", "bookmarkStart", "bookmarkEnd", "lastRenderedPageBreak", "commentRangeStart", "commentRangeEnd"}
)
"""Elements allowed between two runs that form one text."""


def raising_styles(root: _Element) -> dict[str, str]:
    """Character styles that raise or lower text: id and opening character."""
    word = root.tag[: root.tag.index("}") + 1]
    own: dict[str, str | None] = {}
    parents: dict[str, str] = {}
    for style in root.iterchildren(f"{word}style"):
        if style.get(f"{word}type") == "character":
            identity, looks, parent = (
                style.get(f"{word}styleId") or "",
                style.find(f"{word}rPr"),
                style.find(f"{word}basedOn"),
            )
            own[identity] = None if looks is None else _own_opening(looks, word)
            parents[identity] = "" if parent is None else parent.get(f"{word}val") or ""
    openings = {}
    for identity in own:
        chain = [identity]
        while own.get(chain[-1]) is None and (parent_id := parents.get(chain[-1], "")) and parent_id not in chain:
            chain.append(parent_id)
        if opening := own.get(chain[-1]):
            openings[identity] = opening
    return openings


def mark_raised_runs(root: _Element, word: str, styles: Mapping[str, str]) -> None:
    """Mark the texts of raised runs; a text cut into several runs gets one pair of marks.

    Args:
        styles: from `raising_styles`.
    """
    telling_tags = [f"{word}vertAlign", f"{word}position", *([f"{word}rStyle"] if styles else [])]
    last: tuple[_Element | None, str] = None, ""
    for looks in dict.fromkeys(element.getparent() for element in root.iter(*telling_tags)):
        run = None if looks is None or looks.tag != f"{word}rPr" else looks.getparent()
        if run is None or run.tag != f"{word}r":
            continue
        opening = _own_opening(looks, word)
        if opening is None:
            named = looks.find(f"{word}rStyle")
            opening = "" if named is None else styles.get(named.get(f"{word}val") or "", "")
        texts = [text for text in run.iterchildren(f"{word}t") if text.text]
        if not opening or not texts:
            continue
        goes_on = last[0] is not None and last[1] == opening and _run_before(run) is last[0].getparent()
        if goes_on and last[0] is not None:
            last[0].text = (last[0].text or "").removesuffix(END)
        else:
            texts[0].text = opening + (texts[0].text or "")
        texts[-1].text = (texts[-1].text or "") + END
        last = texts[-1], opening


def _own_opening(looks: _Element, word: str) -> str | None:
    """Opening set by the properties of a run or style, empty if reset; None if unset."""
    aligned = looks.find(f"{word}vertAlign")
    if aligned is not None:
        return _ALIGNED.get(aligned.get(f"{word}val") or "", "")
    placed = looks.find(f"{word}position")
    height = "" if placed is None else (placed.get(f"{word}val") or "").removesuffix("pt")
    if not height.lstrip("-").isdecimal() or not height.strip("-0"):
        return None
    return SUBSCRIPT if height.startswith("-") else SUPERSCRIPT


def _run_before(run: _Element) -> _Element | None:
    before = run.getprevious()
    while before is not None and isinstance(before.tag, str) and before.tag.rpartition("}")[2] in _BETWEEN:
        before = before.getprevious()
    return before
