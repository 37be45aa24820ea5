"""Number formats other than dates (ECMA-376 part 1, 18.8.30): sections, conditions, digits."""

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
"""Group name of `_TOKEN` and its text."""

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
"""Most digits written: more than files keep."""
_LARGEST_FRACTION = 1e12
_LONGEST_DENOMINATOR = 5
_MINUS = re.compile(r"\A[^\w-]*[-−–]|(?<![^\W\d_])[-−–]\s*\Z")
"""Minus sign before the digits, as in `-0` or `$ -0`; the one in `AB-0` is a hyphen."""


def general(value: float) -> str:
    """Write a number without a format, with up to 15 digits, as many as files keep.

    >>> general(3.0), general(0.1 + 0.2), general(12345678901234.0)
    ('3', '0.3', '12345678901234')
    """
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else f"{value:.15g}"


@lru_cache(maxsize=1024)
def sections_of(code: str) -> list[list[Token]]:
    """Split a format at `;` into sections of tokens: for positive, negative, zero, and texts.

    Cached: do not change the lists.
    """
    sections: list[list[Token]] = [[]]
    for match in _TOKEN.finditer(code):
        kind = match.lastgroup or "plain"
        if kind == "plain" and match["plain"] == ";":
            sections.append([])
        else:
            sections[-1].append((kind, match[kind]))
    return sections


def section_chooser(sections: Sequence[Sequence[Token]]) -> Callable[[float], int]:
    """Return a function from a number to its section's index, by conditions, else by sign."""
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
    """Literal text among tokens: quoted and escaped text, currencies, spacing."""
    return "".join(_literal(*token) for token in tokens)


class NumberPattern:
    """Section of a number format, compiled; `write` writes a number in it."""

    def __init__(self, section: Sequence[Token], *, negative: bool = False) -> None:
        """
        Args:
            negative: it is the section of negative numbers, where brackets stand for the sign.
        """
        self._tokens = [token for token in section if token[0] != "bracket" or token[1].startswith("$")]
        self._write = self._chosen()
        self._brackets = negative and self._has_brackets()

    def write(self, value: float) -> str | None:
        """Write a number with its sign; None if the section is empty or the number too large."""
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
        """True if its first literal opens a bracket that its last one closes."""
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
        step = max(mantissa.integer_places, 1)
        power = (value.adjusted() if value else 0) // step * step
        if mantissa.round(value.scaleb(-power)) >= 10**step:
            power += step
        mantissa_parts = mantissa.write(value.scaleb(-power))
        if mantissa_parts is None:
            return None
        minus = "-" if power < 0 else "+" if sign == "+" else ""
        tail = literals([token for token in after if token[0] != "plain" or token[1] not in _DIGITS])
        return mantissa_parts[0], f"{mantissa_parts[1]}E{minus}{abs(power):0{least}}", mantissa_parts[2] + tail


