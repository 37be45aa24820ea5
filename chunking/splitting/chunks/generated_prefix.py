"""Text generated when an index is built, put into the room reserved in a chunk's prefix.

The room is reserved before any text exists, so boundaries never depend on it (law 5).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from chunking.config import ChunkConfig, Unit
from chunking.model import CHUNK, Chunk, Flag
from chunking.splitting.measure.prefix_costs import free_tokens, free_units
from chunking.splitting.rendering.prefixes import SEPARATOR
from chunking.text.sentences import sentence_starts

__all__ = ["PrefixRoom", "flagged_by_size", "room_for", "with_flag", "with_generated_text"]

_WORD_ENDS = re.compile(r"\s+|(?<=[\u2e80-\u9fff\uac00-\ud7a3\uff00-\uffef])")
_ELLIPSIS = "…"


class PrefixRoom(NamedTuple):
    """Maximum tokens and characters of a text generated into a chunk's prefix."""

    tokens: int
    characters: int | None
    """Maximum characters, including the line break next to the text; None: no limit."""


def room_for(chunk: Chunk, config: ChunkConfig, count: Callable[[str], int]) -> PrefixRoom:
    """Return the room reserved for generated text in a chunk's prefix; 0 tokens if none.

    Rows of other levels (parents, larger sizes) never have any.

    Args:
        count: tokens of a text, as `TokenCounter.count`.
    """
    if chunk.level != CHUNK:
        return PrefixRoom(0, None)
    if config.unit is Unit.TOKENS:
        prefix, total = count(chunk.prefix), count(chunk.counted_text)
    else:
        prefix, total = len(chunk.prefix) + len(SEPARATOR) * bool(chunk.prefix), len(chunk.counted_text)
    free = free_units(config, np.array([prefix], np.int32), np.array([total - prefix], np.int32))
    tokens = int(free_tokens(config, free)[0])
    return PrefixRoom(tokens, None if config.unit is Unit.TOKENS else int(free[0]))


def with_generated_text(
    chunk: Chunk, text: str, config: ChunkConfig, count: Callable[[str], int], max_tokens: int | None
) -> Chunk:
    """Put as much generated text as fits into a chunk's prefix: whole sentences, else words and `…`.

    It goes to the end of the prefix, but before the header of a table. Without room the chunk is unchanged.

    Args:
        text: runs of white space become single spaces.
        count: tokens of a text, as `TokenCounter.count`.
        max_tokens: the model's limit without special tokens; None: no limit.
    """
    room = room_for(chunk, config, count)
    if room.tokens:
        before = count(chunk.counted_text)
        for part in _shorter_texts(" ".join(text.split()), lambda part: count(part) <= room.tokens):
            result = _with_text(chunk, part)
            tokens = count(result.counted_text)
            longer = len(result.prefix) - len(chunk.prefix) + len(SEPARATOR) * (not chunk.prefix)
            if tokens <= before + room.tokens and (room.characters is None or longer <= room.characters):
                result = replace(result, token_count=count(result.embedding_content))
                beyond = max_tokens is not None and tokens > max_tokens
                return flagged_by_size(with_flag(result, Flag.OVER_MODEL_LIMIT, present=beyond), config)
    return chunk


def _shorter_texts(text: str, fits: Callable[[str], bool]) -> Iterator[str]:
    """Yield ever shorter beginnings of a text, cut at ends of sentences, then of words."""
    for cut in [len(text), *reversed(sentence_starts(text).tolist())]:
        part = text[:cut].strip()
        if part and fits(part):
            yield part
    for match in reversed(list(_WORD_ENDS.finditer(text))):
        part = text[: match.start()].rstrip(" ,;:，、；：。.")
        if part and fits(part + _ELLIPSIS):
            yield part + _ELLIPSIS


def _with_text(chunk: Chunk, text: str) -> Chunk:
    path, header = chunk.prefix, ""
    if path and not _is_path(chunk, path):
        path, _, header = path.partition(SEPARATOR) if _is_path(chunk, path.partition(SEPARATOR)[0]) else ("", "", path)
    prefix = SEPARATOR.join(part for part in ("\n".join(part for part in (path, text) if part), header) if part)
    body = chunk.embedding_content[len(chunk.prefix) :].removeprefix(SEPARATOR if chunk.prefix else "")
    return replace(
        chunk, prefix=prefix, written=text, embedding_content=SEPARATOR.join(part for part in (prefix, body) if part)
    )


def _is_path(chunk: Chunk, text: str) -> bool:
    """True if a prefix is titles only: it ends as the deepest title does."""
    return bool(chunk.title_path) and "\n" not in text and chunk.title_path[-1].split()[-1:] == text.split()[-1:]


def flagged_by_size(chunk: Chunk, config: ChunkConfig) -> Chunk:
    """Return a chunk, flagged if a table description or placeholder makes it longer than the size.

    The flag is `DESCRIPTION_OVER_SIZE`; it is cleared if that does not hold, or if the chunk is over the size anyway
    (`OVER_SIZE`).

    Args:
        chunk: counted.
        config: with the size of the chunk's level.
    """
    units = chunk.token_count if config.unit is Unit.TOKENS else len(chunk.embedding_content)
    has_more = bool(chunk.description) or "related_chunk_ids" in chunk.metadata
    return with_flag(
        chunk,
        Flag.DESCRIPTION_OVER_SIZE,
        present=has_more and units > config.size and Flag.OVER_SIZE not in chunk.flags,
    )


def with_flag(chunk: Chunk, flag: Flag, *, present: bool = True) -> Chunk:
    """Return a copy of a chunk with one flag set or cleared; flags are in the order of `Flag`."""
    flags = {*chunk.flags} - {flag} | ({flag} if present else set())
    return replace(chunk, flags=tuple(one for one in Flag if one in flags))
