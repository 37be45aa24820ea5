"""Guess the headings of a page and their levels, and retag them before pruning and walking."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from chunking.parsing.builder.reader_types import CONTENTS
from chunking.parsing.formats.html.headings.candidates import Candidate, ContentsEvidence, candidates_of, is_page_number
from chunking.parsing.formats.html.headings.page_contents import PageContents, contents_of, says_contents
from chunking.parsing.formats.html.headings.page_lines import LinePosition, PageLine, lines_of_page
from chunking.parsing.formats.html.html_elements import BLOCKS, HEADINGS, collapse
from chunking.parsing.formats.html.pruning import FURNITURE, LINES
from chunking.parsing.headings.evidence import confidence, heading_meta
from chunking.parsing.headings.numbered_levels import DEEPEST, assign_levels
from chunking.parsing.headings.numbering import WORDED, Numbering, NumberingKind, is_top_label, numbering_of
from chunking.text.raised_text import write_raised

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["LINK_BACK", "PAGE_NUMBER", "guess_headings"]

_ENOUGH = 8_000
"""Characters per h1 to h6 from which a page has too few headings."""
_SURE_BESIDE = 0.75
"""Minimum confidence of a guess on a page with some headings of its own."""
_MOST_LINES = 200_000
_COVER = 0.25
"""The first table of contents within this share of the lines ends the cover."""

_FEWEST_PAGES = 3

GuessedMeta = Mapping[str, object]

LINK_BACK = "link to the table of contents"
PAGE_NUMBER = "page number"
"""Reasons to leave a part of a page out."""


def guess_headings(root: _Element) -> dict[_Element, GuessedMeta]:
    """Guess headings on a page with few h1 to h6: retag likely lines, and set contents lists aside.

    A page has few with none, or less than one per 8,000 characters. Tables of contents, links back to them and page
    numbers become furniture, which is left out of chunks.

    Args:
        root: of a tree without comments; changed in place.
    Returns:
        `meta` about the guess, for the block of each new heading element. Empty if the page has enough headings of its
        own, or more than 200,000 lines.
    """
    if not _needs_guessing(root):
        return {}
    lines = lines_of_page(root)
    if len(lines) > _MOST_LINES:
        return {}
    contents = contents_of(lines)
    apart = {n for one in contents for n in range(one.first, one.after)}
    titles = {one.first - 1 for one in contents if one.first and says_contents(lines[one.first - 1].text)}
    back = _links_back(lines, contents)
    pages = _page_numbers(lines)
    named = dict(_named(contents))
    candidates = candidates_of(lines, named, apart=frozenset(apart | titles | back | pages))
    declared = [(n, int(line.element.tag[1])) for n, line in enumerate(lines) if line.place == LinePosition.HEADING]
    if declared:
        candidates = [one for one in candidates if confidence(one.evidence) >= _SURE_BESIDE]
    retagger = Retagger(lines)
    for one in contents:
        title = one.first - 1 if one.first - 1 in titles else None
        retagger.leave_out_contents(one, title)
    for n in sorted(back | pages):
        if lines[n].alone:
            retagger.leave_out(lines[n].element, lines[n].text, PAGE_NUMBER if n in pages else LINK_BACK)
    first = [one.first for one in contents if one.first < _COVER * len(lines)][:1]
    return _retagged(retagger, candidates, candidate_levels(candidates, first), declared)


def _needs_guessing(root: _Element) -> bool:
    count = sum(1 for _ in root.iter(*HEADINGS))
    if not count:
        return True
    return bool(root.xpath("string-length()") > _ENOUGH * count)


def _retagged(
    retagger: Retagger, candidates: Sequence[Candidate], levels: Sequence[int], declared: Sequence[tuple[int, int]]
) -> dict[_Element, GuessedMeta]:
    """Retag elements as headings, below the page's own headings above them."""
    guessed: dict[_Element, GuessedMeta] = {}
    own = iter([*declared, (len(retagger.lines), 0)])
    at, level_above = -1, 0
    following, following_level = next(own)
    for one, level in zip(candidates, levels, strict=True):
        while following < one.place:
            at, level_above = following, following_level
            following, following_level = next(own)
        base = level_above if at >= 0 else 0
        element = retagger.make_heading(one.place, min(base + level, 6))
        if element is not None:
            guessed[element] = heading_meta(one.evidence)
    return guessed


