"""Which numbers the style sheets of a page give its lists: rules of tags and classes, as editors and converters write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["RULED", "STYLE", "apply_list_rules"]

RULED = "data-list-style"
"""Attribute of a list or item: what the style sheets say of it."""
STYLE = re.compile(r"(?:^|;)\s*list-style(?:-type)?\s*:([^;]*)", re.IGNORECASE)
_ITEMS = ("ol", "ul", "li")
_MOST_RULES = 50
_LONGEST_SHEET = 500_000
_COMMENT = re.compile(r"/\*(?:[^*]++|\*(?!/))*+\*/")
_COMPOUND = re.compile(r"([a-z][a-z0-9]*)?((?:\.[\w-]+)*)", re.IGNORECASE)

_Compound = tuple[str, frozenset[str]]


class _ListRule(NamedTuple):
    weight: tuple[int, int]
    """Classes and tags of its selector: the more, the stronger."""
    selector: tuple[_Compound, ...]
    """Tag and classes of the element, and of those that it must stand in, the innermost first."""
    value: str


def apply_list_rules(sheets: Iterable[_Element], root: _Element) -> None:
    """Note on lists and items what the rules of a page's `style` elements say of their numbers."""
    rules = sorted(_rules(sheets), key=lambda rule: rule.weight)
    for element in root.iter(*_ITEMS) if rules else ():
        for rule in rules:
            if _matches(element, rule.selector):
                element.set(RULED, rule.value)


def _rules(sheets: Iterable[_Element]) -> Iterator[_ListRule]:
    """Those of the first `_MOST_RULES` selectors, in order."""
    text = "\n".join(sheet.text or "" for sheet in sheets)[:_LONGEST_SHEET]
    left = _MOST_RULES
    for rule in _COMMENT.sub(" ", text).split("}")[:-1] if "list-style" in text else ():
        head, _, body = rule.rpartition("{")
        for value in STYLE.findall(body)[-1:]:
            for written in head.rpartition("{")[2].split(",")[:left]:
                selector = _selector(written)
                if selector:
                    left -= 1
                    classes, tags = (sum(map(len, (one[1] for one in selector))), sum(bool(one[0]) for one in selector))
                    yield _ListRule((classes, tags), selector, value.strip())


def _selector(written: str) -> tuple[_Compound, ...]:
    """Of tags and classes; empty for any other."""
    found: list[_Compound] = []
    for part in written.replace(">", " ").split():
        compound = _COMPOUND.fullmatch(part)
        if compound is None:
            return ()
        found.append(((compound[1] or "").lower(), frozenset(filter(None, compound[2].split(".")))))
    return tuple(found[::-1])


def _matches(element: _Element, selector: tuple[_Compound, ...]) -> bool:
    if not _is(element, selector[0]):
        return False
    rest = list(selector[:0:-1])
    for around in element.iterancestors() if rest else ():
        if _is(around, rest[-1]):
            rest.pop()
            if not rest:
                return True
    return not rest


def _is(element: _Element, compound: _Compound) -> bool:
    tag, classes = compound
    return (not tag or element.tag == tag) and (not classes or classes <= set((element.get("class") or "").split()))
