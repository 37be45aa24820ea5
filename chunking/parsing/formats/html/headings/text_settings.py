"""Typography of page text, from elements, inline styles and simple class rules."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["ELSEWHERE", "IN_PAGE", "ElementSettings", "TextSetting"]

IN_PAGE, ELSEWHERE = "#", "/"
"""Where a link leads."""


class TextSetting(NamedTuple):
    """Typography of a run of characters, and where it links to."""

    size: float = 12.0
    """Size in points."""
    bold: bool = False
    italic: bool = False
    underlined: bool = False
    centred: bool = False
    link: str = ""
    """`IN_PAGE`, `ELSEWHERE`, or empty for no link."""


_SIZES = {"1": 7.5, "2": 10.0, "3": 12.0, "4": 13.5, "5": 18.0, "6": 24.0, "7": 36.0}
"""`<font size>` in points."""
_NAMED = {
    "xx-small": 7.0,
    "x-small": 7.5,
    "small": 10.0,
    "medium": 12.0,
    "large": 13.5,
    "x-large": 18.0,
    "xx-large": 24.0,
}
_UNITS = {"pt": 1.0, "px": 0.75, "pc": 12.0, "in": 72.0, "cm": 28.35, "mm": 2.835}
_RELATIVE = {"em": 1.0, "%": 0.01, "ex": 0.5}
_LENGTH = re.compile(r"(\d{0,4}\.?\d{1,4})\s*(pt|px|pc|in|cm|mm|em|rem|ex|%)")
_BOLD = frozenset({"b", "strong", "th"})
_ITALIC = frozenset({"i", "em", "cite", "dfn", "var", "address"})
_RULE = re.compile(r"([^{}]{1,200})\{([^{}]{0,2000})\}")
_SIMPLE = re.compile(r"([a-z][a-z0-9]{0,9})?(?:\.([\w-]{1,60}))?", re.IGNORECASE)
_RELEVANT = ("font", "text-align", "text-decoration")
_MOST_RULES = 5_000
_MOST_CACHED = 20_000


class ElementSettings:
    """Calculator of the typography of a page's elements, by tags, attributes and simple rules."""

    def __init__(self, sheets: Iterable[str] = ()) -> None:
        """Collect rules with a single element, class or both as selector; other selectors are ignored.

        Args:
            sheets: texts of the page's `style` elements.
        """
        self._rules: dict[str, str] = {}
        self._cache: dict[tuple[TextSetting, str, str, str], TextSetting] = {}
        for sheet in sheets:
            for number, rule in enumerate(_RULE.finditer(sheet)):
                if number >= _MOST_RULES:
                    break
                if any(word in rule[2] for word in _RELEVANT):
                    self._add(rule[1], rule[2])

    def _add(self, selectors: str, declarations: str) -> None:
        for selector in selectors.split(","):
            simple = _SIMPLE.fullmatch(selector.strip())
            if simple and simple[0]:
                name = simple[0].lower() if not simple[2] else f"{(simple[1] or '').lower()}.{simple[2]}"
                self._rules[name] = f"{self._rules.get(name, '')};{declarations}"

    def inside(self, element: _Element, outer: TextSetting) -> TextSetting:
        """Return the typography of an element's own text, given that of the text around it."""
        get = element.get
        style, classes = get("style") or "", get("class")
        if self._rules:
            style = f"{self._from_rules(element.tag, classes)}{style}"
        alignment = f"{get('align') or ''}|{get('size') or ''}" if element.tag in _ALIGNED else ""
        link = _where(get("href")) if element.tag == "a" else ""
        key = (outer, f"{element.tag}{link}", style, alignment)
        setting = self._cache.get(key)
        if setting is None:
            setting = _styled(_by_tag(element.tag, alignment, outer, link), style)
            if len(self._cache) < _MOST_CACHED:
                self._cache[key] = setting
        return setting

    def _from_rules(self, tag: str, classes: str | None) -> str:
        parts = [self._rules.get(tag, "")]
        for name in (classes or "").split()[:8]:
            parts += (self._rules.get(f".{name}", ""), self._rules.get(f"{tag}.{name}", ""))
        joined = ";".join(filter(None, parts))
        return f"{joined};" if joined else ""


_ALIGNED = frozenset({"p", "div", "td", "th", "tr", "table", "font", "h1", "center", "caption"})


def _where(href: str | None) -> str:
    if not href:
        return ""
    return IN_PAGE if href.startswith("#") else ELSEWHERE


def _by_tag(tag: str, alignment: str, outer: TextSetting, link: str) -> TextSetting:
    setting = outer
    if tag in _BOLD:
        setting = setting._replace(bold=True)
    elif tag in _ITALIC:
        setting = setting._replace(italic=True)
    elif tag in ("u", "ins"):
        setting = setting._replace(underlined=True)
    elif tag == "center":
        setting = setting._replace(centred=True)
    elif tag in ("big", "small"):
        setting = setting._replace(size=setting.size * (1.2 if tag == "big" else 0.83))
    if link:
        setting = setting._replace(link=link)
    align, _, size = alignment.partition("|")
    if align:
        setting = setting._replace(centred=align.lower() == "center")
    if tag == "font" and size:
        setting = setting._replace(size=_font_size(size.strip(), setting.size))
    return setting


def _font_size(value: str, before: float) -> float:
    if value in _SIZES:
        return _SIZES[value]
    if value[:1] in "+-" and value[1:] in _SIZES:
        return before * 1.2 ** (int(value[1:]) * (1 if value[0] == "+" else -1))
    return before


def _styled(setting: TextSetting, style: str) -> TextSetting:
    """Apply a style; the last value of each property wins."""
    if not style:
        return setting
    for part in style.lower().split(";"):
        name, _, value = part.partition(":")
        name, value = name.strip(), value.strip()
        if name == "font-weight" or (name == "font" and "bold" in value):
            setting = setting._replace(
                bold=value.startswith("bold") or name == "font" or value[:3] in ("600", "700", "800", "900")
            )
        elif name == "font-style":
            setting = setting._replace(italic=value.startswith(("italic", "oblique")))
        elif name in ("text-decoration", "text-decoration-line"):
            setting = setting._replace(underlined=setting.underlined or "underline" in value)
        elif name == "text-align":
            setting = setting._replace(centred=value.startswith("center"))
        if name in ("font-size", "font"):
            setting = setting._replace(size=_length(value, setting.size))
    return setting


def _length(value: str, before: float) -> float:
    """Parse a length to points; `before` if the value is not understood."""
    if value in _NAMED:
        return _NAMED[value]
    match = _LENGTH.search(value)
    if not match:
        return before
    number, unit = float(match[1]), match[2]
    points = (
        number * 12.0
        if unit == "rem"
        else number * _UNITS[unit]
        if unit in _UNITS
        else number * _RELATIVE[unit] * before
    )
    return points if 1.0 <= points <= 200.0 else before
