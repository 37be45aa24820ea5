"""Write Word formulas (OMML) in one line, like typed into Word: `(a+b)/2`, `x^2`, `√(x)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["formula_text"]

_DEEPEST = 100
"""Deepest nesting; deeper parts are written as plain characters."""


def formula_text(formula: _Element, depth: int = 0) -> str:
    """Write a formula, or a part of one, in one line: `(a+b)/2`; accents and bars are lost.

    Args:
        depth: nesting level of the part; the whole formula has 0.
    """
    if depth > _DEEPEST:
        return "".join(part.text or "" for part in formula.iter() if _name(part) == "t")
    return "".join(_part(child, depth + 1) for child in formula)


def _part(element: _Element, depth: int) -> str:
    name = _name(element)
    if name == "t":
        return element.text or ""
    form = _FORMS.get(name)
    if form is None:
        return "" if name.endswith("Pr") else formula_text(element, depth)
    return form({_name(child): child for child in element}, element, depth)


_Parts = dict[str, "_Element"]


def _of(parts: _Parts, name: str, depth: int) -> str:
    return formula_text(parts[name], depth) if name in parts else ""


def _grouped(text: str) -> str:
    return text if len(text) < 2 or text.isalnum() else f"({text})"


def _fraction(parts: _Parts, _: _Element, depth: int) -> str:
    return f"{_grouped(_of(parts, 'num', depth))}/{_grouped(_of(parts, 'den', depth))}"


def _scripts(parts: _Parts, _: _Element, depth: int) -> str:
    low, high = _of(parts, "sub", depth), _of(parts, "sup", depth)
    return _of(parts, "e", depth) + (f"_{_grouped(low)}" if low else "") + (f"^{_grouped(high)}" if high else "")


def _before(parts: _Parts, _: _Element, depth: int) -> str:
    low, high = _of(parts, "sub", depth), _of(parts, "sup", depth)
    return (f"_{_grouped(low)}" if low else "") + (f"^{_grouped(high)}" if high else "") + _of(parts, "e", depth)


def _root(parts: _Parts, _: _Element, depth: int) -> str:
    degree = _of(parts, "deg", depth)
    return f"√({degree}&{_of(parts, 'e', depth)})" if degree else f"√{_grouped(_of(parts, 'e', depth))}"


def _sum(parts: _Parts, _: _Element, depth: int) -> str:
    sign = _property(parts, "naryPr", "chr", "∫")
    low, high = _of(parts, "sub", depth), _of(parts, "sup", depth)
    limits = (f"_{_grouped(low)}" if low else "") + (f"^{_grouped(high)}" if high else "")
    return f"{sign}{limits} {_of(parts, 'e', depth)}"


def _brackets(parts: _Parts, element: _Element, depth: int) -> str:
    first, last = _property(parts, "dPr", "begChr", "("), _property(parts, "dPr", "endChr", ")")
    inner = _property(parts, "dPr", "sepChr", "|").join(
        formula_text(child, depth) for child in element if _name(child) == "e"
    )
    return f"{first}{inner}{last}"


def _function(parts: _Parts, _: _Element, depth: int) -> str:
    return f"{_of(parts, 'fName', depth)} {_of(parts, 'e', depth)}"


def _limit(parts: _Parts, element: _Element, depth: int) -> str:
    return f"{_of(parts, 'e', depth)}{'_' if _name(element) == 'limLow' else '^'}{_grouped(_of(parts, 'lim', depth))}"


def _rows(_: _Parts, element: _Element, depth: int) -> str:
    rows = [row for row in element if _name(row) in ("mr", "e")]
    cells = (
        [formula_text(cell, depth) for cell in row] if _name(row) == "mr" else [formula_text(row, depth)]
        for row in rows
    )
    return "; ".join(" ".join(row) for row in cells)


_FORMS: dict[str, Callable[[_Parts, _Element, int], str]] = {
    "f": _fraction,
    "sSup": _scripts,
    "sSub": _scripts,
    "sSubSup": _scripts,
    "sPre": _before,
    "rad": _root,
    "nary": _sum,
    "d": _brackets,
    "func": _function,
    "limLow": _limit,
    "limUpp": _limit,
    "m": _rows,
    "eqArr": _rows,
}
"""Writers of structures that are more than a sequence of parts (ECMA-376, part 1, 22.1.2)."""


def _property(parts: _Parts, name: str, key: str, otherwise: str) -> str:
    element = parts[name].find(f"{{*}}{key}") if name in parts else None
    if element is None:
        return otherwise
    value: str = element.get(element.tag[: element.tag.index("}") + 1] + "val", "")
    return value


def _name(element: _Element) -> str:
    tag: str = element.tag
    return tag[tag.rfind("}") + 1 :]
