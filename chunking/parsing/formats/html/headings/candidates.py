"""Lines of a page that may be headings, each with what speaks for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from chunking.parsing.formats.html.headings.candidate import Candidate, ContentsEvidence, HeadingLook
from chunking.parsing.formats.html.headings.page_contents import says_contents
from chunking.parsing.formats.html.headings.page_lines import LinePosition, PageLine
from chunking.parsing.formats.html.headings.standing import standing
from chunking.parsing.formats.html.headings.text_settings import ELSEWHERE, IN_PAGE
from chunking.parsing.headings.bare_labels import LabelParts, bare_label
from chunking.parsing.headings.evidence import Evidence, confidence
from chunking.parsing.headings.heading_words import MOST_CHARACTERS, reads_like_heading
from chunking.parsing.headings.number_order import NumberStep, steps_of
from chunking.parsing.headings.numbering import WORDED, Numbering, is_top_label, numbering_of

__all__ = ["candidates_of"]

_SURE = 0.6
"""Confidence from which a line is taken for a heading."""
_LARGE, _LARGER = 1.12, 0.8
"""Times the body's size, and points more, from which text is large."""
_SMALL = 0.85
"""Times the body's size below which nothing is a heading by its looks."""
_RARE = 0.2
"""Share of a page's characters that may be set as headings are."""
_MOST_CERTAIN = 250
"""Characters of a heading with a number in words, or that the contents name."""


def candidates_of(
    lines: Sequence[PageLine], named: Mapping[int, ContentsEvidence], *, apart: frozenset[int] = frozenset()
) -> list[Candidate]:
    """The lines of a page that are headings, in order.

    Args:
        lines: of the page.
        named: those that its tables of contents name.
        apart: indices of lines that belong to no text: the contents themselves, links back to them.
    """
    looks = [_look(line) for line in lines]
    body = _body(lines, looks)
    if body is None:
        return []
    numbers = [numbering_of(line.text) if _may_be_numbered(line) else None for line in lines]
    steps = steps_of([number if n not in apart else None for n, number in enumerate(numbers)])
    common = _common(lines, looks)
    fonts = Counter(look for look, line in zip(looks, lines, strict=True) if _is_short(line))
    found: dict[int, Candidate] = {}
    for n, line in enumerate(lines):
        if n in apart or not _reads_like_one(line, numbers[n], n in named):
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
            found[n] = Candidate(n, line.text, looks[n], number, frozenset(evidence), named.get(n))
    return standing(found, lines, apart)


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
    """How most of the running text is set."""
    used: Counter[HeadingLook] = Counter()
    for line, look in zip(lines, looks, strict=True):
        if line.place in (LinePosition.TEXT, LinePosition.ITEM):
            used[look] += len(line.text)
    return used.most_common(1)[0][0] if used else None


def _common(lines: Sequence[PageLine], looks: Sequence[HeadingLook]) -> dict[str, set[object]]:
    """Features in which too much is set to tell a heading: sizes, and whether bold, capitals, centred are."""
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
    """What the setting of a line says for it."""
    found = []
    if look.size >= max(_LARGE * body.size, body.size + _LARGER) and look.size not in common["size"]:
        found.append(Evidence.SIZE)
    if look.bold and not body.bold and True not in common["bold"]:
        found.append(Evidence.WEIGHT)
    if look.capitals and not body.capitals and True not in common["capitals"]:
        found.append(Evidence.CAPITALS)
    if look.centred and not body.centred and True not in common["centred"] and found:
        found.append(Evidence.POSITION)
    distinct = (look.italic and True not in common["italic"]) or (look.underlined and True not in common["underlined"])
    if distinct and (fonts[look] > 1 or found) and Evidence.WEIGHT not in found:
        found.append(Evidence.FONT)
    if (line.space or line.breaks) and line.place == LinePosition.TEXT:
        found.append(Evidence.SPACE)
    return found


def _reads_like_one(line: PageLine, number: Numbering | None, named: bool) -> bool:
    """Whether its words and its place may be a heading's."""
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
