"""Meaning of paragraph styles by their names in common word processors."""

from __future__ import annotations

import re

__all__ = ["is_caption", "is_title", "level_of", "role_of"]

_HEADING = re.compile(
    r"(?:heading|标题|標題|見出し|제목|titre|überschrift|título|titolo|заголовок)[\s_]*([1-9])", re.IGNORECASE
)
_TITLE = frozenset({"title", "标题", "標題", "heading"})
_CAPTION = re.compile(r"caption|题注|題注|beschriftung|légende|図表番号", re.IGNORECASE)
_ROLES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "contents",
        re.compile(
            r"toc \d|toc heading|contents \d|contents heading|table of figures|目录 ?\d|图表目录", re.IGNORECASE
        ),
    ),
    (
        "code",
        re.compile(
            r"html preformatted|preformatted text|(?:source )?code(?: block)?|macro text|listing|代码", re.IGNORECASE
        ),
    ),
    ("quote", re.compile(r"(?:intense )?quote|block text|quotations|block quotation|明显引用|引用", re.IGNORECASE)),
)


def level_of(name: str) -> int | None:
    """Heading level 1 to 9 of a heading or title style; None for any other.

    >>> level_of("heading 2"), level_of("标题 3"), level_of("Title"), level_of("Normal")
    (2, 3, 1, None)
    """
    heading = _HEADING.fullmatch(name.strip())
    if heading:
        return int(heading[1])
    return 1 if name.strip().lower() in _TITLE else None


def is_title(name: str) -> bool:
    """True if a style's name is that of a document title.

    >>> is_title("Title"), is_title("标题"), is_title("heading 1")
    (True, True, False)
    """
    return name.strip().lower() in _TITLE


def is_caption(name: str) -> bool:
    """True if a style's name contains a word for the caption of a picture or table.

    >>> is_caption("caption"), is_caption("Table Caption"), is_caption("Normal")
    (True, True, False)
    """
    return _CAPTION.search(name) is not None


def role_of(name: str) -> str:
    """Role of a style: contents (a line of a table of contents), code, quote, or empty.

    >>> role_of("TOC 2"), role_of("Source Code"), role_of("Intense Quote"), role_of("Normal")
    ('contents', 'code', 'quote', '')
    """
    return next((role for role, names in _ROLES if names.fullmatch(name.strip())), "")
