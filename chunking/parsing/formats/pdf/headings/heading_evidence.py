"""Collect the evidence for each heading of a PDF."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from chunking.parsing.formats.pdf.headings.heading_rules import SPACE
from chunking.parsing.formats.pdf.headings.heading_runs import FAR, BodyStyle, HeadingRun
from chunking.parsing.headings.evidence import Evidence
from chunking.parsing.headings.label_keys import keys_of
from chunking.parsing.headings.number_order import NumberStep, steps_of
from chunking.parsing.headings.numbering import is_top_label

__all__ = ["RunningHeads", "evidence_of"]

_LARGER = 0.4
"""Minimum size difference to the body, in points."""
_PAGES_AFTER = 40
"""A chapter's running head starts within this many pages."""
_CENTRED = 0.02
"""Maximum distance of a centred line from the middle, in page widths."""


class RunningHeads:
    """Texts of running heads by page.

    Args:
        heads: text and page of each.
    """

    def __init__(self, heads: Iterable[tuple[str, int]]) -> None:
        self._pages: dict[str, list[int]] = defaultdict(list)
        for text, page in heads:
            for key in dict.fromkeys(keys_of(text)):
                if len(key) > 3:
                    self._pages[key].append(page)
        for pages in self._pages.values():
            pages.sort()

    def say(self, text: str, page: int) -> bool:
        """True if a running head on `page` or soon after has this text."""
        for key in keys_of(text) if self._pages else ():
            pages = self._pages.get(key, [])
            place = bisect_left(pages, page)
            if place < len(pages) and pages[place] <= page + _PAGES_AFTER:
                return True
        return False


def evidence_of(
    runs: Sequence[HeadingRun], body: BodyStyle, named: Mapping[int, int], heads: RunningHeads
) -> list[list[Evidence]]:
    """Evidence for each heading."""
    steps = steps_of([run.number for run in runs])
    return [[*_by_text(run, step, named, heads), *_by_looks(run, body)] for run, step in zip(runs, steps, strict=True)]


def _by_text(run: HeadingRun, step: NumberStep, named: Mapping[int, int], heads: RunningHeads) -> Iterator[Evidence]:
    if any(first in named for first in range(run.first, run.after)):
        yield Evidence.CONTENTS
    if heads.say(run.text, run.line.page):
        yield Evidence.RUNNING_HEAD
    if run.number:
        yield Evidence.NUMBER if step in (NumberStep.NEXT, NumberStep.RESTART) else Evidence.LOOSE_NUMBER
    if is_top_label(run.words):
        yield Evidence.NAME


def _by_looks(run: HeadingRun, body: BodyStyle) -> Iterator[Evidence]:
    line = run.line
    if run.size >= body.size + _LARGER:
        yield Evidence.SIZE
    if line.bold and not body.bold:
        yield Evidence.WEIGHT
    elif line.font != body.font:
        yield Evidence.FONT
    if run.capitals:
        yield Evidence.CAPITALS
    if run.space_above >= SPACE:
        yield Evidence.SPACE
    if run.space_above >= FAR or abs(line.bbox[0] + line.bbox[2] - 1) < _CENTRED:
        yield Evidence.POSITION
