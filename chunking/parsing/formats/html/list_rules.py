"""Apply list numbering from a page's style sheets: simple tag and class rules, as editors and converters write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["RULED", "STYLE", "apply_list_rules"]

RULED = "data-list-style"
"""Attribute of a list or item: its style-sheet value."""
STYLE = re.compile(r"(?:^|;)\s*list-style(?:-type)?\s*:([^;]*)", re.IGNORECASE)
_LISTS, _ITEM = ("ol", "ul"), "li"
_MOST_RULES = 50
_LONGEST_SHEET = 500_000
_COMMENT = re.compile(r"/\*(?:[^*]++|\*(?!/))*+\*/")
_COMPOUND = re.compile(r"([a-z][a-z0-9]*)?((?:\.[\w-]+)*)", re.IGNORECASE)

_Compound = tuple[str, frozenset[str]]
_TagValues = list[tuple[frozenset[str], str]]
"""Required classes and value; the strongest rule first."""
_Values = dict[str, _TagValues]
"""By tag."""

_NO_CLASSES: frozenset[str] = frozenset()


class _ListRule(NamedTuple):
    weight: tuple[int, int]
    """Classes and tags in the selector: more is stronger."""
    selector: tuple[_Compound, ...]
    """Tag and classes of the element and of required ancestors, innermost first."""
    value: str


def apply_list_rules(sheets: Iterable[_Element], lists: Iterable[_Element]) -> None:
    """Record on lists, and on the items directly in them, how style sheets number them.

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
    """Ancestors of lists and items, as far as any rule can tell them apart; each element is visited once."""

    def __init__(self, rules: Sequence[_ListRule]) -> None:
        self._rules = rules
        outer = [compound for rule in rules for compound in rule.selector[1:]]
        self._tags = frozenset(tag for tag, _ in outer if tag)
        self._names = frozenset(name for _, classes in outer for name in classes)
        self._paths: dict[_Element | None, tuple[_Compound, ...]] = {None: ()}
        self._by_path: dict[tuple[_Compound, ...], _Values] = {}
        self._by_parent: dict[_Element | None, _Values] = {}

    def values_in(self, parent: _Element | None) -> _Values:
        """Values that the rules give lists and items in an element."""
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
    """The first `_LONGEST_SHEET` characters of the sheets, each once: a wiki repeats one with every box."""
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
    """True if the ancestors, innermost first, contain the selector in order."""
    rest = iter(ancestors)
    return all(any(_is(tag, classes, compound) for tag, classes in rest) for compound in selector)


def _classes(element: _Element) -> frozenset[str]:
    names = element.get("class")
    return frozenset(names.split()) if names else _NO_CLASSES


def _is(tag: str, classes: frozenset[str], compound: _Compound) -> bool:
    return (not compound[0] or tag == compound[0]) and compound[1] <= classes
