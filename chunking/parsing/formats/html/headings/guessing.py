"""Guess the headings of a page and turn their elements into h1 to h6, before pruning and walking."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from chunking.parsing.formats.html.headings.candidate import Candidate, ContentsEvidence, is_page_number
from chunking.parsing.formats.html.headings.candidates import candidates_of
from chunking.parsing.formats.html.headings.guessed_levels import candidate_levels
from chunking.parsing.formats.html.headings.page_contents import PageContents, contents_of, says_contents
from chunking.parsing.formats.html.headings.page_lines import LinePosition, PageLine, lines_of_page
from chunking.parsing.formats.html.headings.retagging import LINK_BACK, PAGE_NUMBER, Retagger
from chunking.parsing.formats.html.html_elements import HEADINGS
from chunking.parsing.headings.evidence import confidence, heading_meta
from chunking.parsing.headings.numbering import numbering_of

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["guess_headings"]

_ENOUGH = 8_000
"""A page with more characters per h1 to h6 has too few of them."""
_SURE_BESIDE = 0.75
"""Minimum confidence of a guess on a page with some headings of its own."""
_MOST_LINES = 200_000
_COVER = 0.25
"""The first table of contents within this share of the lines ends the cover."""

_FEWEST_PAGES = 3

GuessedMeta = Mapping[str, object]


def guess_headings(root: _Element) -> dict[_Element, GuessedMeta]:
    """Turn likely headings into h1 to h6 and tables of contents into furniture, on a page with few or no h1 to h6.

    Args:
        root: of a tree without comments; changed in place.
    Returns:
        `meta` about the guess, for the block of each new heading element. Empty if the page names its headings.
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
    """Lines that only link to the contents, such as at the head of every page."""
    if not contents:
        return set()
    return {
        n
        for n, line in enumerate(lines)
        if line.setting.link == "#" and line.place == LinePosition.TEXT and says_contents(line.text)
    }


def _page_numbers(lines: Sequence[PageLine]) -> set[int]:
    """Page numbers in the last lines of pages, if most recognisable pages have one."""
    ends = [n - 1 for n, line in enumerate(lines) if line.breaks and n]
    numbers = {n for n in ends if lines[n].place == LinePosition.TEXT and is_page_number(lines[n].text)}
    return numbers if len(numbers) >= _FEWEST_PAGES and 2 * len(numbers) > len(ends) else set()