def _named(contents: Iterable[PageContents]) -> Iterable[tuple[int, ContentsEvidence]]:
    """Lines named by each table of contents; the first to name a line wins."""
    named_lines: set[int] = set()
    for table, one in enumerate(contents):
        numbered = [n for n, entry in enumerate(one.entries) if numbering_of(entry.label)]
        places = {id(entry): n for n, entry in enumerate(one.entries)}
        for line, entry in sorted(one.named.items()):
            if line in named_lines:
                continue
            named_lines.add(line)
            outside = bool(numbered) and not numbered[0] <= places[id(entry)] <= numbered[-1]
            yield line, ContentsEvidence(line in one.linked, table, outside)


def _links_back(lines: Sequence[PageLine], contents: Sequence[PageContents]) -> set[int]:
    """Indices of lines that only link to the contents, such as at the head of every page."""
    if not contents:
        return set()
    return {
        n
        for n, line in enumerate(lines)
        if line.setting.link == "#" and line.place == LinePosition.TEXT and says_contents(line.text)
    }


def _page_numbers(lines: Sequence[PageLine]) -> set[int]:
    """Indices of page numbers in the last lines of pages, if most recognisable pages have one."""
    ends = [n - 1 for n, line in enumerate(lines) if line.breaks and n]
    numbers = {n for n in ends if lines[n].place == LinePosition.TEXT and is_page_number(lines[n].text)}
    return numbers if len(numbers) >= _FEWEST_PAGES and 2 * len(numbers) > len(ends) else set()


# -- levels: numbers in words first, then prominence


def candidate_levels(candidates: Sequence[Candidate], covers: Collection[int] = ()) -> list[int]:
    """Return levels 1 to 6 of guessed headings, in order; no level is skipped on the way down.

    Numbers in words (`Part`, `Item`, `Chapter`, 第一章) rule: headings without one are below the last of them, except
    what the contents list alongside them; the page's title is above all. Otherwise a heading is below the last more
    prominent one; numbers such as `1.2` decide between headings that look alike.

    Args:
        candidates: the headings.
        covers: lines at which a cover ends: nothing after them is below what precedes.
    """
    last = max(
        (n for n, one in enumerate(candidates) if one.number and one.number.kind in WORDED - {NumberingKind.APPENDIX}),
        default=-1,
    )
    worded = [_worded(one.number, n > last) for n, one in enumerate(candidates)]
    by_word = assign_levels(worded)
    lowest = max((level for level, number in zip(by_word, worded, strict=True) if number), default=0)
    dotted = _prominence_of_numbers(candidates)
    stack: list[tuple[float, ...]] = []
    levels = []
    ends = sorted(covers)
    title = candidates[0] if candidates and _is_title(candidates) else None
    for one, number, level in zip(candidates, worded, by_word, strict=True):
        if one is title:
            key: tuple[float, ...] = (-1,)
        elif number:
            key = (0, level)
        elif lowest and one.named is not None and one.named.outside:
            key = (0, lowest)
        elif one.number:
            key = (1, -dotted[one.number.kind], one.number.depth)
        else:
            key = (1, -one.look.prominence, 1)
        while ends and ends[0] <= one.place:
            del ends[0]
            stack.clear()
        while stack and stack[-1] >= key:
            stack.pop()
        stack.append(key)
        levels.append(min(len(stack), DEEPEST))
    return levels


def _is_title(candidates: Sequence[Candidate]) -> bool:
    """True if the first heading is unnumbered, no section name, and by far the most prominent."""
    first, others = candidates[0], candidates[1:]
    if first.number or is_top_label(first.text):
        return False
    return len(others) > 1 and first.look.prominence > max(one.look.prominence for one in others)


def _worded(number: Numbering | None, at_end: bool) -> Numbering | None:
    """Return a number if it has a word (`Chapter 2`) that overrides other evidence.

    A schedule or exhibit rules only after all others; within them it belongs to its place.
    """
    return (
        number if number and number.kind in WORDED and (at_end or number.kind is not NumberingKind.APPENDIX) else None
    )


