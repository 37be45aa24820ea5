"""Where a heading can stand: over text. Of lines that follow one another with no text between them, few are headings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from itertools import groupby

from chunking.parsing.builder.line_joining import ends_sentence
from chunking.parsing.formats.html.headings.candidate import Candidate, is_page_number
from chunking.parsing.formats.html.headings.page_lines import LinePosition, PageLine
from chunking.parsing.headings.evidence import Evidence
from chunking.parsing.headings.label_keys import squeezed

__all__ = ["standing"]

_PROSE = 60
"""Characters from which a line that is no heading is running text."""
_AGAIN = 3
"""Times that a line is said, from which it is said again and again."""
_COVER = 3
"""Lines without a number that follow one another with no text between, as on a cover or under a signature."""


def standing(found: Mapping[int, Candidate], lines: Sequence[PageLine], apart: frozenset[int]) -> list[Candidate]:
    """Those that stand where a heading can: over text. Of many in a row, as on a cover, the most prominent and the
    last.
    """
    kept: list[Candidate] = []
    run: list[Candidate] = []
    texts = Counter(one.text for one in found.values())
    again = {text for text, count in texts.items() if count >= _AGAIN}
    for n, line in enumerate(lines):
        if n in found:
            run.append(found[n])
        elif n in apart or _is_text(line):
            run = _without_subtitles(run, lines, again)
            kept += _of_run(run, directly=bool(run) and n not in apart and _next_to(run[-1].place, n, lines, apart))
            run = []
    kept += [one for one in run if one.certain]
    return _without_echoes(kept)


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
    """The headings of some candidates with no text between them; `directly`: text follows the last at once."""
    kept: list[Candidate] = []
    for certain, group in groupby(run, key=lambda one: one.certain):
        members = list(group)
        if certain or len(members) < _COVER:
            kept += members if certain or directly or members[-1] is not run[-1] else members[:1]
            continue
        first = max(members, key=lambda one: one.look.prominence)
        last = members[-1] if members[-1] is run[-1] and directly else None
        kept += [one for one in members if one is first or one is last]
    return kept


def _without_subtitles(run: Sequence[Candidate], lines: Sequence[PageLine], again: Set[str]) -> list[Candidate]:
    """Of lines that are set alike, right below one another, the first that does not come again and again.

    `Balance sheets` and `31 December` are one title, and the company's name stands above every one of them.
    """
    kept: list[Candidate] = []
    for one in run:
        above = kept[-1] if kept else None
        parted = above is None or one.place > above.place + 1 or lines[one.place].breaks
        if above is None or parted or one.certain or Evidence.NUMBER in one.evidence or one.look != above.look:
            kept.append(one)
        elif above.text in again and not above.certain and one.text not in again:
            kept[-1] = one
    return kept


def _without_echoes(found: Sequence[Candidate]) -> list[Candidate]:
    """Without lines that say again what the heading right above them has said."""
    kept: list[Candidate] = []
    for one in found:
        above = kept[-1] if kept else None
        words, said = squeezed(one.text), squeezed(above.text) if above else ""
        if (
            above
            and one.place <= above.place + 2
            and words
            and said.endswith(words)
            and not (one.named and not above.named)
        ):
            continue
        kept.append(one)
    return kept
