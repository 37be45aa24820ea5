"""Room for the sentences that are written when an index is built, and how they are put into a chunk's prefix.

Cutting keeps the room free before any of them is known, so boundaries never depend on what is written (law 5).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from chunking.config import ChunkConfig, Unit
from chunking.model import CHUNK, Chunk, Flag
from chunking.splitting.chunks.size_flags import flagged_by_size, with_flag
from chunking.splitting.measure.prefix_costs import free_tokens, free_units
from chunking.splitting.rendering.prefixes import SEPARATOR
from chunking.text.sentences import sentence_starts

__all__ = ["PrefixRoom", "room_for", "with_generated_text"]

_WORD_ENDS = re.compile(r"\s+|(?<=[\u2e80-\u9fff\uac00-\ud7a3\uff00-\uffef])")
_GONE = "…"


class PrefixRoom(NamedTuple):
    """What a text that is written into a chunk's prefix may have."""

    tokens: int
    characters: int | None
    """The blank line or line break beside it included; None: any number."""


def room_for(chunk: Chunk, config: ChunkConfig, count: Callable[[str], int]) -> PrefixRoom:
    """The room that cutting has kept free in a chunk; 0 tokens where there is none.

    Args:
        count: tokens of a text, as `TokenCounter.count`.
    """
    if chunk.level != CHUNK:
        return PrefixRoom(0, None)
    if config.unit is Unit.TOKENS:
        prefix, whole = count(chunk.prefix), count(chunk.counted_text)
    else:
        prefix, whole = len(chunk.prefix) + len(SEPARATOR) * bool(chunk.prefix), len(chunk.counted_text)
    free = free_units(config, np.array([prefix], np.int32), np.array([whole - prefix], np.int32))
    tokens = int(free_tokens(config, free)[0])
    return PrefixRoom(tokens, None if config.unit is Unit.TOKENS else int(free[0]))


def with_generated_text(
    chunk: Chunk, text: str, config: ChunkConfig, count: Callable[[str], int], max_tokens: int | None
) -> Chunk:
    """A chunk with a written text in its prefix, as much of it as there is room for: whole sentences, else words and
    `…`.

    It stands at the end of the prefix, but before the header of a table. The chunk comes back as it is where there is
    no room.

    Args:
        text: white space and line breaks are made single spaces.
        count: tokens of a text, as `TokenCounter.count`.
        max_tokens: tokens the model reads, special ones not counted; None: no limit.
    """
    room = room_for(chunk, config, count)
    if room.tokens:
        before = count(chunk.counted_text)
        for short in _ever_shorter(" ".join(text.split()), lambda part: count(part) <= room.tokens):
            written = _placed(chunk, short)
            tokens = count(written.counted_text)
            longer = len(written.prefix) - len(chunk.prefix) + len(SEPARATOR) * (not chunk.prefix)
            if tokens <= before + room.tokens and (room.characters is None or longer <= room.characters):
                written = replace(written, token_count=count(written.embedding_content))
                beyond = max_tokens is not None and tokens > max_tokens
                return flagged_by_size(with_flag(written, Flag.OVER_MODEL_LIMIT, wanted=beyond), config)
    return chunk


def _ever_shorter(text: str, fits: Callable[[str], bool]) -> Iterator[str]:
    """The text cut at ends of sentences, then of words, from the longest form that may fit on; never nothing."""
    for cut in [len(text), *reversed(sentence_starts(text).tolist())]:
        part = text[:cut].strip()
        if part and fits(part):
            yield part
    for match in reversed(list(_WORD_ENDS.finditer(text))):
        part = text[: match.start()].rstrip(" ,;:，、；：。.")
        if part and fits(part + _GONE):
            yield part + _GONE


def _placed(chunk: Chunk, text: str) -> Chunk:
    path, header = chunk.prefix, ""
    if path and not _is_path(chunk, path):
        path, _, header = path.partition(SEPARATOR) if _is_path(chunk, path.partition(SEPARATOR)[0]) else ("", "", path)
    prefix = SEPARATOR.join(part for part in ("\n".join(part for part in (path, text) if part), header) if part)
    body = chunk.embedding_content[len(chunk.prefix) :].removeprefix(SEPARATOR if chunk.prefix else "")
    return replace(
        chunk, prefix=prefix, written=text, embedding_content=SEPARATOR.join(part for part in (prefix, body) if part)
    )


def _is_path(chunk: Chunk, text: str) -> bool:
    """Whether a prefix is titles only: the end of it is the end of the deepest title."""
    return bool(chunk.title_path) and "\n" not in text and chunk.title_path[-1].split()[-1:] == text.split()[-1:]