class _DigitPattern:
    """Pattern of digits placed from the right, with literals in between."""

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
        self._integer_tokens, self._decimal_tokens = left.tokens, right.tokens
        self._scale = -3 * (left.trailing + right.trailing) + 2 * sum(token == ("plain", "%") for token in tokens)
        self._grouped = left.grouped
        self.integer_places = _count(self._integer_tokens)
        self._decimals = _count(self._decimal_tokens)
        self._last_place = Decimal(1).scaleb(-self._decimals)
        signs = [text for kind, text in self._decimal_tokens if kind == "plain" and text in _DIGITS]
        self._needed = max((n + 1 for n, text in enumerate(signs) if text == "0"), default=0)
        self._least = sum(text == "0" for _, text in self._integer_tokens)
        self._has_literals = self.integer_places + self._decimals < len(self._integer_tokens) + len(
            self._decimal_tokens
        )

    def round(self, value: Decimal) -> Decimal:
        """Round a number to the displayed decimals."""
        return (value.scaleb(self._scale) if self._scale else value).quantize(self._last_place, ROUND_HALF_UP)

    def write(self, value: Decimal) -> tuple[str, str, str] | None:
        """(before, digits, after); None for more digits than the files keep."""
        if value.adjusted() + self._scale + self._decimals > _MOST_DIGITS:
            return None
        rounded = self.round(value)
        integer, _, part = f"{rounded:f}".partition(".")
        if not self._has_literals and len(integer) >= self._least and self._integer_tokens:
            part = part[: self._needed] + part[self._needed :].rstrip("0")
            if self._grouped:
                integer = f"{int(integer):,}"
            elif integer == "0" and part and not self._least:
                integer = ""
            return self._before, f"{integer}.{part}" if part else integer, self._after
        integer = integer.lstrip("0")
        part = part[: self._needed] + part[self._needed :].rstrip("0")
        if not integer and not part and not any(token == ("plain", "0") for token in self._integer_tokens):
            integer = "0"
        digits = "".join(self._integer_digits(integer))
        return self._before, digits + ("." if part else "") + "".join(self._decimal_digits(part)), self._after

    def _integer_digits(self, integer: str) -> Iterator[str]:
        left = self.integer_places
        if not left:
            yield integer
        for kind, text in self._integer_tokens:
            if kind != "plain" or text not in _DIGITS:
                yield _literal(kind, text)
                continue
            placed = (
                integer[: len(integer) - left + 1]
                if left == self.integer_places
                else integer[-left : len(integer) - left + 1]
            )
            if len(integer) < left:
                placed = "0" if text == "0" else ""
            yield "".join(self._separated(placed, left))
            left -= 1

    def _separated(self, digits: str, left: int) -> Iterator[str]:
        """Yield digits with thousands separators; the last has `left` - 1 digits to its right."""
        for number, digit in enumerate(digits):
            to_the_right = left - 1 + len(digits) - 1 - number
            yield f"{digit}," if self._grouped and to_the_right and to_the_right % 3 == 0 else digit

    def _decimal_digits(self, part: str) -> Iterator[str]:
        digits = iter(part)
        for kind, text in self._decimal_tokens:
            yield next(digits, "") if kind == "plain" and text in _DIGITS else _literal(kind, text)


class _FractionPattern:
    """Pattern of a mixed number or a fraction."""

    def __init__(self, before: Sequence[Token], denominator: str, after: Sequence[Token]) -> None:
        self._has_integer = _count(before) > 0
        self._integer = _DigitPattern(before)
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
        integer = int(number) if self._has_integer else 0
        rest = number - integer
        nearest = (
            Fraction(round(rest * self._fixed), self._fixed) if self._fixed else rest.limit_denominator(self._most)
        )
        if self._has_integer and nearest >= 1:
            integer, nearest = integer + 1, nearest - 1
        top, bottom = (
            (int(nearest * self._fixed), self._fixed) if self._fixed else (nearest.numerator, nearest.denominator)
        )
        if not self._has_integer:
            return self._literals, f"{top}/{bottom}", self._after
        integer_parts = self._integer.write(Decimal(integer))
        if integer_parts is None or (not top and not integer):
            return self._literals.strip(), "0", self._after
        if not top:
            return integer_parts[0], integer_parts[1], self._after
        if not integer and not self._shows_zero:
            return integer_parts[0], f"{top}/{bottom}", self._after
        return integer_parts[0], f"{integer_parts[1]}{integer_parts[2].rstrip()} {top}/{bottom}", self._after


def _fraction_parts(tokens: Sequence[Token], slash: int) -> tuple[list[Token], str, list[Token]] | None:
    """(before the numerator, denominator, after it) of a fraction; None if the slash is a literal."""
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
    """Tokens of half a number without its commas, and the effect of the commas."""

    tokens: list[Token]
    trailing: int
    """Number of commas at the end, each dividing by a thousand."""
    grouped: bool


def _without_commas(tokens: Sequence[Token]) -> _CommaParts:
    comma = ("plain", ",")
    end = len(tokens)
    while end and tokens[end - 1] == comma:
        end -= 1
    rest = [token for token in tokens[:end] if token != comma]
    return _CommaParts(rest, len(tokens) - end, len(rest) < end)


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
        if kind == "bracket" and (match := _CONDITION.fullmatch(text)):
            return match[1], float(match[2])
    return None
