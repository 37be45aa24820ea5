"""The baseline: how most people split and search, measured beside every other configuration."""

from __future__ import annotations

from collections.abc import Mapping

from chunking.config.choices import EmbeddingMode
from chunking.config.chunk_settings import BASELINE_SPLITTING, PLAIN_SPLITTING
from chunking.config.config import Config, settings

__all__ = ["BASELINE", "baseline_changes", "baseline_of", "is_baseline"]

BASELINE: Mapping[str, str] = {
    **{key: str(value) for key, value in PLAIN_SPLITTING.items()},
    **BASELINE_SPLITTING,
    "search.mode": "vector",
    "search.retrieval": "chunk",
}
"""Settings of the usual way to split and search: recursive 512/50, no prefix, vector search by chunk."""


def baseline_of(base: Config) -> Config:
    """Return the baseline with a configuration's embedding model and number of results.

    >>> baseline_of(Config()) == Config.from_settings(BASELINE)
    True
    """
    embedding = base.embedding.model_copy(update={"mode": EmbeddingMode.STANDARD})
    usual = Config.from_settings(BASELINE, Config(embedding=embedding))
    return usual.model_copy(update={"search": usual.search.model_copy(update={"k": base.search.k})})


def is_baseline(config: Config) -> bool:
    """True if a configuration is the baseline of its own embedding model, with any number of results.

    >>> is_baseline(Config.from_settings({**BASELINE, "search.k": "3"})), is_baseline(Config())
    (True, False)
    """
    plain = config.chunk.strategy.value == BASELINE["strategy"] and str(config.chunk.size) == BASELINE["size"]
    return plain and config == baseline_of(config)


def baseline_changes(base: Config) -> dict[str, str]:
    """Return the settings in which the baseline differs from a configuration.

    >>> baseline_changes(Config())["size"], baseline_changes(baseline_of(Config()))
    ('512', {})
    """
    usual = baseline_of(base)
    return {one.key: one.text(usual) for one in settings() if one.value(usual) != one.value(base)}
