"""Find possible heading lines of a page, with the evidence for each, and keep those that precede text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from chunking.parsing.builder.line_joining import ends_sentence
from chunking.parsing.formats.html.headings.page_contents import says_contents
from chunking.parsing.formats.html.headings.page_lines import LinePosition, PageLine
from chunking.parsing.formats.html.headings.text_settings import ELSEWHERE, IN_PAGE
from chunking.parsing.headings.evidence import MOST_CHARACTERS, Evidence, confidence, reads_like_heading
from chunking.parsing.headings.heading_labels import LabelParts, bare_label, squeezed
from chunking.parsing.headings.numbered_levels import NumberStep, steps_of
from chunking.parsing.headings.numbering import WORDED, Numbering, is_top_label, numbering_of

__all__ = ["Candidate", "ContentsEvidence", "candidates_of", "is_page_number"]

_SURE = 0.6
"""Minimum confidence of a heading."""
_LARGE, _LARGER = 1.12, 0.8
"""Size of large text: relative to the body's, and in points above it."""
_SMALL = 0.85
"""Minimum size of a heading relative to the body, unless numbered or named."""
_RARE = 0.2
"""Maximum share of characters that a heading style may have."""
_MOST_CERTAIN = 250
"""Maximum characters of a heading with a number in words or an entry in the contents."""

_PAGE = re.compile(
    r"\W*(?:page\s*)?(?:[A-Z]{1,2}-?)?(?:\d{1,4}|[ivxl]{1,6})(?:\s*(?:of|/)\s*\d{1,4})?\W*", re.IGNORECASE
)

_PROSE = 60
"""Minimum characters of running text."""
_AGAIN = 3
"""Occurrences from which a line counts as repeated."""
_COVER = 3
"""Consecutive unnumbered lines, without text between, that form a cover or a signature block."""


def candidates_of(
    lines: Sequence[PageLine], named: Mapping[int, ContentsEvidence], *, apart: frozenset[int] = frozenset()
) -> list[Candidate]:
    """Return the lines of a page with enough evidence and the position of headings, in order.

    Args:
        lines: of the page.
        named: lines named by its tables of contents, by index.
        apart: indices of lines outside the text: the contents, links back to them.
    """
    looks = [_look(line) for line in lines]
    body = _body(lines, looks)
    if body is None:
        return []
    numbers = [numbering_of(line.text) if _may_be_numbered(line) else None for line in lines]
    steps = steps_of([number if n not in apart else None for n, number in enumerate(numbers)])
    common = _common(lines, looks)
    fonts = Counter(look for look, line in zip(looks, lines, strict=True) if _is_short(line))
    accepted: dict[int, Candidate] = {}
    for n, line in enumerate(lines):
        if n in apart or not _may_be_heading(line, numbers[n], n in named):
            continue
        evidence = set(_looks_of(line, looks[n], body, common, fonts))
        if n in named:
            evidence |= {Evidence.CONTENTS, *([Evidence.LINK] if named[n].linked else [])}
        number = numbers[n]
        if number is not None and (evidence - {Evidence.SPACE} or number.kind in WORDED):
            evidence.add(Evidence.LOOSE_NUMBER if steps[n] in (NumberStep.BREAK, NumberStep.GAP) else Evidence.NUMBER)
        elif is_top_label(line.text) and evidence:
            evidence.add(Evidence.NAME)
        if looks[n].size < _SMALL * body.size and n not in named and number is None:
            continue
        if confidence(evidence) >= _SURE:
            accepted[n] = Candidate(n, line.text, looks[n], number, frozenset(evidence), named.get(n))
    return keep_well_placed(accepted, lines, apart)


def _may_be_numbered(line: PageLine) -> bool:
    return line.place == LinePosition.TEXT and 0 < len(line.text) <= _MOST_CERTAIN


def _is_short(line: PageLine) -> bool:
    return line.place == LinePosition.TEXT and len(line.text) <= MOST_CHARACTERS


