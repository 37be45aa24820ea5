"""Parsing of server answers, in which any part may be missing, mistyped or far too long."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from chunking.text.bounded_json import read_json

__all__ = [
    "Malformed",
    "Usage",
    "check_length",
    "complaint",
    "decoded",
    "model_names",
    "piece_of",
    "shown_so_far",
    "text_of",
    "usage_of",
    "vectors_of",
]

_CHARACTERS_A_TOKEN = 32
"""Characters per token that no tokenizer exceeds on average: a longer answer is refused."""
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
"""Reasoning that some models put before their answer."""
_THINK = "<think>"
_WORDS = 100
"""Maximum characters shown of a server's error message."""


class Malformed(ValueError):
    """An answer that violates the protocol.

    The message is the end of a sentence that begins with the server.
    """


@dataclass(frozen=True, slots=True)
class Usage:
    """Requests and tokens, as the server counts them."""

    requests: int = 0
    """Number of answered requests."""
    prompt_tokens: int = 0
    answer_tokens: int = 0
    cached_tokens: int = 0
    """Cached part of `prompt_tokens`."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.requests + other.requests,
            self.prompt_tokens + other.prompt_tokens,
            self.answer_tokens + other.answer_tokens,
            self.cached_tokens + other.cached_tokens,
        )


def decoded(body: bytes) -> dict[str, Any]:
    """Parse the JSON object of a body.

    Raises:
        Malformed: it is empty, HTML, or no JSON object.
    """
    if not body.strip():
        raise Malformed("gave an empty answer")
    if body.lstrip()[:1] == b"<":
        raise Malformed("answered with a web page instead of JSON")
    try:
        answer = read_json(body)
    except ValueError:
        raise Malformed("answered with something that is not JSON") from None
    if not isinstance(answer, dict):
        raise Malformed("answered with JSON of an unknown form")
    return answer


def text_of(answer: dict[str, Any], max_tokens: int) -> str:
    """Return the text of a chat completion without reasoning.

    Raises:
        Malformed: there is none, it is empty, or far longer than `max_tokens` allow.
    """
    choice = _first(answer.get("choices"))
    text = _joined(_object(choice.get("message")).get("content"))
    text = _THOUGHT.sub("", text).strip()
    if not text and choice.get("finish_reason") == "length":
        raise Malformed(f"used all {max_tokens} tokens before it wrote anything, as reasoning models do")
    if not text:
        raise Malformed("gave an empty answer")
    check_length(text, max_tokens)
    return text


def check_length(text: str, max_tokens: int) -> None:
    """Raise Malformed if a text has over 32 characters for each of `max_tokens`."""
    if len(text) > _CHARACTERS_A_TOKEN * max_tokens:
        raise Malformed(f"answered with {len(text):,} characters where {max_tokens} tokens were asked for")


def piece_of(event: dict[str, Any]) -> tuple[str, bool]:
    """Return the text that a stream event adds, and whether the answer was cut at its limit.

    An event with a complete answer returns all of it.

    Raises:
        Malformed: the event has an unknown form.
    """
    if event.get("choices") == []:  # some end with a count of tokens alone
        return "", False
    choice = _first(event.get("choices"))
    content = _object(choice.get("delta") or choice.get("message")).get("content")
    return _joined(content), choice.get("finish_reason") == "length"


def shown_so_far(text: str) -> str:
    """Remove reasoning from the beginning of a partial answer; empty during reasoning.

    >>> shown_so_far("<think>Hm"), shown_so_far("<think>Hm</think> It is"), shown_so_far("<th"), shown_so_far("<b>It")
    ('', 'It is', '', '<b>It')
    """
    begun = text.lstrip()
    if _THINK.startswith(begun[: len(_THINK)]) and "</think>" not in begun:
        return ""
    return _THOUGHT.sub("", text).lstrip()


def vectors_of(answer: dict[str, Any], count: int) -> list[list[float]]:
    """Return the vectors of an embeddings answer in the order of the texts, all of one length.

    Raises:
        Malformed: their number or lengths are wrong, a value is not a finite number, or a vector is all zeros.
    """
    rows = answer.get("data")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise Malformed("answered with JSON of an unknown form")
    if len(rows) != count:
        raise Malformed(f"gave {len(rows)} vectors for {count} texts")
    order = [row.get("index", place) for place, row in enumerate(rows)]
    if sorted(order, key=str) != sorted(range(count), key=str):
        raise Malformed("did not say which vector belongs to which text")
    by_place = dict(zip(order, (_vector(row.get("embedding")) for row in rows), strict=True))
    vectors = [by_place[place] for place in range(count)]
    sizes = sorted({len(vector) for vector in vectors})
    if len(sizes) > 1:
        raise Malformed(f"gave vectors of {sizes[0]} and of {sizes[-1]} numbers in one answer")
    return vectors


def usage_of(answer: dict[str, Any]) -> Usage:
    """Return the usage of one request: its tokens, each 0 if the server does not count."""
    usage = _object(answer.get("usage"))
    cached = _object(usage.get("prompt_tokens_details")).get("cached_tokens")
    return Usage(1, _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")), _count(cached))


def model_names(answer: dict[str, Any]) -> list[str]:
    """Return the ids of the models that a server lists."""
    rows = answer.get("data")
    return (
        [row["id"] for row in rows if isinstance(row, dict) and isinstance(row.get("id"), str)]
        if isinstance(rows, list)
        else []
    )


def complaint(body: bytes, scrub: Callable[[str], str]) -> tuple[str, str, str]:
    """Return (message, code, parameter) of an error's body, each empty if missing.

    Args:
        scrub: removes secrets; called before the message is shortened, which could leave half of a secret.
    """
    try:
        answer = decoded(body)
    except Malformed:
        return "", "", ""
    error = answer.get("error", answer.get("detail", answer.get("message")))
    if isinstance(error, str):
        return _few_words(scrub(error)), "", ""
    fields = _object(error)
    code, parameter = (str(fields.get(name) or "") for name in ("code", "param"))
    return _few_words(scrub(str(fields.get("message") or ""))), code, parameter


def _few_words(text: str) -> str:
    plain = " ".join("".join(c if c.isprintable() else " " for c in text[:2_000]).split()).rstrip(".")
    return plain if len(plain) <= _WORDS else f"{plain[:_WORDS].rstrip()}…"


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _first(rows: object) -> dict[str, Any]:
    if not isinstance(rows, list) or not rows or not isinstance(rows[0], dict):
        raise Malformed("answered with JSON of an unknown form")
    return rows[0]


def _joined(content: object) -> str:
    """Return the text of a message: a string, or the text parts of a list."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    if content is None:
        return ""
    if not isinstance(content, str):
        raise Malformed("answered with JSON of an unknown form")
    return content


def _vector(numbers: object) -> list[float]:
    if not isinstance(numbers, list) or not numbers:
        raise Malformed("gave a vector that is empty or no list")
    if not all(type(number) in (int, float) for number in numbers):
        raise Malformed("gave a vector that holds something other than numbers")
    try:
        vector = [float(number) for number in numbers]
    except OverflowError:
        vector = [math.inf]
    if not all(map(math.isfinite, vector)) or not any(vector):
        raise Malformed("gave a vector without a direction: all zeros, or numbers that are not finite")
    return vector


def _count(value: object) -> int:
    return value if type(value) is int and value > 0 else 0
