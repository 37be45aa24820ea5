"""Number formats of Office Open XML (ECMA-376 part 1, 18.8.30) but for dates: sections, their conditions, digits among
literals.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

__all__ = ["NumberPattern", "Token", "general", "literals", "section_chooser", "sections_of"]

Token = tuple[str, str]
"""A group of `_TOKEN` and what it holds."""

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|_(?P<space>.)|\*(?P<fill>.)|\[(?P<bracket>[^\]]*)\]|(?P<whole>general|@)'
    r"|(?P<exponent>e[+-](?=[0#?]))|(?P<plain>.)",
    re.DOTALL | re.IGNORECASE,
)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?\d{1,15}(?:\.\d{1,15})?)")
_HOLDS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
    "<=": operator.le,
    ">=": operator.ge,
    "<>": operator.ne,
}
_DIGITS = "0#?"
_MOST_DIGITS = 25
"""More digits than the files keep."""
_LARGEST_FRACTION = 1e12
_LONGEST_DENOMINATOR = 5
_MINUS = re.compile(r"\A[^\w-]*[-−–]|(?<![^\W\d_])[-−–]\s*\Z")
"""A sign of its own before the digits, as in `-0` or `$ -0`; that of `AB-0` is a hyphen."""


def general(value: float) -> str:
    """A number without a format: 15 digits, which is what the files keep.

    >>> general(3.0), general(0.1 + 0.2), general(12345678901234.0)
    ('3', '0.3', '12345678901234')
    """
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else f"{value:.15g}"


@lru_cache(maxsize=1024)
def sections_of(code: str) -> list[list[Token]]:
    """A format's sections as tokens: of positive and negative numbers, of zero, of texts."""
    sections: list[list[Token]] = [[]]
    for match in _TOKEN.finditer(code):
        kind = match.lastgroup or "plain"
        if kind == "plain" and match["plain"] == ";":
            sections.append([])
        else:
            sections[-1].append((kind, match[kind]))
    return sections


def section_chooser(sections: Sequence[Sequence[Token]]) -> Callable[[float], int]:
    """What tells the index of the section that shows a number: the first whose condition holds; without conditions by
    its sign.
    """
    conditions = [_condition(section) for section in sections]
    last = len(sections) - 1
    if not any(conditions):
        return lambda value: 0 if value > 0 else 1 if value < 0 and last else 2 if value == 0 and last > 1 else 0
    return lambda value: _matching(value, conditions)


def _matching(value: float, conditions: Sequence[tuple[str, float] | None]) -> int:
    last = len(conditions) - 1
    for number, condition in enumerate(conditions):
        if condition is None:
            if number == last or (value < 0 if number else value > 0):
                return number
        elif _HOLDS[condition[0]](value, condition[1]):
            return number
    return last


def literals(tokens: Sequence[Token]) -> str:
    """What tokens show of themselves: quoted and escaped text, currencies, room left between."""
    return "".join(_literal(*token) for token in tokens)


