"""Headings of a PDF: those that bookmarks name, else those that the evidence speaks for.

Evidence is what the document's own table of contents names, how lines look, their numbers, running heads and names of
sections; see
`chunking.parsing.headings`. A wrong heading hurts more than a missed one, so what speaks against a line is stronger: it
comes
again on page after page, goes on from the page before, is of a listing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median_low

from chunking.parsing.formats.pdf.headings.bookmark_matching import BookmarkedHeading, match_bookmarks
from chunking.parsing.formats.pdf.headings.bookmarks import Bookmark
from chunking.parsing.formats.pdf.headings.contents_pages import PdfContents, read_contents
from chunking.parsing.formats.pdf.headings.heading_evidence import RunningHeads, evidence_of
from chunking.parsing.formats.pdf.headings.heading_levels import leveled
from chunking.parsing.formats.pdf.headings.heading_rules import is_caption, proposed, reads_like_one
from chunking.parsing.formats.pdf.headings.heading_runs import BodyStyle, HeadingRun, body_of, runs_of, same_size
from chunking.parsing.formats.pdf.headings.lone_labels import lone_labels
from chunking.parsing.formats.pdf.headings.never_headings import never_headings
from chunking.parsing.formats.pdf.headings.title_root import under_title
from chunking.parsing.formats.pdf.layout.lines import PdfLine
from chunking.parsing.headings.numbering import is_top_label
from chunking.parsing.headings.repetition import is_continuation

__all__ = ["find_headings", "headings_of"]

_FEW = 3
_SPARSE = 0.25
"""Bookmarks for a page, or for a heading that is found, below which they are looked at together with those."""


def find_headings(
    lines: Sequence[PdfLine], contents: PdfContents | None = None, heads: RunningHeads | None = None
) -> list[BookmarkedHeading]:
    """The headings of a document, in order, with levels 1 to 6 and their evidence.

    Args:
        lines: its running text in reading order: no running heads, no page numbers, nothing that stands in tables.
        contents: what its tables of contents say; None: they are looked for in the lines.
        heads: what its running heads say.
    """
    body = body_of(lines)
    if body is None:
        return []
    contents, heads = contents or read_contents(lines), heads or RunningHeads(())
    named, lists = contents.named, contents.listed | contents.unsure
    runs = [run for run in runs_of(lines, body, named) if lists.isdisjoint(range(run.first, run.after))]
    never = never_headings(runs, body)
    labels = lone_labels(runs, body)
    able = [run for run in runs if run.first not in never and (run.first in labels or reads_like_one(run, body))]
    chosen = proposed(able, runs, body)
    chosen |= {run.first: run for run in runs if _is_named(run, named)}
    kept = _first_page([chosen[first] for first in sorted(chosen)], lines, body)
    evidence = evidence_of(kept, body, named, heads)
    levels = leveled([(run.text, run.look) for run in kept])
    return [
        BookmarkedHeading(run.first, run.after, level, evidence=tuple(found))
        for run, level, found in zip(kept, levels, evidence, strict=True)
    ]


def headings_of(
    bookmarks: Sequence[Bookmark],
    lines: Sequence[PdfLine],
    contents: PdfContents | None = None,
    heads: RunningHeads | None = None,
    name: str | None = None,
) -> list[BookmarkedHeading]:
    """The headings of a document: those its bookmarks name; where they name next to nothing, also those that are found.

    Args:
        bookmarks: placed; see `place_bookmark`.
        lines, contents, heads: as `find_headings` takes them.
        name: what its metadata call it.
    """
    marked = match_bookmarks(bookmarks, lines) if bookmarks else []
    if len(marked) >= max(_FEW, _SPARSE * len({line.page for line in lines})):
        return under_title(marked, lines, name, marked=True)
    found = find_headings(lines, contents, heads)
    if len(marked) >= max(_FEW, _SPARSE * len(found)):
        return under_title(marked, lines, name, marked=True)
    return under_title(_together(marked, found), lines, name, marked=bool(marked))


def _together(marked: Sequence[BookmarkedHeading], found: Sequence[BookmarkedHeading]) -> list[BookmarkedHeading]:
    """Headings that bookmarks name, and the others that were found, on levels that agree where they are the same."""
    lines = {line: heading for heading in marked for line in range(heading.first, heading.after)}
    same = [(lines[one.first].level, one.level) for one in found if one.first in lines]
    shift = median_low([level - other for level, other in same]) if same else 0
    others = [one for one in found if lines.keys().isdisjoint(range(one.first, one.after))]
    moved = [replace(one, level=min(max(one.level + shift, 1), 6)) for one in others]
    return sorted([*marked, *moved], key=lambda heading: heading.first)


def _is_named(run: HeadingRun, named: Mapping[int, int]) -> bool:
    """Whether the table of contents names it; what it names may be a caption, which is none."""
    return (
        any(first in named for first in range(run.first, run.after))
        and not is_caption(run)
        and not is_continuation(run.text)
    )


def _first_page(chosen: list[HeadingRun], lines: Sequence[PdfLine], body: BodyStyle) -> list[HeadingRun]:
    """Of what stands before the first running text, a title page or a title with authors, only the largest."""
    start = next((n for n, line in enumerate(lines) if body.sets(line) and len(line.text) > 40), 0)
    page = lines[start].page
    before = [run for run in chosen if run.first < start and run.line.page in (1, page - 1) and not run.number]
    if len(before) < 2:
        return chosen
    largest = max(run.line.size for run in before)
    last = before[-1].first if before[-1].line.page == page and before[-1].after == start else -1
    names = {run.first for run in before if is_top_label(run.text)}
    dropped = {run.first for run in before if not same_size(run.line.size, largest)} - names - {last}
    return [run for run in chosen if run.first not in dropped]
