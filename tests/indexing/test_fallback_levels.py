"""The fallback levels: what is asked for, what is left of it at each fallback level, and what makes a run fall."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chunking.config import Config, EmbeddingMode, Generator, Prefix, Strategy
from chunking.errors import EndpointError
from chunking.indexing.run.fallback_levels import (
    FallbackLimits,
    LimitReached,
    config_at,
    fallback_sentence,
    memory_used,
    next_lower_level,
    requested_level,
    uses_endpoint,
)
from chunking.store.index.build_record import FallbackLevel
from tests.support.facts import tells

EVERYTHING = {
    "prefix": "context",
    "parent_size": "600",
    "granularities": "2,4",
    "embedding.mode": "late",
    "enrich.generator": "llm",
    "enrich.summaries": "true",
    "enrich.raptor": "true",
    "enrich.describe_tables": "true",
    "category.api.prefix": "summary",
    "category.api.granularities": "3",
    "category.api.size": "100",
}
ONE_BY_ONE = st.lists(st.sampled_from(sorted(EVERYTHING)), unique=True).map(
    lambda names: Config.from_settings({name: EVERYTHING[name] for name in names})
)


@pytest.mark.parametrize(
    ("settings", "fallback"),
    [
        ({}, FallbackLevel.MERGED),
        ({"prefix": "none"}, FallbackLevel.MERGED),
        ({"strategy": "elements", "prefix": "none"}, FallbackLevel.RAW),
        ({"parent_size": "600"}, FallbackLevel.CONTEXTUAL),
        ({"granularities": "2"}, FallbackLevel.CONTEXTUAL),
        ({"prefix": "context"}, FallbackLevel.CONTEXTUAL),
        ({"enrich.summaries": "true"}, FallbackLevel.CONTEXTUAL),
        ({"category.api.prefix": "summary"}, FallbackLevel.CONTEXTUAL),
        ({"enrich.generator": "llm"}, FallbackLevel.MERGED),
        ({"enrich.generator": "llm", "prefix": "context"}, FallbackLevel.FULL),
        ({"enrich.generator": "llm", "category.api.prefix": "context"}, FallbackLevel.FULL),
        ({"enrich.generator": "llm", "enrich.describe_tables": "true"}, FallbackLevel.FULL),
        ({"enrich.describe_tables": "true"}, FallbackLevel.MERGED),
        ({"enrich.raptor": "true"}, FallbackLevel.FULL),
        ({"embedding.mode": "late"}, FallbackLevel.FULL),
    ],
)
def test_settings_need_the_lowest_level_that_serves_all(settings: Mapping[str, str], fallback: FallbackLevel) -> None:
    """The lowest fallback level that has all of them: a setting that changes nothing raises nothing."""
    assert requested_level(Config.from_settings({"granularities": "none", **settings})) is fallback


@given(config=ONE_BY_ONE)
def test_the_way_down(config: Config) -> None:
    """Every fallback level asks for no more than the one above, keeps what it has, and the way ends at the raw
    fragments.
    """
    fallback: FallbackLevel | None = requested_level(config)
    assert fallback is not None
    assert config_at(fallback, config) == config
    calls = [fallback]
    while (fallback := next_lower_level(calls[-1], config)) is not None:
        now = config_at(fallback, config)
        assert now == config_at(fallback, config_at(calls[-1], config)) != config_at(calls[-1], config)
        assert requested_level(now).place >= fallback.place
        calls.append(fallback)
    assert calls[-1] is FallbackLevel.RAW
    assert config_at(FallbackLevel.RAW, config).chunk.size == config.chunk.size


def test_each_fallback_level_drops_what_it_cannot_serve() -> None:
    """Of everything at once; a category's own size stays, what it has of higher fallback levels goes."""
    config = Config.from_settings(EVERYTHING)
    assert requested_level(config) is FallbackLevel.FULL
    contextual = config_at(FallbackLevel.CONTEXTUAL, config)
    assert (contextual.enrich.generator, contextual.enrich.raptor, contextual.enrich.summaries) == (
        Generator.RULES,
        False,
        True,
    )
    assert (contextual.embedding.mode, contextual.chunk) == (EmbeddingMode.STANDARD, config.chunk)
    merged = config_at(FallbackLevel.MERGED, config)
    assert (merged.chunk.prefix, merged.chunk.parent_size, merged.chunk.granularities) == (Prefix.TITLE_PATH, 0, ())
    api = merged.for_category("api").chunk
    assert (api.prefix, api.granularities, api.size) == (Prefix.TITLE_PATH, (), 100)
    raw = config_at(FallbackLevel.RAW, config)
    assert (raw.chunk.strategy, raw.chunk.prefix, raw.categories) == (Strategy.ELEMENTS, Prefix.NONE, ())
    assert Config.from_yaml(raw.to_yaml()) == raw
    assert Config.from_yaml(merged.to_yaml()) == merged


@given(config=ONE_BY_ONE)
def test_an_endpoint_that_fails_leads_to_a_rung_without_it(config: Config) -> None:
    """However much else is asked for."""
    assume(uses_endpoint(config))
    lower = next_lower_level(requested_level(config), config, without_endpoint=True)
    assert lower is not None
    assert not uses_endpoint(config_at(lower, config))


def test_a_rung_that_changes_nothing_is_passed_over() -> None:
    """A tree without parents falls to plain chunks at once; what it is called is what it has."""
    config = Config.from_settings({"enrich.raptor": "true", "granularities": "none"})
    assert next_lower_level(FallbackLevel.FULL, config) is FallbackLevel.CONTEXTUAL
    assert next_lower_level(FallbackLevel.CONTEXTUAL, config) is FallbackLevel.RAW


def test_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each fallback level has all of the time; without a limit there is none."""
    now = [0.0]
    monkeypatch.setattr("chunking.indexing.run.fallback_levels.monotonic", lambda: now[0])
    limits, none = FallbackLimits(Config.from_settings({"enrich.time_limit": "2"})), FallbackLimits(Config())
    now[0] = 119.0
    limits.check()
    now[0] = 121.0
    with pytest.raises(LimitReached, match="time limit of 2 min"):
        limits.check()
    limits.begin()
    limits.check()
    now[0] = 1e9
    none.check()


def test_the_memory_limit() -> None:
    """Measured of this very process; what it holds when a fallback level begins does not count again."""
    assert 10 < memory_used() < 100_000
    limits = FallbackLimits(Config.from_settings({"enrich.memory_limit": "1"}))
    with pytest.raises(LimitReached, match="limit is 1 MB"):
        limits.check()
    limits.begin()
    limits.check()
    contents = bytearray(256 * 2**20)  # far more than libraries give back to the system meanwhile
    contents[:: 2**12] = b"x" * len(contents[:: 2**12])
    with pytest.raises(LimitReached):
        limits.check()
    FallbackLimits(Config.from_settings({"enrich.memory_limit": "1000000"})).check()


def test_a_reason_is_one_sentence() -> None:
    """What failed, where the run went, and what that means."""
    message = fallback_sentence(
        EndpointError("The endpoint does not answer; start it."), FallbackLevel.FULL, FallbackLevel.CONTEXTUAL
    )
    assert tells(message, "built contextual full contexts summaries rule")
    assert message.endswith("): The endpoint does not answer; start it.")
    assert message.count(".") == 1
