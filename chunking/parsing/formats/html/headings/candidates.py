"""Find possible heading lines of a page, with the evidence for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from chunking.parsing.formats.html.headings.candidate import Candidate, ContentsEvidence, HeadingLook
from chunking.parsing.formats.html.headings.heading_positions import keep_well_placed
from chunking.parsing.formats.html.headings.page_contents import says_contents
from chunking.parsing.formats.html.headings.page_lines import LinePosition, PageLine
from chunking.parsing.formats.html.headings.text_settings import ELSEWHERE, IN_PAGE
from chunking.parsing.headings.bare_labels import LabelParts, bare_label
from chunking.parsing.headings.evidence import Evidence, confidence
from chunking.parsing.headings.heading_words import MOST_CHARACTERS, reads_like_heading
from chunking.parsing.headings.number_order import NumberStep, steps_of
from chunking.parsing.headings.numbering import WORDED, Numbering, is_top_label, numbering_of

__all__ = ["candidates_of"]

_SURE = 0.6
"""Minimum confidence of a heading."""
_LARGE, _LARGER = 1.12, 0.8
"""Large text: relative to the body's size, and by points."""
_SMALL = 0.85
"""Minimum size of a heading relative to the body, unless numbered or named."""
_RARE = 0.2
"""Maximum share of characters that a heading style may have."""
_MOST_CERTAIN = 250
"""Maximum characters of a heading with a number in words or an entry in the contents."""


def candidates_of(
    lines: Sequence[PageLine], named: Mapping[int, ContentsEvidence], *, apart: frozenset[int] = frozenset()
) -> list[Candidate]:
    """Heading lines of a page, in order.

    Args:
        lines: of the page.
        named: lines named by its tables of contents.
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
    """Look of most of the running text."""
    used: Counter[HeadingLook] = Counter()
    for line, look in zip(lines, looks, strict=True):
        if line.place in (LinePosition.TEXT, LinePosition.ITEM):
            used[look] += len(line.text)
    return used.most_common(1)[0][0] if used else None


def _common(lines: Sequence[PageLine], looks: Sequence[HeadingLook]) -> dict[str, set[object]]:
    """Features too frequent to mark a heading: sizes, and whether bold, capitals, centred are."""
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
    """Evidence from the look of a line."""
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
