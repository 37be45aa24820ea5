"""Make the title of a document the root of its headings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from chunking.parsing.formats.pdf.headings.bookmarks import BookmarkedHeading
from chunking.parsing.formats.pdf.headings.heading_runs import BodyStyle, body_of, same_size
from chunking.parsing.formats.pdf.layout.pdf_lines import PdfLine
from chunking.parsing.headings.heading_labels import bare_label, squeezed
from chunking.parsing.headings.numbering import is_top_label, numbering_of

__all__ = ["nest_under_title"]

_DEEPEST = 6
_CENTRED = 0.02
"""Maximum distance of a centred line from the middle, in page widths."""
_LONG = 40
"""Minimum characters of a line of running text."""
_LONGEST = 200
"""Maximum characters of a title."""
_LARGE = 1.3
"""Minimum size of a title without other evidence, relative to the body."""
_MOST_WIDE = 0.7
"""Maximum width of a centred line, in page widths: any wider line looks centred."""


def nest_under_title(
    headings: Sequence[BookmarkedHeading], lines: Sequence[PdfLine], name: str | None, *, marked: bool
) -> list[BookmarkedHeading]:
    """Move all headings one level below the document's title; unchanged if there is none.

    The title is the first heading, if it differs from the others, or a line printed above it, which is added. With
    fewer than two headings on level 1, nothing changes.

    Args:
        name: title in the metadata.
        marked: true for headings from bookmarks, which seldom include the title: only then is it searched above them.
    """
    tops = [heading for heading in headings if heading.level == 1]
    body = body_of(lines) if len(tops) > 1 else None
    if body is None:
        return list(headings)
    first, others = headings[0], tops[1:]
    if first.level == 1 and _may_be(first, lines, body) and _is_title(headings, others, lines, name):
        return [first, *(_lower(heading) for heading in headings[1:])]
    title = _printed_title(headings, lines, body, name) if marked else None
    return [title, *(_lower(heading) for heading in headings)] if title else list(headings)


def _lower(heading: BookmarkedHeading) -> BookmarkedHeading:
    return replace(heading, level=min(heading.level + 1, _DEEPEST))


def _may_be(heading: BookmarkedHeading, lines: Sequence[PdfLine], body: BodyStyle) -> bool:
    """True if a heading precedes all text and is neither numbered nor named like a section."""
    text = _text(heading, lines)
    if lines[heading.first].page != lines[0].page or numbering_of(text) or bare_label(text) or is_top_label(text):
        return False
    return not any(body.matches(line) and len(line.text) >= _LONG for line in lines[: heading.first])


def _is_title(
    headings: Sequence[BookmarkedHeading],
    others: Sequence[BookmarkedHeading],
    lines: Sequence[PdfLine],
    name: str | None,
) -> bool:
    """True if the first heading differs from the other top headings.

    They are numbered, directly follow it, or it alone is centred.
    """
    first = headings[0]
    if name and squeezed(name) == squeezed(_text(first, lines)):
        return True
    labelled = sum(_is_labelled(_text(heading, lines)) for heading in others)
    if len(others) > 1 and 2 * labelled >= len(others):
        return True
    if (
        headings[1].level == 1
        and headings[1].first == first.after
        and lines[headings[1].first].page == lines[first.first].page
    ):
        return True
    alike = sum(_is_centred(heading, lines) for heading in others)
    return _is_centred(first, lines) and 2 * alike < len(others)


def _is_labelled(text: str) -> bool:
    return numbering_of(text) is not None or bare_label(text) is not None


def _is_centred(heading: BookmarkedHeading, lines: Sequence[PdfLine]) -> bool:
    own = lines[heading.first : heading.after]
    return all(
        abs(line.bbox[0] + line.bbox[2] - 1) < _CENTRED and line.bbox[2] - line.bbox[0] < _MOST_WIDE for line in own
    )


def _printed_title(
    headings: Sequence[BookmarkedHeading], lines: Sequence[PdfLine], body: BodyStyle, name: str | None
) -> BookmarkedHeading | None:
    """Find the title printed above the first heading: the largest line, larger than any heading."""
    first = headings[0].first
    if not first or lines[first].page > lines[0].page + 1:
        return None
    page = [line for line in lines[:first] if line.page == lines[0].page]
    named = [heading for heading in _stacks(page) if name and squeezed(name) == squeezed(_text(heading, lines))]
    largest = max(line.size for line in page)
    large = [
        heading
        for heading in _stacks(page)
        if same_size(page[heading.first].size, largest) and largest >= _LARGE * body.size
    ]
    titles = [heading for heading in named or large if _is_name(_text(heading, lines))]
    if len(titles) != 1 or any(lines[heading.first].size > lines[titles[0].first].size for heading in headings):
        return None
    return titles[0]


def _stacks(page: Sequence[PdfLine]) -> Iterator[BookmarkedHeading]:
    """Yield consecutive lines of one style on a page as a heading each."""
    first = 0
    for after in range(1, len(page) + 1):
        if after == len(page) or (page[after].font, page[after].region) != (page[first].font, page[first].region):
            stop = True
        else:
            stop = not same_size(page[after].size, page[first].size)
        if stop:
            yield BookmarkedHeading(first, after, 1)
            first = after


def _is_name(text: str) -> bool:
    """True if the text has words and is no label."""
    letters = sum(map(str.isalpha, text))
    return (
        3 <= len(text) <= _LONGEST
        and 2 * letters > len(text)
        and numbering_of(text) is None
        and bare_label(text) is None
    )


def _text(heading: BookmarkedHeading, lines: Sequence[PdfLine]) -> str:
    return " ".join(line.text for line in lines[heading.first : heading.after])
