"""Markers of list items: bullets, and numbers counted and written like in a browser."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from chunking.parsing.builder.numerals import numeral
from chunking.parsing.formats.html.html_elements import BLOCKS, HEADINGS, LISTS

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["BULLET", "JOINED", "MARKER", "ItemCounter", "apply_list_rules", "write_markers"]

MARKER = "marker"
"""Tag for a number written by another reader at the start of an item, heading or paragraph."""
JOINED = "joined"
"""Class of a marker that no space follows."""
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

RULED = "data-list-style"
"""Attribute of a list or item with its value from the style sheets."""
STYLE = re.compile(r"(?:^|;)\s*list-style(?:-type)?\s*:([^;]*)", re.IGNORECASE)
_LISTS, _ITEM = ("ol", "ul"), "li"
_MOST_RULES = 50
_LONGEST_SHEET = 500_000
_COMMENT = re.compile(r"/\*(?:[^*]++|\*(?!/))*+\*/")
_COMPOUND = re.compile(r"([a-z][a-z0-9]*)?((?:\.[\w-]+)*)", re.IGNORECASE)

_Compound = tuple[str, frozenset[str]]
_TagValues = list[tuple[frozenset[str], str]]
"""Required classes and value of each rule; the strongest first."""
_Values = dict[str, _TagValues]
"""Values of the rules by tag."""

_NO_CLASSES: frozenset[str] = frozenset()


class ItemCounter:
    """Counter of one list's items, which writes their markers by its attributes and styles."""

    def __init__(self, element: _Element) -> None:
        ordered = element.tag == "ol"
        style = _style(element, _TYPES if ordered else {})
        self._style = style or ("decimal" if ordered else "disc")
        self._step = -1 if ordered and element.get("reversed") is not None else 1
        last = sum(1 for _ in element.iterchildren("li")) if self._step < 0 else 1
        self._number = whole_number(element.get("start") if ordered else None, last)

    def next(self, item: _Element) -> str:
        """Return the marker of an item, with a trailing space, and count on."""
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
    """Write item numbers as text into `ol` lists in table cells and around headings, in place.

    These are not walked as lists, which would number them.

    Args:
        lists: every `ol` of the page.
        headings: all headings of the page.
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
    """Return an attribute as an integer; `otherwise` if it is missing, no integer or too long."""
    try:
        return int(value) if value and len(value) < 10 else otherwise
    except ValueError:
        return otherwise


def _style(element: _Element, types: Mapping[str, str]) -> str:
    """Counter style set on a list or item itself, by style or `types`; empty if unknown."""
    style, ruled = element.get("style"), element.get(RULED)
    values = STYLE.findall(style)[::-1] if style and len(style) <= _LONGEST_STYLE else []
    for value in [*values, ruled] if ruled else values:
        for word in value.lower().replace("!important", " ").split():
            if word in _SYSTEMS or word in _NO_NUMBERS:
                return str(word)
    kind = (element.get("type") or "").strip()
    return types.get(kind, kind.lower() if kind.lower() in _NO_NUMBERS else "")


class _ListRule(NamedTuple):
    weight: tuple[int, int]
    """Classes and tags in the selector: more is stronger."""
    selector: tuple[_Compound, ...]
    """Tag and classes of the element and of required ancestors, innermost first."""
    value: str


def apply_list_rules(sheets: Iterable[_Element], lists: Iterable[_Element]) -> None:
    """Set `data-list-style` on lists and their items to the list style that style sheets give them.

    Args:
        sheets: `style` elements, in order.
        lists: `ol` and `ul` elements; those whose tags have been changed are skipped.
    """
    rules = sorted(_rules(sheets), key=lambda rule: rule.weight)
    holders = _Holders(rules)
    for holder in (one for one in lists if one.tag in _LISTS) if rules else ():
        _apply(holders.values_in(holder.getparent())[holder.tag], (holder,))
        _apply(holders.values_in(holder)[_ITEM], holder.iterchildren(_ITEM))


def _apply(values: _TagValues, elements: Iterable[_Element]) -> None:
    for element in elements if values else ():
        classes = _classes(element)
        value = next((value for needed, value in values if needed <= classes), None)
        if value is not None:
            element.set(RULED, value)


class _Holders:
    """Values of the rules inside elements, cached by the classes and tags that rules can tell apart."""

    def __init__(self, rules: Sequence[_ListRule]) -> None:
        self._rules = rules
        outer = [compound for rule in rules for compound in rule.selector[1:]]
        self._tags = frozenset(tag for tag, _ in outer if tag)
        self._names = frozenset(name for _, classes in outer for name in classes)
        self._paths: dict[_Element | None, tuple[_Compound, ...]] = {None: ()}
        self._by_path: dict[tuple[_Compound, ...], _Values] = {}
        self._by_parent: dict[_Element | None, _Values] = {}

    def values_in(self, parent: _Element | None) -> _Values:
        """Values that the rules give to lists and items in an element."""
        values = self._by_parent.get(parent)
        if values is None:
            path = self._path_in(parent)
            if path not in self._by_path:
                rules = [rule for rule in reversed(self._rules) if _matches_ancestors(path, rule.selector[1:])]
                self._by_path[path] = {
                    tag: [(rule.selector[0][1], rule.value) for rule in rules if rule.selector[0][0] in ("", tag)]
                    for tag in (*_LISTS, _ITEM)
                }
            values = self._by_parent[parent] = self._by_path[path]
        return values

    def _path_in(self, parent: _Element | None) -> tuple[_Compound, ...]:
        """Compounds of an element and its ancestors that a rule may name, innermost first."""
        unseen = []
        while parent is not None and parent not in self._paths:
            unseen.append(parent)
            parent = parent.getparent()
        compounds = self._paths[parent]
        for element in reversed(unseen):
            tag, names = element.tag, element.get("class")
            classes = self._names.intersection(names.split()) if names else _NO_CLASSES
            if classes or tag in self._tags:
                compounds = ((tag, classes), *compounds)
            self._paths[element] = compounds
        return compounds


def _rules(sheets: Iterable[_Element]) -> Iterator[_ListRule]:
    """The first `_MOST_RULES` selectors, in order."""
    text = _beginning(sheets)
    remaining = _MOST_RULES
    for rule in _COMMENT.sub(" ", text).split("}")[:-1] if "list-style" in text else ():
        head, _, body = rule.rpartition("{")
        for value in STYLE.findall(body)[-1:] if "list-style" in body.lower() else ():
            for written_selector in head.rpartition("{")[2].split(",")[:remaining]:
                selector = _selector(written_selector)
                if selector:
                    remaining -= 1
                    classes, tags = (sum(map(len, (one[1] for one in selector))), sum(bool(one[0]) for one in selector))
                    yield _ListRule((classes, tags), selector, value.strip())


def _beginning(sheets: Iterable[_Element]) -> str:
    """First `_LONGEST_SHEET` characters of the sheets, without repeated ones."""
    texts: list[str] = []
    length = 0
    for sheet in sheets:
        texts.append(sheet.text or "")
        length += len(texts[-1])
        if length >= _LONGEST_SHEET:
            break
    return "\n".join(dict.fromkeys(texts))[:_LONGEST_SHEET]


def _selector(source: str) -> tuple[_Compound, ...]:
    """Parse a selector of tags and classes; empty for any other."""
    compounds: list[_Compound] = []
    for part in source.replace(">", " ").split():
        compound = _COMPOUND.fullmatch(part)
        if compound is None:
            return ()
        compounds.append(((compound[1] or "").lower(), frozenset(filter(None, compound[2].split(".")))))
    return tuple(compounds[::-1])


def _matches_ancestors(ancestors: Iterable[_Compound], selector: tuple[_Compound, ...]) -> bool:
    """True if the ancestors, innermost first, match the selector in order."""
    rest = iter(ancestors)
    return all(any(_is(tag, classes, compound) for tag, classes in rest) for compound in selector)


def _classes(element: _Element) -> frozenset[str]:
    names = element.get("class")
    return frozenset(names.split()) if names else _NO_CLASSES


def _is(tag: str, classes: frozenset[str], compound: _Compound) -> bool:
    return (not compound[0] or tag == compound[0]) and compound[1] <= classes