def _look(line: PageLine) -> HeadingLook:
    setting = line.setting
    capitals = line.text.isupper() and sum(map(str.isalpha, line.text[:50])) > 3
    return HeadingLook(
        round(2 * setting.size) / 2,
        setting.bold,
        setting.italic,
        setting.underlined and not setting.link,
        setting.centred,
        capitals,
    )


def _body(lines: Sequence[PageLine], looks: Sequence[HeadingLook]) -> HeadingLook | None:
    """Typography of most of the running text."""
    used: Counter[HeadingLook] = Counter()
    for line, look in zip(lines, looks, strict=True):
        if line.place in (LinePosition.TEXT, LinePosition.ITEM):
            used[look] += len(line.text)
    return used.most_common(1)[0][0] if used else None


def _common(lines: Sequence[PageLine], looks: Sequence[HeadingLook]) -> dict[str, set[object]]:
    """Features too frequent to mark a heading: sizes, and whether bold, capitals or centred lines are."""
    total = sum(len(line.text) for line in lines if line.place in (LinePosition.TEXT, LinePosition.ITEM)) or 1
    common: dict[str, set[object]] = {}
    for name in HeadingLook._fields:
        used: Counter[object] = Counter()
        for line, look in zip(lines, looks, strict=True):
            if line.place in (LinePosition.TEXT, LinePosition.ITEM):
                used[getattr(look, name)] += len(line.text)
        common[name] = {value for value, count in used.items() if count > _RARE * total}
    return common


def _looks_of(
    line: PageLine,
    look: HeadingLook,
    body: HeadingLook,
    common: Mapping[str, set[object]],
    fonts: Mapping[HeadingLook, int],
) -> list[Evidence]:
    """Evidence from the typography of a line."""
    evidence = []
    if look.size >= max(_LARGE * body.size, body.size + _LARGER) and look.size not in common["size"]:
        evidence.append(Evidence.SIZE)
    if look.bold and not body.bold and True not in common["bold"]:
        evidence.append(Evidence.WEIGHT)
    if look.capitals and not body.capitals and True not in common["capitals"]:
        evidence.append(Evidence.CAPITALS)
    if look.centred and not body.centred and True not in common["centred"] and evidence:
        evidence.append(Evidence.POSITION)
    distinct = (look.italic and True not in common["italic"]) or (look.underlined and True not in common["underlined"])
    if distinct and (fonts[look] > 1 or evidence) and Evidence.WEIGHT not in evidence:
        evidence.append(Evidence.FONT)
    if (line.space or line.breaks) and line.place == LinePosition.TEXT:
        evidence.append(Evidence.SPACE)
    return evidence


def _may_be_heading(line: PageLine, number: Numbering | None, named: bool) -> bool:
    """True if the words and place of a line allow a heading."""
    text = line.text
    worded = number is not None and number.kind in WORDED
    if (
        line.place != LinePosition.TEXT
        or not text
        or len(text) > (_MOST_CERTAIN if worded or named else MOST_CHARACTERS)
    ):
        return False
    if named:
        return True
    if bare_label(text) in (
        LabelParts.TIME,
        LabelParts.CODE,
    ):  # `2021`, `WX-100`: where it is set as a heading, it is one
        return not line.setting.link
    if line.setting.link == ELSEWHERE or (line.setting.link == IN_PAGE and not worded):
        return False
    return not says_contents(text) and reads_like_heading(text, number)


# -- a candidate: text, look and evidence


class ContentsEvidence(NamedTuple):
    """Evidence that a line is a heading: an entry of the page's table of contents names it."""

    linked: bool
    """True if a link of the entry leads to the line."""
    table: int
    """Index of the table of contents."""
    outside: bool
    """The entry precedes the first or follows the last numbered one."""


class HeadingLook(NamedTuple):
    """Typography shared by headings of one rank."""

    size: float
    """Size in points, to a half."""
    bold: bool
    italic: bool
    underlined: bool
    centred: bool
    capitals: bool

    @property
    def prominence(self) -> float:
        """Weighted sum of size, capitals, bold, centring and underline; italic lowers it."""
        return 10 * self.size + 6 * self.capitals + 5 * self.bold + 2 * self.centred + self.underlined - 2 * self.italic


