"""Numberings of headings in made-up PDFs: a row each, from the counters of the levels above to a label."""

from __future__ import annotations

from collections.abc import Callable, Sequence

__all__ = ["LABELS"]

_ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
_ZH = "一二三四五六七八九十"


def _zh(number: int) -> str:
    """One to nineteen, as Chinese writes them."""
    return _ZH[number - 1] if number <= 10 else "十" + _ZH[number - 11]


def _decimal(counts: Sequence[int]) -> str:
    return ".".join(map(str, counts))


def _by_level(*rows: Callable[[Sequence[int]], str]) -> Callable[[Sequence[int]], str]:
    return lambda counts: rows[min(len(counts), len(rows)) - 1](counts)


LABELS: dict[str, Callable[[Sequence[int]], str]] = {
    "none": lambda counts: "",
    "decimal": lambda counts: _decimal(counts) + " ",
    "dotted": lambda counts: _decimal(counts) + ". ",
    "top": _by_level(lambda counts: f"{counts[0]}. ", lambda counts: ""),
    "chapter": _by_level(lambda counts: f"Chapter {counts[0]}: ", lambda counts: _decimal(counts) + " "),
    "chapter line": _by_level(lambda counts: f"Chapter {counts[0]}\n", lambda counts: _decimal(counts) + " "),
    "part": _by_level(
        lambda counts: f"PART {_ROMAN[counts[0] - 1]} - ",
        lambda counts: f"{counts[1]}. ",
        lambda counts: _decimal(counts[1:]) + " ",
    ),
    "roman": _by_level(
        lambda counts: f"{_ROMAN[counts[0] - 1]}. ",
        lambda counts: f"{chr(64 + counts[1])}. ",
        lambda counts: f"{counts[2]}) ",
    ),
    "article": _by_level(lambda counts: f"Article {counts[0]}. ", lambda counts: f"§ {_decimal(counts)} "),
    "zh chapter": _by_level(
        lambda counts: f"第{_zh(counts[0])}章 ",
        lambda counts: f"第{_zh(counts[1])}节 ",
        lambda counts: f"{_zh(counts[2])}、",
    ),
    "zh list": _by_level(
        lambda counts: f"{_zh(counts[0])}、", lambda counts: f"（{_zh(counts[1])}）", lambda counts: f"{counts[2]}. "
    ),
    "zh decimal": _by_level(lambda counts: f"第{counts[0]}章 ", lambda counts: _decimal(counts) + " "),
}
"""From the counters of a heading and of those above it, to what stands before its title."""