class NumberPattern:
    """One section of a format that shows a number."""

    def __init__(self, section: Sequence[Token], *, negative: bool = False) -> None:
        """
        Args:
            negative: whether it is the section of negative numbers, in which brackets stand for the sign.
        """
        self._tokens = [token for token in section if token[0] != "bracket" or token[1].startswith("$")]
        self._write = self._chosen()
        self._brackets = negative and self._has_brackets()

    def write(self, value: float) -> str | None:
        """A number as the section shows it; None where it shows none, or not this one."""
        parts = self._write(Decimal(repr(abs(value))))
        if parts is None:
            return None
        before, digits, after = parts
        if self._brackets:
            before, after = before.replace("(", "", 1), after[::-1].replace(")", "", 1)[::-1]
        text = f"{before}{digits}{after}".strip()
        signed = value < 0 and not _MINUS.search(before) and re.search("[1-9]", digits)
        return f"-{text}" if signed and text else text

    def _chosen(self) -> Callable[[Decimal], tuple[str, str, str] | None]:
        places = [number for number, token in enumerate(self._tokens) if token[0] == "plain" and token[1] in _DIGITS]
        kinds = {kind for kind, _ in self._tokens}
        if "whole" in kinds:
            return self._general
        if not places:
            text = literals(self._tokens)
            return lambda _: (text, "", "") if text.strip() else None
        if "exponent" in kinds:
            return self._scientific
        slash = next((n for n in range(places[0], places[-1] + 2) if self._tokens[n : n + 1] == [("plain", "/")]), None)
        if slash is not None and (parts := _fraction_parts(self._tokens, slash)):
            return _FractionPattern(*parts).write
        return _DigitPattern(self._tokens).write

    def _has_brackets(self) -> bool:
        """Whether its first literal opens a bracket that its last one closes."""
        text = literals(self._tokens).strip()
        plain = "".join(text for kind, text in self._tokens if kind in ("plain", "quoted", "escaped"))
        return text.startswith("(") and text.endswith(")") and plain.strip().startswith("(") and text.count("(") == 1

    def _general(self, value: Decimal) -> tuple[str, str, str]:
        place = next(number for number, token in enumerate(self._tokens) if token[0] == "whole")
        return literals(self._tokens[:place]), general(float(value)), literals(self._tokens[place + 1 :])

    def _scientific(self, value: Decimal) -> tuple[str, str, str] | None:
        place = next(number for number, token in enumerate(self._tokens) if token[0] == "exponent")
        mantissa, sign = _DigitPattern(self._tokens[:place]), self._tokens[place][1][1]
        after = self._tokens[place + 1 :]
        least = sum(kind == "plain" and text in _DIGITS for kind, text in after)
        step = max(mantissa.whole, 1)
        power = (value.adjusted() if value else 0) // step * step
        if mantissa.round(value.scaleb(-power)) >= 10**step:
            power += step
        shown = mantissa.write(value.scaleb(-power))
        if shown is None:
            return None
        minus = "-" if power < 0 else "+" if sign == "+" else ""
        tail = literals([token for token in after if token[0] != "plain" or token[1] not in _DIGITS])
        return shown[0], f"{shown[1]}E{minus}{abs(power):0{least}}", shown[2] + tail