@dataclass(slots=True)
class Candidate:
    """A line with enough evidence for a heading, and that evidence."""

    place: int
    """Line index."""
    text: str
    look: HeadingLook
    number: Numbering | None
    evidence: frozenset[Evidence]
    named: ContentsEvidence | None = None

    @property
    def certain(self) -> bool:
        """True if no fitting position is needed: numbered in words, or named by the contents."""
        return self.named is not None or (self.number is not None and self.number.kind in WORDED)


def is_page_number(text: str) -> bool:
    """True if a line is nothing but a page number.

    >>> is_page_number("- 12 -"), is_page_number("F-3"), is_page_number("Page 3 of 9"), is_page_number("12 bottles")
    (True, True, True, False)
    """
    return len(text) < 20 and bool(_PAGE.fullmatch(text))


# -- positions: of consecutive lines without text between, few are headings


def keep_well_placed(
    candidates: Mapping[int, Candidate], lines: Sequence[PageLine], apart: frozenset[int]
) -> list[Candidate]:
    """Keep the candidates that precede text, and certain ones; drop subtitles and repetitions.

    Of three or more in a row that are not certain, the most prominent stays, and the last if text follows at once.

    Args:
        candidates: by line index.
        apart: see `candidates_of`.
    """
    headings: list[Candidate] = []
    run: list[Candidate] = []
    texts = Counter(one.text for one in candidates.values())
    again = {text for text, count in texts.items() if count >= _AGAIN}
    for n, line in enumerate(lines):
        if n in candidates:
            run.append(candidates[n])
        elif n in apart or _is_text(line):
            run = _without_subtitles(run, lines, again)
            headings += _of_run(run, directly=bool(run) and n not in apart and _next_to(run[-1].place, n, lines, apart))
            run = []
    headings += [one for one in run if one.certain]
    return _without_echoes(headings)


def _is_text(line: PageLine) -> bool:
    if line.place in (LinePosition.TABLE, LinePosition.ITEM):
        return True
    return (
        line.place == LinePosition.HEADING
        or len(line.text) >= _PROSE
        or (len(line.text) > 20 and ends_sentence(line.text))
    )


def _next_to(place: int, after: int, lines: Sequence[PageLine], apart: frozenset[int]) -> bool:
    between = [n for n in range(place + 1, after) if n not in apart and not is_page_number(lines[n].text)]
    return len(between) < 2


def _of_run(run: Sequence[Candidate], *, directly: bool) -> list[Candidate]:
    """Choose headings among candidates without text between; `directly`: text follows the last at once."""
    headings: list[Candidate] = []
    for certain, group in groupby(run, key=lambda one: one.certain):
        members = list(group)
        if certain or len(members) < _COVER:
            headings += members if certain or directly or members[-1] is not run[-1] else members[:1]
            continue
        first = max(members, key=lambda one: one.look.prominence)
        last = members[-1] if members[-1] is run[-1] and directly else None
        headings += [one for one in members if one is first or one is last]
    return headings


def _without_subtitles(run: Sequence[Candidate], lines: Sequence[PageLine], again: Set[str]) -> list[Candidate]:
    """Keep, of consecutive lines with one look, the first that is not repeated.

    `Balance sheets` and `31 December` are one title, and the company's name is above every one of them.
    """
    titles: list[Candidate] = []
    for one in run:
        previous = titles[-1] if titles else None
        parted = previous is None or one.place > previous.place + 1 or lines[one.place].breaks
        if previous is None or parted or one.certain or Evidence.NUMBER in one.evidence or one.look != previous.look:
            titles.append(one)
        elif previous.text in again and not previous.certain and one.text not in again:
            titles[-1] = one
    return titles


def _without_echoes(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Drop lines that repeat the end of the heading right above them."""
    headings: list[Candidate] = []
    for one in candidates:
        previous = headings[-1] if headings else None
        words, previous_words = squeezed(one.text), squeezed(previous.text) if previous else ""
        if (
            previous
            and one.place <= previous.place + 2
            and words
            and previous_words.endswith(words)
            and not (one.named and not previous.named)
        ):
            continue
        headings.append(one)
    return headings
