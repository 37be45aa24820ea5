"""Fallback levels of index runs: the configured level, settings on lower ones, and triggers.

An index has one fallback level, so that its chunks compare. Texts and vectors made before a fall stay cached, and the
next run starts at the top again.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Mapping
from pathlib import Path
from time import monotonic

from chunking.config import ChunkConfig, Config, EmbeddingMode, Generator, Prefix, Strategy
from chunking.config.settings import Overrides, overrides
from chunking.enrichment.enrichment_table import ENRICHMENTS
from chunking.errors import ChunkscopeError
from chunking.store.index.build_record import FallbackLevel

__all__ = [
    "LEVEL_DESCRIPTIONS",
    "FallbackLimits",
    "LimitReached",
    "adds_text",
    "config_at",
    "fallback_sentence",
    "memory_used",
    "next_lower_level",
    "requested_level",
    "uses_endpoint",
]

LEVEL_DESCRIPTIONS: Mapping[FallbackLevel, str] = {
    FallbackLevel.FULL: "everything the settings ask for",
    FallbackLevel.CONTEXTUAL: (
        "contexts and summaries by rule, parents and larger granularities; no language model, no RAPTOR "
        "summary tree, no late chunking"
    ),
    FallbackLevel.MERGED: "chunks with their title path only",
    FallbackLevel.RAW: "the parsed elements as they are",
}
"""Contents of an index at each fallback level."""

_OTHER_LEVELS: Mapping[str, object] = {"parent_size": 0, "granularities": ()}
"""Chunk settings that create other levels, with values that create none."""
_MINUTE = 60.0
_MEGABYTE = 2**20


class LimitReached(ChunkscopeError):
    """Time or memory limit of a run exceeded; the run goes on at a lower fallback level."""


def requested_level(config: Config) -> FallbackLevel:
    """Return the fallback level that settings ask for: the lowest that changes none of them.

    >>> plain = Config.from_settings({"parent_size": 0, "granularities": "none"})
    >>> requested_level(plain), requested_level(Config.from_settings({"parent_size": "600"}))
    (<FallbackLevel.MERGED: 'merged'>, <FallbackLevel.CONTEXTUAL: 'contextual'>)
    >>> requested_level(Config.from_settings({"embedding.mode": "late"}))
    <FallbackLevel.FULL: 'full'>
    """
    same = [fallback for fallback in FallbackLevel if config_at(fallback, config) == config]
    return same[-1]


def config_at(fallback: FallbackLevel, config: Config) -> Config:
    """Return settings reduced to a fallback level; those that ask for less stay as they are."""
    if fallback.place >= FallbackLevel.CONTEXTUAL.place:
        config = _without_model(config)
    if fallback.place >= FallbackLevel.MERGED.place:
        config = _with_chunks_only(config)
    if fallback is FallbackLevel.RAW:
        config = config.model_copy(update={"chunk": _raw(config.chunk), "categories": ()})
    return config


def next_lower_level(
    fallback: FallbackLevel, config: Config, *, without_endpoint: bool = False
) -> FallbackLevel | None:
    """Return the next lower fallback level with other effective settings; None if there is none.

    Args:
        config: the requested settings.
        without_endpoint: the language model's endpoint has failed, so levels that need it are skipped.
    """
    now = config_at(fallback, config)
    lower = (one for one in FallbackLevel if one.place > fallback.place and config_at(one, config) != now)
    return next((one for one in lower if not (without_endpoint and uses_endpoint(config_at(one, config)))), None)


def uses_endpoint(config: Config) -> bool:
    """True if settings generate texts (see `adds_text`) by the language model, not by rules."""
    return config.enrich.generator is Generator.LLM and adds_text(config)


def adds_text(config: Config) -> bool:
    """True if settings generate texts: contexts, summaries, a RAPTOR tree or table descriptions."""
    own = [config.model_copy(update={"chunk": chunk}) for chunk in _chunk_settings(config)]
    return any(row.on(one) for row in ENRICHMENTS for one in own)


def fallback_sentence(error: ChunkscopeError, fallback: FallbackLevel, lower: FallbackLevel) -> str:
    """Return a sentence with the lower level that a run fell to, and the error that caused it."""
    return f"Built at the fallback level {lower} instead of {fallback} ({LEVEL_DESCRIPTIONS[lower]}): {error}"


class FallbackLimits:
    """Time and memory limits of a run at each fallback level but the lowest."""

    def __init__(self, config: Config) -> None:
        self._minutes, self._megabytes = config.enrich.time_limit, config.enrich.memory_limit
        self._allowed = float(self._megabytes)
        self._began = monotonic()

    def begin(self) -> None:
        """Restart the time limit for the run's next fallback level, and adapt the memory limit.

        It rises to the memory in use if that is more: this may not be returned to the system, and must not fail the
        level.
        """
        self._began = monotonic()
        if self._megabytes:
            self._allowed = max(self._allowed, memory_used())

    def check(self) -> None:
        """Raise LimitReached if the level has exceeded a limit; a limit of 0 is none."""
        if self._minutes and monotonic() - self._began > self._minutes * _MINUTE:
            raise LimitReached(f"The run exceeded the time limit of {self._minutes:,} min.")
        if self._megabytes and (used := memory_used()) > self._allowed:
            raise LimitReached(f"The run used {used:,.0f} MB of memory; the limit is {self._megabytes:,} MB.")


def memory_used() -> float:
    """Return the MB of memory that this process holds; its peak if the system reports only that."""
    pages = Path("/proc/self/statm")
    if pages.exists():
        return int(pages.read_text(encoding="ascii").split()[1]) * resource.getpagesize() / _MEGABYTE
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (_MEGABYTE if sys.platform == "darwin" else 1024)


# -- settings without something


def _chunk_settings(config: Config) -> tuple[ChunkConfig, ...]:
    """Chunk settings of all documents, and of each category with its own."""
    return config.chunk, *(config.for_category(category).chunk for category, _ in config.categories)


def _without_model(config: Config) -> Config:
    """Remove the language model, the summary tree and late vectors."""
    enrich = config.enrich.model_copy(update={"raptor": False})
    if adds_text(config.model_copy(update={"enrich": enrich})):
        enrich = enrich.model_copy(update={"generator": Generator.RULES, "describe_tables": False})
    embedding = config.embedding.model_copy(update={"mode": EmbeddingMode.STANDARD})
    return config.model_copy(update={"enrich": enrich, "embedding": embedding})


def _with_chunks_only(config: Config) -> Config:
    """Remove other levels and generated texts."""
    chunk = config.chunk.model_copy(update={**_OTHER_LEVELS, **_plain_prefix(config.chunk.prefix)})
    enrich = config.enrich.model_copy(update={"summaries": False})
    return config.model_copy(
        update={"chunk": chunk, "enrich": enrich, "categories": _less_by_category(config.categories)}
    )


def _plain_prefix(prefix: Prefix) -> dict[str, Prefix]:
    return {"prefix": Prefix.TITLE_PATH} if prefix.written else {}


def _less_by_category(categories: Overrides) -> Overrides:
    """Remove other levels and generated prefixes from the settings of categories."""
    kept = {
        category: {name: value for name, value in changes if name not in _OTHER_LEVELS}
        for category, changes in categories
    }
    for changes in kept.values():
        if changes.get("prefix") in [prefix for prefix in Prefix if prefix.written]:
            changes["prefix"] = Prefix.TITLE_PATH.value
    return overrides(kept)


def _raw(chunk: ChunkConfig) -> ChunkConfig:
    """Settings for parsed elements as chunks, without prefix or overlap."""
    return chunk.model_copy(update={"strategy": Strategy.ELEMENTS, "prefix": Prefix.NONE, "overlap": "0"})
