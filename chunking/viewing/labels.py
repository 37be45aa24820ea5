"""Numbers and names as people read them."""

from __future__ import annotations

from chunking.parsing import format_named

__all__ = ["count", "has_clock", "page_word", "shortened"]


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun.

    Args:
        plural: of a noun that takes more than an s.

    >>> count(1, "chunk"), count(1200, "chunk"), count(2, "index", "indexes")
    ('1 chunk', '1,200 chunks', '2 indexes')
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def page_word(format_name: str) -> str:
    """What a page of a format is called: page, slide, sheet; `page` where it has no word for it.

    >>> page_word("markdown")
    'page'
    """
    row = format_named(format_name)
    return (row.page if row is not None else "") or "page"


def has_clock(format_name: str) -> bool:
    """Whether the pages of a format are seconds, shown as times.

    >>> has_clock("pdf"), has_clock("subtitles")
    (False, True)
    """
    row = format_named(format_name)
    return row is not None and row.clock


def shortened(text: str, longest: int) -> str:
    """At most so many characters of a text; an ellipsis is the last of them where some are left out.

    >>> shortened("overlap", 7), shortened("overlap", 5)
    ('overlap', 'over…')
    """
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
