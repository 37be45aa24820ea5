"""Keep heading candidates that precede text; of consecutive lines without text between, few are headings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from itertools import groupby

from chunking.parsing.builder.line_joining import ends_sentence
from chunking.parsing.formats.html.headings.candidate import Candidate, is_page_number
from chunking.parsing.formats.html.headings.page_lines import LinePosition, PageLine
from chunking.parsing.headings.evidence import Evidence
from chunking.parsing.headings.label_keys import squeezed

__all__ = ["keep_well_placed"]

_PROSE = 60
"""Minimum characters of running text."""
_AGAIN = 3
"""Occurrences from which a line counts as repeated."""
_COVER = 3
"""Unnumbered lines in a row, without text between, that form a cover or a signature block."""


def keep_well_placed(
    candidates: Mapping[int, Candidate], lines: Sequence[PageLine], apart: frozenset[int]
) -> list[Candidate]:
    """Candidates that precede text; of many in a row, as on a cover, the most prominent and the last."""
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
    """Headings among candidates without text between; `directly`: text follows the last at once."""
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
    """Of consecutive lines with one look, keep the first that is not repeated.

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