def _prominence_of_numbers(candidates: Sequence[Candidate]) -> dict[str, float]:
    """Highest prominence per number format: 1.1 may be smaller than 1."""
    most: dict[str, float] = {}
    for one in candidates:
        if one.number:
            most[one.number.kind] = max(most.get(one.number.kind, 0.0), one.look.prominence)
    return most


# -- retagged elements


class Retagger:
    """Editor of a page's tree, which turns elements of its lines into headings or furniture."""

    def __init__(self, lines: Sequence[PageLine]) -> None:
        self.lines = lines

    def make_heading(self, n: int, level: int) -> _Element | None:
        """Make a line's element an h1 to h6, or wrap one around its text, and return the heading.

        None, with nothing changed, if no element or run of elements holds exactly the line.
        """
        line = self.lines[n]
        tag = f"h{level}"
        if line.alone:
            if line.element.tag in ("table", "td", "tr", "body", "html"):
                return _filled(line.element, tag, line.text)
            line.element.tag = tag
            return line.element
        inline = _holder(line)
        if inline is not None:
            inline.tag = tag
            return inline
        return _wrapped(line, tag)

    def leave_out(self, element: _Element, text: str, reason: str) -> None:
        """Turn an element into furniture with `text` as its content and `reason` as an attribute."""
        _filled(element, FURNITURE, text).set("reason", reason)
        element.set(LINES, "")

    def leave_out_contents(self, contents: PageContents, title: int | None) -> None:
        """Turn a table of contents and its title into furniture; a block with other text stays."""
        first = self.lines[contents.first]
        rows = contents.rows
        if title is not None and self.lines[title].alone:
            rows = f"{self.lines[title].text}\n{rows}"
            _filled(self.lines[title].element, "span", "")
        if first.place == LinePosition.TABLE:
            self.leave_out(first.element, rows, CONTENTS)
            return
        members = [self.lines[n] for n in range(contents.first, contents.after)]
        if not all(line.alone for line in members):
            block = _common_block(members)
            if block is not None:
                self.leave_out(block, rows, CONTENTS)
            return
        self.leave_out(members[0].element, rows, CONTENTS)
        for line in members[1:]:
            _filled(line.element, "span", "")


def _filled(element: _Element, tag: str, text: str) -> _Element:
    """Replace an element's content by a text; its tail stays."""
    tail = element.tail
    element.clear()
    element.tag, element.text, element.tail = tag, text, tail
    return element


def _holder(line: PageLine) -> _Element | None:
    """Outermost element within a line's block that contains exactly the line."""
    holder = None
    if not line.pieces:
        return None
    element = line.pieces[0]
    while element is not None and element is not line.element and element.tag not in BLOCKS:
        if collapse("".join(element.itertext())) != line.text:
            break
        holder = element
        element = element.getparent()
    return holder


def _wrapped(line: PageLine, tag: str) -> _Element | None:
    """Wrap the siblings that form a line in an element; None if the block itself holds part of the line."""
    block = line.element
    members: list[_Element] = []
    for piece in line.pieces:
        element: _Element | None = piece
        while element is not None and element.getparent() is not block:
            element = element.getparent()
        if element is None:
            return None
        if not members or members[-1] is not element:
            members.append(element)
    if len(members) < 2 or any(one.getnext() is not other for one, other in pairwise(members)):
        return None
    if collapse("".join(text for member in members for text in (*member.itertext(), member.tail or ""))) != line.text:
        return None
    wrap = block.makeelement(tag)
    members[0].addprevious(wrap)
    tail, members[-1].tail = members[-1].tail, None
    for member in members:
        wrap.append(member)
    wrap.tail = tail
    return wrap


def _common_block(members: Sequence[PageLine]) -> _Element | None:
    """Block that contains the lines and no other text."""
    element = members[0].element
    if any(line.element is not element for line in members):
        return None
    words = "".join("".join(line.text.split()) for line in members)
    return (
        element
        if "".join(write_raised("".join(element.itertext())).split()).replace("\xa0", "") == words.replace("\xa0", "")
        else None
    )