class _DigitPattern:
    """Digits laid out in their places from the right, literals between them where they stand."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        places = [n for n, token in enumerate(tokens) if token[0] == "plain" and token[1] in _DIGITS]
        first, last = (places[0], places[-1]) if places else (0, -1)
        while last + 1 < len(tokens) and tokens[last + 1] in (("plain", ","), ("plain", ".")):
            last += 1
        while first and tokens[first - 1] == ("plain", "."):
            first -= 1
        self._before, self._after = literals(tokens[:first]), literals(tokens[last + 1 :])
        inside = tokens[first : last + 1]
        point = next((n for n, token in enumerate(inside) if token == ("plain", ".")), len(inside))
        left, right = _without_commas(inside[:point]), _without_commas(inside[point + 1 :])
        self._left, self._right = left.tokens, right.tokens
        self._scale = -3 * (left.trailing + right.trailing) + 2 * sum(token == ("plain", "%") for token in tokens)
        self._grouped = left.grouped
        self.whole = _count(self._left)
        self._decimals = _count(self._right)
        self._last_place = Decimal(1).scaleb(-self._decimals)
        signs = [text for kind, text in self._right if kind == "plain" and text in _DIGITS]
        self._needed = max((n + 1 for n, text in enumerate(signs) if text == "0"), default=0)
        self._least = sum(text == "0" for _, text in self._left)
        self._has_literals = self.whole + self._decimals < len(self._left) + len(self._right)

    def round(self, value: Decimal) -> Decimal:
        """A number with as many decimals as are shown."""
        return (value.scaleb(self._scale) if self._scale else value).quantize(self._last_place, ROUND_HALF_UP)

    def write(self, value: Decimal) -> tuple[str, str, str] | None:
        """(before, digits, after); None where there are more digits than the files keep."""
        if value.adjusted() + self._scale + self._decimals > _MOST_DIGITS:
            return None
        rounded = self.round(value)
        whole, _, part = f"{rounded:f}".partition(".")
        if not self._has_literals and len(whole) >= self._least and self._left:
            part = part[: self._needed] + part[self._needed :].rstrip("0")
            if self._grouped:
                whole = f"{int(whole):,}"
            elif whole == "0" and part and not self._least:
                whole = ""
            return self._before, f"{whole}.{part}" if part else whole, self._after
        whole = whole.lstrip("0")
        part = part[: self._needed] + part[self._needed :].rstrip("0")
        if not whole and not part and not any(token == ("plain", "0") for token in self._left):
            whole = "0"
        digits = "".join(self._whole_digits(whole))
        return self._before, digits + ("." if part else "") + "".join(self._decimal_digits(part)), self._after

    def _whole_digits(self, whole: str) -> Iterator[str]:
        left = self.whole
        if not left:
            yield whole
        for kind, text in self._left:
            if kind != "plain" or text not in _DIGITS:
                yield _literal(kind, text)
                continue
            taken = whole[: len(whole) - left + 1] if left == self.whole else whole[-left : len(whole) - left + 1]
            if len(whole) < left:
                taken = "0" if text == "0" else ""
            yield "".join(self._separated(taken, left))
            left -= 1

    def _separated(self, digits: str, left: int) -> Iterator[str]:
        """Digits, the last of which has `left` - 1 to its right, with commas where the format groups them."""
        for number, digit in enumerate(digits):
            to_the_right = left - 1 + len(digits) - 1 - number
            yield f"{digit}," if self._grouped and to_the_right and to_the_right % 3 == 0 else digit

    def _decimal_digits(self, part: str) -> Iterator[str]:
        digits = iter(part)
        for kind, text in self._right:
            yield next(digits, "") if kind == "plain" and text in _DIGITS else _literal(kind, text)


class _FractionPattern:
    """A whole number and a fraction, or a fraction alone."""

    def __init__(self, before: Sequence[Token], denominator: str, after: Sequence[Token]) -> None:
        self._has_whole = _count(before) > 0
        self._whole = _DigitPattern(before)
        self._shows_zero = ("plain", "0") in before
        self._literals = literals([token for token in before if token[0] != "plain" or token[1] not in _DIGITS + ","])
        self._fixed = int(denominator) if denominator.isdecimal() and denominator.strip("0") else 0
        self._most = int(10 ** min(len(denominator), _LONGEST_DENOMINATOR)) - 1
        self._after = literals(after)

    def write(self, value: Decimal) -> tuple[str, str, str] | None:
        """(before, digits, after)."""
        if value >= _LARGEST_FRACTION:
            return None
        number = Fraction(value)
        whole = int(number) if self._has_whole else 0
        rest = number - whole
        near = Fraction(round(rest * self._fixed), self._fixed) if self._fixed else rest.limit_denominator(self._most)
        if self._has_whole and near >= 1:
            whole, near = whole + 1, near - 1
        top, bottom = (int(near * self._fixed), self._fixed) if self._fixed else (near.numerator, near.denominator)
        if not self._has_whole:
            return self._literals, f"{top}/{bottom}", self._after
        shown = self._whole.write(Decimal(whole))
        if shown is None or (not top and not whole):
            return self._literals.strip(), "0", self._after
        if not top:
            return shown[0], shown[1], self._after
        if not whole and not self._shows_zero:
            return shown[0], f"{top}/{bottom}", self._after
        return shown[0], f"{shown[1]}{shown[2].rstrip()} {top}/{bottom}", self._after


def _fraction_parts(tokens: Sequence[Token], slash: int) -> tuple[list[Token], str, list[Token]] | None:
    """(what stands before the numerator, denominator, what stands after it) of a fraction; None where the slash is a
    sign.
    """
    first, end = slash, slash + 1
    while first and tokens[first - 1][0] == "plain" and tokens[first - 1][1] in _DIGITS:
        first -= 1
    while end < len(tokens) and tokens[end][0] == "plain" and (tokens[end][1] in _DIGITS or tokens[end][1].isdecimal()):
        end += 1
    denominator = "".join(text for _, text in tokens[slash + 1 : end])
    if first == slash or not denominator or len(denominator) > 9:
        return None
    return list(tokens[:first]), denominator, list(tokens[end:])


class _CommaParts(NamedTuple):
    """Tokens of a number's half without its commas, and what those said."""

    tokens: list[Token]
    trailing: int
    """Commas at the end, each of which divides by a thousand."""
    grouped: bool


def _without_commas(tokens: Sequence[Token]) -> _CommaParts:
    comma = ("plain", ",")
    end = len(tokens)
    while end and tokens[end - 1] == comma:
        end -= 1
    kept = [token for token in tokens[:end] if token != comma]
    return _CommaParts(kept, len(tokens) - end, len(kept) < end)


def _count(tokens: Sequence[Token]) -> int:
    return sum(kind == "plain" and text in _DIGITS for kind, text in tokens)


def _literal(kind: str, text: str) -> str:
    if kind in ("plain", "quoted", "escaped"):
        return text
    if kind == "bracket":
        return text[1:].split("-")[0] if text.startswith("$") else ""
    return " " if kind == "space" else ""


def _condition(section: Sequence[Token]) -> tuple[str, float] | None:
    for kind, text in section:
        if kind == "bracket" and (found := _CONDITION.fullmatch(text)):
            return found[1], float(found[2])
    return None
