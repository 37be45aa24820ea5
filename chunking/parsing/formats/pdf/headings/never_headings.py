"""Lines of a PDF that are no headings however they look: what goes on from a page before, what comes again, lines of a
listing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chunking.parsing.formats.pdf.headings.heading_runs import BodyStyle, HeadingRun
from chunking.parsing.headings.repetition import PlacedLine, is_continuation, repeated_lines

__all__ = ["never_headings"]

_CLOSE = 1.6
"""Pitches: nearer to a line of code, a line belongs to its listing."""


def never_headings(runs: Sequence[HeadingRun], body: BodyStyle) -> set[int]:
    """First lines of such runs."""
    placed = [PlacedLine(run.text, run.line.page, run.line.bbox[1]) for run in runs]
    repeated = {runs[n].first for n in repeated_lines(placed)}
    return repeated | set(_continuations(runs)) | set(_of_listings(runs, body))


def _continuations(runs: Sequence[HeadingRun]) -> Iterator[int]:
    """`Exhibit 3 (Cont. 1)`, and the title under it, which was printed before."""
    seen: set[str] = set()
    goes_on = False
    for run in runs:
        again = goes_on and run.text in seen
        goes_on = is_continuation(run.text)
        if goes_on or again:
            yield run.first
        else:
            seen.add(run.text)


def _of_listings(runs: Sequence[HeadingRun], body: BodyStyle) -> Iterator[int]:
    """Lines in a font of code, and those between or right beside such lines: key words in bold."""
    code = [run.line.mono and run.line.font != body.font for run in runs]
    for n, run in enumerate(runs):
        above = n > 0 and code[n - 1] and run.above < _CLOSE
        below = n + 1 < len(runs) and code[n + 1] and run.below < _CLOSE
        if (above and below) or (code[n] and (above or below)) or (above and not run.large and not run.number):
            yield run.first
