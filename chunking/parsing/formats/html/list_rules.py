"""Which numbers the style sheets of a page give its lists: rules of tags and classes, as editors and converters write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["RULED", "STYLE", "apply_list_rules"]

RULED = "data-list-style"
"""Attribute of a list or item: what the style sheets say of it."""
STYLE = re.compile(r"(?:^|;)\s*list-style(?:-type)?\s*:([^;]*)", re.IGNORECASE)
_LISTS, _ITEM = ("ol", "ul"), "li"
_MOST_RULES = 50
_LONGEST_SHEET = 500_000
_COMMENT = re.compile(r"/\*(?:[^*]++|\*(?!/))*+\*/")
_COMPOUND = re.compile(r"([a-z][a-z0-9]*)?((?:\.[\w-]+)*)", re.IGNORECASE)

_Compound = tuple[str, frozenset[str]]
_ValuesOfTag = list[tuple[frozenset[str], str]]
"""The classes that a value asks for, and the value; the strongest rule first."""
_Values = dict[str, _ValuesOfTag]
"""By tag."""

_NO_CLASSES: frozenset[str] = frozenset()


class _ListRule(NamedTuple):
    weight: tuple[int, int]
    """Classes and tags of its selector: the more, the stronger."""
    selector: tuple[_Compound, ...]
    """Tag and classes of the element, and of those that it must stand in, the innermost first."""
    value: str


def apply_list_rules(sheets: Iterable[_Element], lists: Iterable[_Element]) -> None:
    """Note on `ol` and `ul` elements, and on the items directly in them, how style sheets number them.

    Args:
        sheets: the `style` elements of the page, in order.
        lists: of the page; those whose tags were changed are passed over.
    """
    rules = sorted(_rules(sheets), key=lambda rule: rule.weight)
    holders = _Holders(rules)
    for holder in (one for one in lists if one.tag in _LISTS) if rules else ():
        _apply(holders.values_in(holder.getparent())[holder.tag], (holder,))
        _apply(holders.values_in(holder)[_ITEM], holder.iterchildren(_ITEM))


def _apply(values: _ValuesOfTag, elements: Iterable[_Element]) -> None:
    for element in elements if values else ():
        classes = _classes(element)
        value = next((value for needed, value in values if needed <= classes), None)
        if value is not None:
            element.set(RULED, value)


class _Holders:
    """What lists and items stand in; each element is looked at once, and where nothing in a rule tells places apart, they are one."""

    def __init__(self, rules: Sequence[_ListRule]) -> None:
        self._rules = rules
        outer = [compound for rule in rules for compound in rule.selector[1:]]
        self._tags = frozenset(tag for tag, _ in outer if tag)
        self._names = frozenset(name for _, classes in outer for name in classes)
        self._around: dict[_Element | None, tuple[_Compound, ...]] = {None: ()}
        self._known: dict[tuple[_Compound, ...], _Values] = {}
        self._within: dict[_Element | None, _Values] = {}

    def values_in(self, parent: _Element | None) -> _Values:
        """What the rules say of the lists and items in an element."""
        values = self._within.get(parent)
        if values is None:
            around = self._around_in(parent)
            if around not in self._known:
                rules = [rule for rule in reversed(self._rules) if _stands_in(around, rule.selector[1:])]
                self._known[around] = {
                    tag: [(rule.selector[0][1], rule.value) for rule in rules if rule.selector[0][0] in ("", tag)]
                    for tag in (*_LISTS, _ITEM)
                }
            values = self._within[parent] = self._known[around]
        return values

    def _around_in(self, parent: _Element | None) -> tuple[_Compound, ...]:
        """What a rule may name of an element and what it stands in, the innermost first."""
        path = []
        while parent is not None and parent not in self._around:
            path.append(parent)
            parent = parent.getparent()
        around = self._around[parent]
        for element in reversed(path):
            tag, written = element.tag, element.get("class")
            classes = self._names.intersection(written.split()) if written else _NO_CLASSES
            if classes or tag in self._tags:
                around = ((tag, classes), *around)
            self._around[element] = around
        return around


def _values_of(tag: str, rules: Iterable[_ListRule]) -> _ValuesOfTag:
    return [(rule.selector[0][1], rule.value) for rule in rules if rule.selector[0][0] in ("", tag)]


def _rules(sheets: Iterable[_Element]) -> Iterator[_ListRule]:
    """Those of the first `_MOST_RULES` selectors, in order."""
    text = _beginning(sheets)
    left = _MOST_RULES
    for rule in _COMMENT.sub(" ", text).split("}")[:-1] if "list-style" in text else ():
        head, _, body = rule.rpartition("{")
        for value in STYLE.findall(body)[-1:] if "list-style" in body.lower() else ():
            for written in head.rpartition("{")[2].split(",")[:left]:
                selector = _selector(written)
                if selector:
                    left -= 1
                    classes, tags = (sum(map(len, (one[1] for one in selector))), sum(bool(one[0]) for one in selector))
                    yield _ListRule((classes, tags), selector, value.strip())


def _beginning(sheets: Iterable[_Element]) -> str:
    """The first `_LONGEST_SHEET` characters of the sheets, each once: a wiki repeats one with every box of a page."""
    texts: list[str] = []
    length = 0
    for sheet in sheets:
        texts.append(sheet.text or "")
        length += len(texts[-1])
        if length >= _LONGEST_SHEET:
            break
    return "\n".join(dict.fromkeys(texts))[:_LONGEST_SHEET]


def _selector(written: str) -> tuple[_Compound, ...]:
    """Of tags and classes; empty for any other."""
    found: list[_Compound] = []
    for part in written.replace(">", " ").split():
        compound = _COMPOUND.fullmatch(part)
        if compound is None:
            return ()
        found.append(((compound[1] or "").lower(), frozenset(filter(None, compound[2].split(".")))))
    return tuple(found[::-1])


def _stands_in(around: Iterable[_Compound], selector: tuple[_Compound, ...]) -> bool:
    """Whether elements, the innermost first, are those of a selector, others between them."""
    rest = iter(around)
    return all(any(_is(tag, classes, compound) for tag, classes in rest) for compound in selector)


def _classes(element: _Element) -> frozenset[str]:
    written = element.get("class")
    return frozenset(written.split()) if written else _NO_CLASSES


def _is(tag: str, classes: frozenset[str], compound: _Compound) -> bool:
    return (not compound[0] or tag == compound[0]) and compound[1] <= classes
