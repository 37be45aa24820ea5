"""Read untrusted JSON; a value of an unexpected type becomes an empty one.

A file may hold anything in place of a number or a text. The functions below take any value and return what is meant, or
nothing; none of them raises.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chunking.errors import ParseError, TooLargeError
from chunking.parsing.detection.encoding import decode

__all__ = ["JsonFile", "as_list", "as_mapping", "as_number", "as_text", "as_texts", "as_whole", "load_json"]

_SURROGATE = re.compile("[\ud800-\udfff]")
_LONGEST_NUMBER = 300
"""Maximum digits of a number; Python refuses to read more than 4,300."""


@dataclass(frozen=True, slots=True)
class JsonFile:
    """The value in a JSON file, the file's encoding, and warnings of its decoding."""

    value: Any
    encoding: str
    warnings: tuple[str, ...] = ()


def load_json(data: bytes, source: str, encoding: str | None = None) -> JsonFile:
    """Parse a JSON file; NaN, Infinity and integers of more than 300 digits become None.

    Raises:
        ParseError: it is no text, or no JSON.
        TooLargeError: it nests too deep to be read.

    >>> load_json(b'{"a": [1, NaN]}', "a.json").value
    {'a': [1, None]}
    """
    decoded = decode(data, source, encoding)
    try:
        value = json.loads(decoded.text, parse_constant=lambda _: None, parse_int=_bounded_integer)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno:,}, column {error.colno:,}"
        raise ParseError(
            f"{source} is damaged JSON ({where}); export it again with the program that made it.", where=source
        ) from error
    except RecursionError as error:
        raise TooLargeError(f"{source} nests its values too deep, so it was not read.", where=source) from error
    return JsonFile(value, decoded.encoding, decoded.warnings)


def as_mapping(value: object) -> Mapping[str, Any]:
    """Return a value if it is a JSON object (dict), else an empty dict."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> Sequence[Any]:
    """Return a value if it is a list, else an empty sequence."""
    return value if isinstance(value, list) else ()


def as_number(value: object) -> float | None:
    """Return a finite number as float; None for any other value, also booleans and strings.

    >>> as_number(2), as_number(float("inf")), as_number(True), as_number("2")
    (2.0, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    number = float(value) if isinstance(value, float) or abs(value) < 10**_LONGEST_NUMBER else math.inf
    return number if math.isfinite(number) else None


def as_whole(value: object) -> int | None:
    """Return a number without a fraction (2, 2.0) as an integer; None for any other value."""
    number = as_number(value)
    return int(number) if number is not None and number == int(number) else None


def as_text(value: object) -> str:
    """Return a string without lone surrogates, or a finite number as text; else an empty text.

    >>> as_text("a"), as_text(4), as_text(["a"]), as_text(None)
    ('a', '4', '', '')
    """
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    return f"{value}" if as_number(value) is not None else ""


def as_texts(value: object) -> list[str]:
    """Return `as_text` of each value in a list, or of one value, without blank texts.

    >>> as_texts("a"), as_texts(["a", None, " ", 3])
    (['a'], ['a', '3'])
    """
    values = value if isinstance(value, list) else [value]
    return [text for text in map(as_text, values) if text.strip()]


def _bounded_integer(digits: str) -> int | None:
    return int(digits) if len(digits) <= _LONGEST_NUMBER else None
