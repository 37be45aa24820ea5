"""The title of a document as the root of its headings: what stands before all of them, and over them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from chunking.parsing.formats.pdf.headings.bookmark_matching import BookmarkedHeading
from chunking.parsing.formats.pdf.headings.heading_runs import BodyStyle, body_of, same_size
from chunking.parsing.formats.pdf.layout.lines import PdfLine
from chunking.parsing.headings.bare_labels import bare_label
from chunking.parsing.headings.label_keys import squeezed
from chunking.parsing.headings.numbering import is_top_label, numbering_of

__all__ = ["under_title"]

_DEEPEST = 6
_CENTRED = 0.02
"""Of a page's width: nearer to its middle, a line is centred."""
_LONG = 40
"""Characters from which a line set as the body is one of its text."""
_LONGEST = 200
"""Characters of a title."""
_LARGE = 1.3
"""Times the body's size: how large a title is that nothing else says is one."""
_MOST_WIDE = 0.7
"""Share of the page's width: a wider line is centred in any case."""


def under_title(
    headings: Sequence[BookmarkedHeading], lines: Sequence[PdfLine], name: str | None, *, marked: bool
) -> list[BookmarkedHeading]:
    """The headings of a document, those beside its title moved under it; as they were where it has none.

    Args:
        name: what its metadata call it.
        marked: bookmarks name the headings: the title is seldom among them, and is looked for above the first.
    """
    tops = [heading for heading in headings if heading.level == 1]
    body = body_of(lines) if len(tops) > 1 else None
    if body is None:
        return list(headings)
    first, others = headings[0], tops[1:]
    if first.level == 1 and _may_be(first, lines, body) and _is_title(headings, others, lines, name):
        return [first, *(_lower(heading) for heading in headings[1:])]
    title = _above(headings, lines, body, name) if marked else None
    return [title, *(_lower(heading) for heading in headings)] if title else list(headings)


def _lower(heading: BookmarkedHeading) -> BookmarkedHeading:
    return replace(heading, level=min(heading.level + 1, _DEEPEST))


def _may_be(heading: BookmarkedHeading, lines: Sequence[PdfLine], body: BodyStyle) -> bool:
    """Whether a heading stands before all text, and is neither numbered nor called as sections are."""
    text = _text(heading, lines)
    if lines[heading.first].page != lines[0].page or numbering_of(text) or bare_label(text) or is_top_label(text):
        return False
    return not any(body.sets(line) and len(line.text) >= _LONG for line in lines[: heading.first])


def _is_title(
    headings: Sequence[BookmarkedHeading],
    others: Sequence[BookmarkedHeading],
    lines: Sequence[PdfLine],
    name: str | None,
) -> bool:
    """Whether the first heading is other than those of its level: they are numbered, or right under it, or only it is
    centred or large.
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


def _above(
    headings: Sequence[BookmarkedHeading], lines: Sequence[PdfLine], body: BodyStyle, name: str | None
) -> BookmarkedHeading | None:
    """The title that is printed on the first page above the first heading: the largest line there, larger than any
    heading.
    """
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
    """The lines of a page, those one below the other in one style together."""
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
    """Whether a title's words say something and are no label."""
    letters = sum(map(str.isalpha, text))
    return (
        3 <= len(text) <= _LONGEST
        and 2 * letters > len(text)
        and numbering_of(text) is None
        and bare_label(text) is None
    )


def _text(heading: BookmarkedHeading, lines: Sequence[PdfLine]) -> str:
    return " ".join(line.text for line in lines[heading.first : heading.after])
