"""The estimate is what a run then asks."""

from __future__ import annotations

import pytest

from chunking.enrichment import RequestEstimate, estimate
from chunking.llm import Client
from chunking.splitting import TokenCounter
from tests.enrichment.pumps import Kept, Make, cut, sample, settings
from tests.support.llm_server import LLMServer


@pytest.mark.parametrize(
    "requests",
    [
        {"prefix": "context"},
        {"prefix": "summary"},
        {"prefix": "context", "enrich_summaries": "true", "enrich_describe_tables": "true"},
    ],
)
def test_as_many_requests_as_are_then_sent(
    make: Make, kept: Kept, counter: TokenCounter, llm_server: LLMServer, requests: dict[str, str]
) -> None:
    """Counted before, sent after, and none is left then."""
    document, config = sample("handbook/operations-handbook.md"), settings(enrich_writer="llm", **requests)
    levels = cut(document, config)
    endpoint = llm_server.endpoint(price_in=2.0, price_out=8.0)
    needs = estimate([(document, levels)], config, kept, counter.count, endpoint=endpoint)
    assert not llm_server.chat_requests
    assert not kept.rows
    make(config, Client(endpoint)).enrich(document, levels)
    assert needs.requests == len(llm_server.chat_requests)
    assert needs.cost == pytest.approx((needs.prompt_tokens * 2.0 + needs.answer_tokens * 8.0) / 1e6)
    sent = sum(counter.count(request.system) + counter.count(request.user) for request in llm_server.chat_requests)
    assert sent <= needs.prompt_tokens <= 1.6 * sent + 1_000
    after = estimate([(document, levels)], config, kept, counter.count, endpoint=endpoint)
    assert (after.requests, after.prompt_tokens, after.cost) == (0, 0, 0.0)
    assert after.cached == needs.requests


def test_rules_need_nothing(kept: Kept, counter: TokenCounter) -> None:
    """And are not run for it."""
    document, config = sample("faq/faq.txt"), settings(prefix="context", enrich_summaries="true")
    assert estimate([(document, cut(document, config))], config, kept, counter.count) == RequestEstimate()


def test_a_tree_is_estimated_and_has_no_price_without_prices(
    kept: Kept, counter: TokenCounter, llm_server: LLMServer
) -> None:
    """Its groups are not known before; a server without prices has no cost."""
    document, config = sample("faq/faq.txt"), settings(enrich_raptor="true", enrich_writer="llm")
    levels = cut(document, config)
    needs = estimate([(document, levels)], config, kept, counter.count, endpoint=llm_server.endpoint())
    assert len(levels.chunks) / 12 <= needs.requests <= len(levels.chunks) / 2
    assert needs.prompt_tokens > sum(chunk.token_count for chunk in levels.chunks)
    assert needs.cost is None
