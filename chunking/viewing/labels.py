"""Labels of pages, and shortened texts."""

from __future__ import annotations

from chunking.display import quantity
from chunking.parsing import format_named

__all__ = ["has_clock", "page_word", "shortened", "token_words"]


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


def token_words(tokens: int, prefix: int, embedded: int) -> str:
    """Return a chunk's token counts in words, as tokenWords in scene.js does.

    Args:
        tokens: of the prefix and the text as written, which the size limits; 0 if only `embedded` is known.
        prefix: tokens of the prefix.
        embedded: tokens that the model reads: without markup, with table descriptions.
    >>> token_words(119, 15, 119), token_words(104, 0, 104)
    ('119 tokens with prefix (104 text, 15 prefix)', '104 tokens')
    >>> token_words(119, 15, 109), token_words(0, 0, 109)
    ('119 tokens with prefix (104 text, 15 prefix); 109 embedded', '109 tokens embedded')
    """
    if not tokens:
        return f"{quantity(embedded, 'token')} embedded"
    sized = quantity(tokens, "token")
    if prefix:
        sized += f" with prefix ({tokens - prefix:,} text, {prefix:,} prefix)"
    return sized if embedded == tokens else f"{sized}; {embedded:,} embedded"
