"""Headings of a PDF: the ones that bookmarks name, else the ones with enough evidence.

Evidence is what the document's table of contents names, typography, numbers, running heads and section names (see
`chunking.parsing.headings`). A wrong heading hurts more than a missed one, so counter-evidence is stronger: repetition
on page after page, a continuation from the page before, a code listing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median_low

from chunking.parsing.formats.pdf.headings.bookmarks import Bookmark, BookmarkedHeading, match_bookmarks
from chunking.parsing.formats.pdf.headings.contents_pages import PdfContents, read_contents
from chunking.parsing.formats.pdf.headings.heading_rules import (
    RunningHeads,
    evidence_of,
    is_caption,
    propose_headings,
    reads_like_heading,
)
from chunking.parsing.formats.pdf.headings.heading_runs import BodyStyle, HeadingRun, Look, body_of, runs_of, same_size
from chunking.parsing.formats.pdf.headings.title_root import nest_under_title
from chunking.parsing.formats.pdf.layout.pdf_lines import PdfLine
from chunking.parsing.headings.heading_labels import LabelParts, bare_label
from chunking.parsing.headings.numbered_levels import NumberStep, assign_levels, steps_of
from chunking.parsing.headings.numbering import is_top_label, numbering_of
from chunking.parsing.headings.repetition import PlacedLine, is_continuation, repeated_lines

__all__ = ["find_headings", "heading_levels", "headings_of"]

_FEW = 3
_SPARSE = 0.25
"""Ratio of bookmarks per page, or per heading found, below which both sources are combined."""

_NUMBERED = 0.5
"""Minimum share of numbered headings for numbers to decide the levels."""
_CHAIN = 3
"""Consecutive multi-part numbers (1.2) from which numbers also decide the levels."""
_SAME_SIZE = 0.3


def find_headings(
    lines: Sequence[PdfLine], contents: PdfContents | None = None, heads: RunningHeads | None = None
) -> list[BookmarkedHeading]:
    """Find headings by typography, numbers and contents, not by bookmarks; levels are 1 to 6.

    Empty without text.

    Args:
        lines: running text in reading order: no running heads, page numbers or tables.
        contents: its tables of contents; None: found in the lines.
        heads: its running heads.
    """
    body = body_of(lines)
    if body is None:
        return []
    contents, heads = contents or read_contents(lines), heads or RunningHeads(())
    named, lists = contents.named, contents.listed | contents.unsure
    runs = [run for run in runs_of(lines, body, named) if lists.isdisjoint(range(run.first, run.after))]
    never = never_headings(runs, body)
    labels = lone_labels(runs, body)
    able = [run for run in runs if run.first not in never and (run.first in labels or reads_like_heading(run, body))]
    chosen = propose_headings(able, runs, body)
    chosen |= {run.first: run for run in runs if _is_named(run, named)}
    runs_chosen = _first_page([chosen[first] for first in sorted(chosen)], lines, body)
    evidence = evidence_of(runs_chosen, body, named, heads)
    levels = heading_levels([(run.text, run.look) for run in runs_chosen])
    return [
        BookmarkedHeading(run.first, run.after, level, evidence=tuple(reasons))
        for run, level, reasons in zip(runs_chosen, levels, evidence, strict=True)
    ]


def headings_of(
    bookmarks: Sequence[Bookmark],
    lines: Sequence[PdfLine],
    contents: PdfContents | None = None,
    heads: RunningHeads | None = None,
    name: str | None = None,
) -> list[BookmarkedHeading]:
    """Find headings by bookmarks, and by evidence if these are few; nest them under the title.

    Args:
        bookmarks: placed; see `place_bookmark`.
        lines, contents, heads: see `find_headings`.
        name: title in the metadata.
    """
    marked = match_bookmarks(bookmarks, lines) if bookmarks else []
    if len(marked) >= max(_FEW, _SPARSE * len({line.page for line in lines})):
        return nest_under_title(marked, lines, name, marked=True)
    by_evidence = find_headings(lines, contents, heads)
    if len(marked) >= max(_FEW, _SPARSE * len(by_evidence)):
        return nest_under_title(marked, lines, name, marked=True)
    return nest_under_title(_combined(marked, by_evidence), lines, name, marked=bool(marked))


def _combined(marked: Sequence[BookmarkedHeading], by_evidence: Sequence[BookmarkedHeading]) -> list[BookmarkedHeading]:
    """Merge headings of both sources, with levels aligned by the headings they share."""
    lines = {line: heading for heading in marked for line in range(heading.first, heading.after)}
    same = [(lines[one.first].level, one.level) for one in by_evidence if one.first in lines]
    shift = median_low([level - other for level, other in same]) if same else 0
    others = [one for one in by_evidence if lines.keys().isdisjoint(range(one.first, one.after))]
    moved = [replace(one, level=min(max(one.level + shift, 1), 6)) for one in others]
    return sorted([*marked, *moved], key=lambda heading: heading.first)


def _is_named(run: HeadingRun, named: Mapping[int, int]) -> bool:
    """True if the table of contents names a run, unless it is a caption."""
    return (
        any(first in named for first in range(run.first, run.after))
        and not is_caption(run)
        and not is_continuation(run.text)
    )


def _first_page(chosen: list[HeadingRun], lines: Sequence[PdfLine], body: BodyStyle) -> list[HeadingRun]:
    """Keep only the largest heading of a title page, or of a title with authors before the text."""
    start = next((n for n, line in enumerate(lines) if body.matches(line) and len(line.text) > 40), 0)
    page = lines[start].page
    before = [run for run in chosen if run.first < start and run.line.page in (1, page - 1) and not run.number]
    if len(before) < 2:
        return chosen
    largest = max(run.line.size for run in before)
    last = before[-1].first if before[-1].line.page == page and before[-1].after == start else -1
    names = {run.first for run in before if is_top_label(run.text)}
    dropped = {run.first for run in before if not same_size(run.line.size, largest)} - names - {last}
    return [run for run in chosen if run.first not in dropped]


_SMALLEST = 0.95
"""Minimum size of a lone label, relative to the body."""
_SPACE = 1.25
"""Minimum pitches above a label that is not large."""
_FEWEST_LETTERS = 8
"""Minimum letters of the text under a label without words."""
_FAR_LARGER = 1.3
"""Minimum size of a bare chapter number, relative to the body; Roman ones may have any heading style."""


def lone_labels(runs: Sequence[HeadingRun], body: BodyStyle) -> set[int]:
    """Return the first lines of runs that are only a label (`Chapter 3`, `2021`, `IV`), set apart.

    Except for labels with a word, text in another style must follow; bare numbers must also count up and be large or
    Roman. Years under chart bars, table cells and page numbers are set otherwise, have siblings in their line, or no
    text below. Whether a label is a heading is decided by its look.
    """
    labels: set[int] = set()
    numbers: dict[Look, list[HeadingRun]] = defaultdict(list)
    for n, run in enumerate(runs):
        label = bare_label(run.text) if run.after - run.first == 1 else None
        if label is None or not _stands_alone(run, body):
            continue
        under = runs[n + 1] if n + 1 < len(runs) else None
        if label is LabelParts.WORD or (under is not None and _heads(run, under)):
            if label is not LabelParts.NUMBER:
                labels.add(run.first)
            elif run.size >= _FAR_LARGER * body.size or run.text.strip(".").isalpha():
                numbers[run.look].append(run)
    return labels | set(_counting(numbers))


def _stands_alone(run: HeadingRun, body: BodyStyle) -> bool:
    line = run.line
    if line.angle or line.gaps or line.mono or line.size < _SMALLEST * body.size:
        return False
    return run.placed and (run.large or run.space_above >= _SPACE)


def _heads(run: HeadingRun, under: HeadingRun) -> bool:
    """True if words in another style follow a run on its page."""
    letters = sum(map(str.isalpha, under.text[:200]))
    return (
        under.line.page == run.line.page
        and under.look != run.look
        and letters >= _FEWEST_LETTERS
        and bare_label(under.text) is None
    )


def _counting(numbers: Mapping[Look, Sequence[HeadingRun]]) -> Iterator[int]:
    """Yield the numbers of one style whose numbers all count up: 1, 2, 3; I, II, III."""
    for members in numbers.values():
        values = [_value(run.text) for run in members]
        if len(values) > 1 and values == list(range(values[0], values[0] + len(values))):
            yield from (run.first for run in members)


def _value(text: str) -> int:
    number = numbering_of(text) or numbering_of(f"{text.rstrip('.')}.") or numbering_of(f"{text}、")
    return number.numbers[0] if number else -1


_CLOSE = 1.6
"""Maximum pitches between a line and the code listing it belongs to."""


def never_headings(runs: Sequence[HeadingRun], body: BodyStyle) -> set[int]:
    """Return the first lines of runs that are `(continued)` titles, repeated lines or code."""
    placed = [PlacedLine(run.text, run.line.page, run.line.bbox[1]) for run in runs]
    repeated = {runs[n].first for n in repeated_lines(placed)}
    return repeated | set(_continuations(runs)) | set(_of_listings(runs, body))


def _continuations(runs: Sequence[HeadingRun]) -> Iterator[int]:
    """Yield runs like `Exhibit 3 (Cont. 1)`, and the repeated title below each."""
    titles: set[str] = set()
    goes_on = False
    for run in runs:
        again = goes_on and run.text in titles
        goes_on = is_continuation(run.text)
        if goes_on or again:
            yield run.first
        else:
            titles.add(run.text)


def _of_listings(runs: Sequence[HeadingRun], body: BodyStyle) -> Iterator[int]:
    """Yield lines of code, and lines (bold keywords) between them or right next to them."""
    code = [run.line.mono and run.line.font != body.font for run in runs]
    for n, run in enumerate(runs):
        code_above = n > 0 and code[n - 1] and run.space_above < _CLOSE
        code_below = n + 1 < len(runs) and code[n + 1] and run.space_below < _CLOSE
        if (
            (code_above and code_below)
            or (code[n] and (code_above or code_below))
            or (code_above and not run.large and not run.number)
        ):
            yield run.first


# -- levels: by number if numbered, else by size, weight and capitals


def heading_levels(headings: Sequence[tuple[str, Look]]) -> list[int]:
    """Return the levels, 1 to 6, of headings: by number, or by size, weight and capitals.

    Numbers decide if at least half of the headings have one, or three multi-part ones (1.2) follow each other.

    Args:
        headings: the text and the look of each.
    """
    numbers = [numbering_of(text) for text, _ in headings]
    tops = {n for n, (text, _) in enumerate(headings) if is_top_label(text)}
    by_number = [level if number else None for level, number in zip(assign_levels(numbers, tops), numbers, strict=True)]
    steps = steps_of(numbers)
    chain = [
        number
        for number, step in zip(numbers, steps, strict=True)
        if number and step is NumberStep.NEXT and number.depth > 1
    ]
    if len(chain) >= _CHAIN or sum(level is not None for level in by_number) >= _NUMBERED * len(headings):
        return _counted([(rank, 0, 0) for rank in _by_number(headings, by_number)])
    return _counted(_by_look(headings, by_number))


def _counted(ranks: Sequence[tuple[float, int, int]]) -> list[int]:
    """Turn ranks into levels from 1, none left out, none over 6."""
    order = {rank: level for level, rank in enumerate(sorted(set(ranks)), 1)}
    return [min(order[rank], 6) for rank in ranks]


def _by_number(headings: Sequence[tuple[str, Look]], by_number: Sequence[int | None]) -> list[float]:
    """Rank headings by number; one without a number ranks like its style, else between larger and smaller."""
    looks = _levels_of_looks(headings, by_number)
    ranks: list[float] = []
    for (_, look), level in zip(headings, by_number, strict=True):
        if level is not None:
            ranks.append(level)
        elif look in looks:
            ranks.append(min(looks[look]))
        else:
            smaller = [min(levels) for other, levels in looks.items() if other[0] < look[0] - _SAME_SIZE]
            same = [max(levels) for other, levels in looks.items() if abs(other[0] - look[0]) <= _SAME_SIZE]
            larger = [max(levels) for other, levels in looks.items() if other[0] > look[0] + _SAME_SIZE]
            ranks.append(
                max(same) + (0.5 if not look[1] else 0)
                if same
                else min(smaller) - 0.5
                if smaller
                else max(larger, default=0) + 0.5
            )
    return ranks


def _by_look(headings: Sequence[tuple[str, Look]], by_number: Sequence[int | None]) -> list[tuple[float, int, int]]:
    """Rank headings by size, then number where some of one size have one, then weight and capitals."""
    looks = _levels_of_looks(headings, by_number)
    ranks = []
    for (_, look), level in zip(headings, by_number, strict=True):
        level = level if level is not None else min(looks.get(look, {0: 1}))
        ranks.append((-look[0], level, 0 if level else 3 - 2 * look[1] - look[3]))
    return ranks


def _levels_of_looks(headings: Sequence[tuple[str, Look]], by_number: Sequence[int | None]) -> dict[Look, Counter[int]]:
    """Count how often each style has each level by number."""
    looks: dict[Look, Counter[int]] = defaultdict(Counter)
    for (_, look), level in zip(headings, by_number, strict=True):
        if level is not None:
            looks[look][level] += 1
    return dict(looks)
