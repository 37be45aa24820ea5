"""Markers of list items: bullets, and numbers as a browser counts and writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from chunking.parsing.builder.numerals import numeral
from chunking.parsing.formats.html.html_elements import BLOCKS, HEADINGS, LISTS
from chunking.parsing.formats.html.list_rules import RULED, STYLE

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["BULLET", "JOINED", "MARKER", "ItemCounter", "write_markers"]

MARKER = "marker"
"""Element for a number that a reader wrote at the start of an item, heading or paragraph."""
JOINED = "joined"
"""Class of a marker without a space after it."""
BULLET = "- "

_TYPES = {"1": "decimal", "a": "lower-latin", "A": "upper-latin", "i": "lower-roman", "I": "upper-roman"}
_IDEOGRAPHIC = "、"
_SYSTEMS = {
    "decimal": ("decimal", "."),
    "decimal-leading-zero": ("decimal-zero", "."),
    **{f"{case}-{name}": (f"{case}-letter", ".") for case in ("lower", "upper") for name in ("latin", "alpha")},
    **{
        name: (name, ".")
        for name in ("lower-roman", "upper-roman", "lower-greek", "hebrew", "georgian", "lower-armenian", "armenian")
    },
    "upper-armenian": ("armenian", "."),
    "arabic-indic": ("arabic-digit", "."),
    "persian": ("persian-digit", "."),
    "devanagari": ("hindi-digit", "."),
    "cambodian": ("khmer-digit", "."),
    **{
        name: (f"{name}-digit", ".")
        for name in (
            *("bengali", "gurmukhi", "gujarati", "oriya", "tamil", "telugu", "kannada", "malayalam"),
            *("thai", "lao", "tibetan", "myanmar", "khmer", "mongolian"),
        )
    },
    **{name: (name, _IDEOGRAPHIC) for name in ("hiragana", "hiragana-iroha", "katakana", "katakana-iroha")},
    "cjk-decimal": ("ideograph-digit", _IDEOGRAPHIC),
    "cjk-ideographic": ("taiwanese", _IDEOGRAPHIC),
    "cjk-earthly-branch": ("earthly-branch", _IDEOGRAPHIC),
    "cjk-heavenly-stem": ("heavenly-stem", _IDEOGRAPHIC),
    "simp-chinese-informal": ("chinese", _IDEOGRAPHIC),
    "simp-chinese-formal": ("chinese-formal", _IDEOGRAPHIC),
    "trad-chinese-informal": ("taiwanese", _IDEOGRAPHIC),
    "trad-chinese-formal": ("taiwanese-formal", _IDEOGRAPHIC),
    "japanese-informal": ("japanese", _IDEOGRAPHIC),
    "japanese-formal": ("japanese-formal", _IDEOGRAPHIC),
    "korean-hangul-formal": ("korean-formal", ","),
    "korean-hanja-informal": ("korean-hanja", ","),
}
"""CSS counter styles: the system of `NUMERALS`, and the suffix."""
_NO_NUMBERS = frozenset({"none", "disc", "circle", "square", "disclosure-open", "disclosure-closed"})
_LONGEST_STYLE = 2000
_LAST_ROMAN = 3999


class ItemCounter:
    """Counts the items of one list."""

    def __init__(self, element: _Element) -> None:
        ordered = element.tag == "ol"
        style = _style(element, _TYPES if ordered else {})
        self._style = style or ("decimal" if ordered else "disc")
        self._step = -1 if ordered and element.get("reversed") is not None else 1
        last = sum(1 for _ in element.iterchildren("li")) if self._step < 0 else 1
        self._number = whole_number(element.get("start") if ordered else None, last)

    def next(self, item: _Element) -> str:
        """Marker of the next item, with a trailing space."""
        own = bool(item.keys())  # few items have attributes
        if own:
            self._number = whole_number(item.get("value"), self._number)
        number, self._number = self._number, self._number + self._step
        style = (_style(item, _TYPES) if own else "") or self._style
        if style in _NO_NUMBERS:
            return BULLET
        system, suffix = _SYSTEMS[style]
        roman = system.endswith("-roman") and number > _LAST_ROMAN
        return f"{number if roman else numeral(number, system)}{suffix} "


def write_markers(lists: Iterable[_Element], headings: Iterable[_Element]) -> None:
    """Write numbers into lists that are not walked as lists: in table cells, and around headings.

    Args:
        lists: every `ol` of the page.
        headings: every heading of it.
    """
    lists = list(lists)
    if not lists:
        return
    holders = {holder for heading in headings for holder in heading.iterancestors("ol")}
    for element in lists:
        if element in holders or next(element.iterancestors("td", "th"), None) is not None:
            counter = ItemCounter(element)
            for item in element.iterchildren("li"):
                marker = counter.next(item).rstrip()
                if marker != BULLET.rstrip():
                    _write(item, marker)


def _write(item: _Element, marker: str) -> None:
    """Insert a marker before the first words of an item."""
    place = item
    while (
        place.tag not in HEADINGS
        and not (place.text or "").strip()
        and len(place)
        and place[0].tag in BLOCKS
        and place[0].tag not in LISTS
    ):
        place = place[0]
    if len(place) and place[0].tag == MARKER:
        return
    element = place.makeelement(MARKER)
    element.text, element.tail, place.text = marker, place.text, None
    place.insert(0, element)


def whole_number(value: str | None, otherwise: int) -> int:
    """Parse an integer attribute, else `otherwise`."""
    try:
        return int(value) if value and len(value) < 10 else otherwise
    except ValueError:
        return otherwise


def _style(element: _Element, types: Mapping[str, str]) -> str:
    """Counter style set on a list or item itself, by style or `types`; empty if none is known."""
    style, ruled = element.get("style"), element.get(RULED)
    values = STYLE.findall(style)[::-1] if style and len(style) <= _LONGEST_STYLE else []
    for value in [*values, ruled] if ruled else values:
        for word in value.lower().replace("!important", " ").split():
            if word in _SYSTEMS or word in _NO_NUMBERS:
                return str(word)
    kind = (element.get("type") or "").strip()
    return types.get(kind, kind.lower() if kind.lower() in _NO_NUMBERS else "")
