"""Join lines and fragments: the separator between two, and whether a paragraph continues.

Only words count here. If they leave it open, the reader asks the layout: indentation, gaps, line lengths.
"""

from __future__ import annotations

import re

__all__ = ["begins_item", "ends_sentence", "goes_on", "introduces", "joint", "runs_on"]

_TAIL = 200
"""Characters examined at each end."""

_WIDE = (
    "\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f"
    "\uff00-\uff60\uffe0-\uffe6\U00020000-\U0003fffd"
)
_IDEOGRAPH = re.compile(f"[{_WIDE}]")
_WIDE_MARK = re.compile("[\u3001-\u3003\u3008-\u3011\u3014-\u301b\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff60]")
_LAST_WORD_CHARACTER = re.compile(r"[^\W_](?=[\W_]*\Z)")
_FIRST_WORD_CHARACTER = re.compile(r"[^\W_]")
_NO_SPACE_BEFORE = re.compile(r"[,;:!?)\]}%’”»](?!\w)|\.(?=\s|\Z)")
_NO_SPACE_AFTER = re.compile(r"[(\[{“‘«]\Z|[^\W\d_][-\u2010\u2011]\Z")

_CLOSING = re.compile(r"(?:[\s\"'”’»)\]}）】」』》〉〕*_†‡]|\[\d[\d,\s–-]*\]|\$\s*\^[^$]{1,20}\$|[⁰¹²³⁴⁵⁶⁷⁸⁹])+\Z")
_STOP = re.compile(r"[.!?。！？；｡．…]\Z")
_ABBREVIATION = re.compile(
    r"(?<![^\W\d_])(?:[A-HJ-Z]|(?i:mr|mrs|ms|dr|prof|st|vs|cf|ca|approx|figs?|eqs?|secs?|refs?|nos|vol|pp?|eds?|e\.g|i\.e|al|resp|u\.s|u\.k|tab))\.\Z"
)
_OPEN_END = re.compile(
    r"(?:[,，、(（\[【{「『《“‘&+=<]|[^\W\d_][-\u2010\u2011–]|(?<!\w)(?i:and|or|of|the|an|to|in|for|with|by))\s*\Z"
)
_OPEN_START = re.compile(r"\s*(?:[,;:!?)\]}，。；：、！？）】」』》”’％%]|\.(?:\s|\Z)|[a-zß-öø-ÿ](?![.)）、]))")
_ITEM = re.compile(
    r"\s*(?:[-*•·●○▪■□◦‣–➢✓◆◇\uf0b7\uf0a7\uf06c]\s+\S"
    r"|[•●○▪■□◦‣➢◆◇\uf0b7\uf0a7\uf06c①-⑳⑴-⒇㈠-㈩]\s*\S"
    r"|\d{1,3}[.)）．](?!\d)\s*\S|\d{1,2}、\s*\S"
    r"|[（(](?:\d{1,2}|[a-zA-Z]|[ivxIVX]{1,4}|[一二三四五六七八九十]{1,3})[)）]\s*\S"
    r"|(?:[a-zA-Z]|[ivxIVX]{1,4})[.)）]\s+\S"
    r"|[一二三四五六七八九十]{1,3}、\s*\S)"
)


def joint(before: str, after: str) -> str:
    """Return the separator between two lines or fragments of a paragraph: a space, or empty.

    Empty next to white space or an empty text, between ideographs, next to full-width marks, between an ideograph
    and a figure, before a closing mark, and after an opening one or a hyphen (which stays: it may have been there
    before the line was broken).

    >>> joint("an", "end"), joint("显微", "镜下"), joint("为 25", "度"), joint("well-", "known"), joint("镜", "Zeiss")
    (' ', '', '', '', ' ')
    """
    before, after = before[-_TAIL:], after[:_TAIL]
    if not before or not after or before[-1].isspace() or after[0].isspace():
        return ""
    edges = before[-1] + after[0]
    if edges.isascii() and edges.isalnum():
        return " "
    if (
        _WIDE_MARK.match(before[-1])
        or _WIDE_MARK.match(after[0])
        or _NO_SPACE_BEFORE.match(after)
        or _NO_SPACE_AFTER.search(before)
    ):
        return ""
    left, right = _LAST_WORD_CHARACTER.search(before), _FIRST_WORD_CHARACTER.search(after)
    if not left or not right:
        return " "
    wide = [bool(_IDEOGRAPH.match(one[0])) for one in (left, right)]
    figure = left[0].isdecimal() or right[0].isdecimal()
    return "" if all(wide) or (any(wide) and figure) else " "


def ends_sentence(text: str) -> bool:
    """True if a text ends with a full stop, question mark, exclamation mark or ellipsis.

    Quotes, brackets and note marks may follow it; the dot of an abbreviation does not count.

    >>> [ends_sentence(text) for text in ("It ends.”", "see Fig.", "是这样。", "荧光的", "such as:", "done [3].")]
    [True, False, True, False, False, True]
    """
    tail = _CLOSING.sub("", text[-_TAIL:])
    return bool(_STOP.search(tail)) and not _ABBREVIATION.search(tail)


def introduces(text: str) -> bool:
    """True if a text ends in a colon, like one before a list."""
    return text[-_TAIL:].rstrip().endswith((":", "："))


def begins_item(text: str) -> bool:
    """True if a text starts with a bullet or an item number.

    >>> [begins_item(text) for text in ("- one", "（二）资质", "3. Run", "3.5 kg", "①甲", "2024 was", "a) x", "I am")]
    [True, True, True, False, True, False, True, False]
    """
    return bool(_ITEM.match(text[:_TAIL]))


def goes_on(before: str, after: str) -> bool:
    """True if `before` ends in mid-sentence (comma, `of`), or `after` starts so (small letter).

    >>> goes_on("of the first,", "Second"), goes_on("the light", "of day"), goes_on("It ends.", "Then")
    (True, True, False)
    """
    return bool(_OPEN_END.search(before[-_TAIL:]) or _OPEN_START.match(after[:_TAIL]))


def runs_on(before: str, after: str) -> bool | None:
    """True if `after` continues the paragraph, False if it starts a list item, None if unclear.

    True also for a list item after an open end (a comma, `of`).

    For None, `ends_sentence(before)` separates likely from unlikely paragraph ends.

    >>> runs_on("mice,", "Rats"), runs_on("如下：", "1. 甲"), runs_on("It ends.", "Then"), runs_on("显微镜", "通常")
    (True, False, None, None)
    """
    if _OPEN_END.search(before[-_TAIL:]):
        return True
    if begins_item(after):
        return False
    return True if _OPEN_START.match(after[:_TAIL]) else None
