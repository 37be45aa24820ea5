"""Costs of sections' prefixes, fitted to half of the size, and the room for generated text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunking.config import ChunkConfig, Prefix, Unit
from chunking.model import Document
from chunking.splitting.measure.token_counter import TokenCounter
from chunking.splitting.rendering.prefixes import SEPARATOR, prefix_text, shorter_prefixes

__all__ = ["FittedPrefixes", "OnePrefix", "PrefixTable", "free_tokens", "free_units"]

Ints = NDArray[np.int32]

_CHARACTERS_A_TOKEN = 4
"""Characters reserved for each token of generated text."""
_LEAST = 8
"""Minimum tokens worth reserving: no sentence fits into less."""


class OnePrefix(NamedTuple):
    """A prefix fitted to a size: text, tokens, units, and whether it was shortened."""

    text: str
    tokens: int
    units: int
    """Units of the size that it uses; in characters, including the separator after it."""
    shortened: bool


class PrefixTable:
    """Counted full prefixes of one kind: one row per section; row -1: text outside any section.

    A document without sections has one empty row.
    """

    def __init__(self, document: Document, kind: Prefix, counter: TokenCounter) -> None:
        self._counter = counter
        rows = (*document.sections, None) if document.sections else ()
        self._texts = [prefix_text(document, section, kind) for section in rows] or [""]
        counter.count("… >")  # parts of shortened prefixes are measured before any size is known (law 6)
        self._tokens = counter.count_each([self._counted(text) for text in self._texts])
        lengths = np.array([len(text) for text in self._texts], np.int32)
        self._characters = lengths + np.int32(len(SEPARATOR)) * (lengths > 0)

    def fit(self, unit: Unit, size: int) -> FittedPrefixes:
        """Fit all prefixes to a size: those over half of it are shortened."""
        limit = size // 2
        units = (self._tokens if unit is Unit.TOKENS else self._characters).copy()
        long = np.flatnonzero(units > limit)
        texts, tokens = self._texts, self._tokens
        if len(long):
            texts, tokens = list(texts), tokens.copy()
        for row in long.tolist():
            short = self.shorten(self._texts[row], unit, limit)
            texts[row], tokens[row], units[row] = short.text, short.tokens, short.units
        shortened = np.zeros(len(units), np.bool_)
        shortened[long] = True
        return FittedPrefixes(texts, tokens, units, shortened, unit, size, self.shorten)

    def shorten(self, text: str, unit: Unit, limit: int) -> OnePrefix:
        """Return the longest form of a prefix within `limit` units; possibly empty."""
        for short in (text, *shorter_prefixes(text)):
            tokens = self._tokens_of(short)
            units = tokens if unit is Unit.TOKENS else len(short) + len(SEPARATOR) * bool(short)
            if units <= limit:
                return OnePrefix(short, tokens, units, short != text)
        return OnePrefix("", 0, 0, True)

    def _tokens_of(self, text: str) -> int:
        return self._counter.count(self._counted(text))

    def _counted(self, text: str) -> str:
        """Return the text counted for a prefix: a tokenizer that crosses white space reads the separator too."""
        return text + SEPARATOR if text and self._counter.crosses_space else text


@dataclass(frozen=True, slots=True)
class FittedPrefixes:
    """Prefixes fitted to one size; rows as in `PrefixTable`."""

    texts: list[str]
    tokens: Ints
    units: Ints
    shortened: NDArray[np.bool_]
    unit: Unit
    size: int
    shorten: Callable[[str, Unit, int], OnePrefix]

    def with_header(self, section: int, header: str, header_tokens: int) -> OnePrefix:
        """Join a section's prefix and a table's header row within half of the size.

        Titles are shortened first; a header that does not fit alone is left out.
        """
        own = OnePrefix(
            self.texts[section], int(self.tokens[section]), int(self.units[section]), bool(self.shortened[section])
        )
        units = header_tokens if self.unit is Unit.TOKENS else len(header) + len(SEPARATOR)
        rest = self.size // 2 - units
        if rest < 0:
            return own._replace(shortened=True)
        path = own if own.units <= rest else self.shorten(own.text, self.unit, rest)
        text = SEPARATOR.join(part for part in (path.text, header) if part)
        return OnePrefix(text, path.tokens + header_tokens, path.units + units, path.shortened or own.shortened)


def free_units(config: ChunkConfig, prefix: Ints, content: Ints) -> Ints:
    """Return the units of each chunk's size reserved for text generated when the index is built.

    Prefix and generated text together take at most half of the size; the generated text yields first. 0 where fewer
    than 8 tokens remain, and for prefixes without generated text.

    Args:
        prefix: (n,) units of each prefix.
        content: (n,) units of each content; over its share only if the text has no place to cut.
    """
    if not config.prefix.written:
        return np.zeros(len(prefix), np.int32)
    scale = 1 if config.unit is Unit.TOKENS else _CHARACTERS_A_TOKEN
    rest = np.minimum(config.size // 2 - prefix, config.size - prefix - content)
    free = np.minimum(rest, config.context_size * scale)
    return np.where(free < _LEAST * scale, 0, free).astype(np.int32)


def free_tokens(config: ChunkConfig, free: Ints) -> Ints:
    """Return (n,) maximum tokens of the text generated into the units of `free_units`."""
    return free if config.unit is Unit.TOKENS else np.where(free > 0, config.context_size, 0).astype(np.int32)
