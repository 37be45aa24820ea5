"""Collapse white space like a browser."""

from __future__ import annotations

import re

from chunking.text.raised_text import END, write_raised

__all__ = ["BREAK", "collapse", "lines_of"]

BREAK = "\x1f"
"""Stands for `<br>` among text whose own line ends mean nothing."""

_CJK = "\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff"
_BETWEEN_CJK = re.compile(f"(?<=[{_CJK}])[ \t]*[\r\n][ \t\r\n]*(?=[{_CJK}])")
_SPACE = re.compile("[ \t\r\n\f\v\x1f]+")


def collapse(text: str) -> str:
    """Collapse a text to one line: single spaces, no soft hyphens, no line ends between Chinese characters.

    Text between the characters of `raised_text` is written as plain text.

    >>> collapse(" 中文\\n文字  and\\xa0 words ")
    '中文文字 and words'
    """
    if not text.isascii():
        if END in text:
            text = write_raised(text)
        text = text.replace("\xa0", " ").replace("\xad", "")
        if "\n" in text or "\r" in text:
            text = _BETWEEN_CJK.sub("", text)
        if "\u3000" in text:  # as wide as a character, and not collapsed
            return _SPACE.sub(" ", text).strip()
    if "\n" in text or "  " in text or "\t" in text or "\r" in text or "\f" in text:
        return " ".join(text.split())
    return text.strip()


def lines_of(run: list[str]) -> list[str]:
    """Split a run of text at `BREAK`; no empty lines at the ends.

    >>> lines_of(["a", BREAK, " ", BREAK, "b", BREAK])
    ['a', '', 'b']
    """
    text = run[0] if len(run) == 1 else "".join(run)
    if BREAK not in text:
        line = collapse(text)
        return [line] if line else []
    lines = [collapse(line) for line in text.split(BREAK)]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return lines
