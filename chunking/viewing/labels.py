"""Labels of pages, and shortened texts."""

from __future__ import annotations

from chunking.parsing import format_named

__all__ = ["has_clock", "page_word", "shortened"]


def page_word(format_name: str) -> str:
    """Return the name of a format's pages, such as slide or sheet; `page` by default.

    >>> page_word("markdown")
    'page'
    """
    row = format_named(format_name)
    return (row.page if row is not None else "") or "page"


def has_clock(format_name: str) -> bool:
    """True if a format's pages are seconds, shown as times.

    >>> has_clock("pdf"), has_clock("subtitles")
    (False, True)
    """
    row = format_named(format_name)
    return row is not None and row.clock


def shortened(text: str, longest: int) -> str:
    """Shorten a text to a length; an ellipsis replaces its end.

    >>> shortened("overlap", 7), shortened("overlap", 5)
    ('overlap', 'over…')
    """
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
