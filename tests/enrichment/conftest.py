"""A counter, a cache and enrichers for the tests of this folder."""

from __future__ import annotations

import pytest

from chunking.config import Config
from chunking.embedding.model_folder import find_model
from chunking.enrichment import Enricher
from chunking.llm import Client
from chunking.splitting import TokenCounter, token_counter
from tests.enrichment.pumps import Kept, Make, vectors


@pytest.fixture(scope="session")
def counter() -> TokenCounter:
    return token_counter(find_model("all-MiniLM-L6-v2").path)


@pytest.fixture
def kept() -> Kept:
    return Kept()


@pytest.fixture
def make(counter: TokenCounter, kept: Kept) -> Make:
    """An enricher of some settings, with the cache of the test."""

    def make(config: Config, client: Client | None = None, **changes: object) -> Enricher:
        values: dict[str, object] = {"texts": kept, "vectors": vectors, "count": counter.count, "max_tokens": 254}
        return Enricher(config, client=client, **(values | changes))  # type: ignore[arg-type]

    return make
