"""Labels that are all of a heading in a PDF (see `bare_labels`): alone in their line, set as headings are, with text
under them.

Years under the bars of a chart, cells of a table and page numbers are set otherwise, have their like beside them, or no
text below.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from chunking.parsing.formats.pdf.headings.heading_runs import BodyStyle, HeadingRun, Look
from chunking.parsing.headings.bare_labels import LabelParts, bare_label
from chunking.parsing.headings.numbering import numbering_of

__all__ = ["lone_labels"]

_SMALLEST = 0.95
"""Times the body's size."""
_SPACE = 1.25
"""Pitches above a label that is not large."""
_FEWEST_LETTERS = 8
"""Of the text under a label that is no word."""
_FAR_LARGER = 1.3
"""Times the body's size from which a number alone may be a chapter's; a Roman one in any style of headings."""


def lone_labels(runs: Sequence[HeadingRun], body: BodyStyle) -> set[int]:
    """First lines of the runs that are such labels; whether they are headings is for their looks to say."""
    found: set[int] = set()
    numbers: dict[Look, list[HeadingRun]] = defaultdict(list)
    for n, run in enumerate(runs):
        label = bare_label(run.text) if run.after - run.first == 1 else None
        if label is None or not _stands_alone(run, body):
            continue
        under = runs[n + 1] if n + 1 < len(runs) else None
        if label is LabelParts.WORD or (under is not None and _heads(run, under)):
            if label is not LabelParts.NUMBER:
                found.add(run.first)
            elif run.size >= _FAR_LARGER * body.size or run.text.strip(".").isalpha():
                numbers[run.look].append(run)
    return found | set(_counting(numbers))


def _stands_alone(run: HeadingRun, body: BodyStyle) -> bool:
    """Whether nothing stands in its line or right above it."""
    line = run.line
    if line.angle or line.gaps or line.mono or line.size < _SMALLEST * body.size:
        return False
    return run.placed and (run.large or run.above >= _SPACE)


def _heads(run: HeadingRun, under: HeadingRun) -> bool:
    """Whether words in another style follow it on its page."""
    letters = sum(map(str.isalpha, under.text[:200]))
    return (
        under.line.page == run.line.page
        and under.look != run.look
        and letters >= _FEWEST_LETTERS
        and bare_label(under.text) is None
    )


def _counting(numbers: Mapping[Look, Sequence[HeadingRun]]) -> Iterator[int]:
    """Those numbers of one look that count on, all of them: 1, 2, 3; I, II, III."""
    for members in numbers.values():
        values = [_value(run.text) for run in members]
        if len(values) > 1 and values == list(range(values[0], values[0] + len(values))):
            yield from (run.first for run in members)


def _value(text: str) -> int:
    number = numbering_of(text) or numbering_of(f"{text.rstrip('.')}.") or numbering_of(f"{text}、")
    return number.numbers[0] if number else -1
