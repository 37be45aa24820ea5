"""Estimate of the language-model requests of a run, before anything is sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chunking.config import Config, Generator
from chunking.enrichment.by_llm.llm_requests import Counting, TextCache
from chunking.enrichment.enricher import Enriched, Enricher
from chunking.enrichment.extracts import SpanVectors
from chunking.enrichment.summaries import MATERIAL, summary_request
from chunking.model import Document
from chunking.splitting import Levels

if TYPE_CHECKING:
    from chunking.llm import Endpoint

__all__ = ["RequestEstimate", "estimate"]

_IN_A_GROUP = 8
"""Assumed texts per cluster of the RAPTOR tree, low to overestimate the requests.

17 on the sample data, 8 to 11 on random vectors.
"""


@dataclass(frozen=True, slots=True)
class RequestEstimate:
    """Number, tokens and cost of the requests to a language model.

    Tokens are counted with the embedding model's tokenizer: the server's may differ.
    """

    requests: int = 0
    """Requests to send."""
    cached: int = 0
    """Texts cached by earlier runs."""
    prompt_tokens: int = 0
    answer_tokens: int = 0
    """Maximum answer tokens, if the model keeps to the requested length."""
    cost: float | None = None
    """Cost in the currency of the endpoint's prices; None if a needed price is unknown."""


def estimate(
    documents: Iterable[tuple[Document, Levels]],
    config: Config,
    texts: TextCache,
    count: Callable[[str], int],
    *,
    max_tokens: int | None = None,
    endpoint: Endpoint | None = None,
    vectors: SpanVectors | None = None,
    on_enriched: Callable[[Document, Enriched], None] | None = None,
) -> RequestEstimate:
    """Count the requests of a run, with a rough estimate for the RAPTOR tree.

    Args:
        documents: the documents to index.
        max_tokens: as for `Enricher`.
        endpoint: the configured server; None: no cached answers are found, and the cost is None.
        vectors: of spans, for summaries by rule; None: constant vectors, as the text by rule does not matter.
        on_enriched: called with each document and its enrichment, with dummy texts for missing answers.
    Raises:
        ConfigError: a prompt of the settings cannot be filled.
    """
    if config.enrich.generator is not Generator.LLM:
        return RequestEstimate()
    asking = Counting(endpoint.model if endpoint else "", texts, count)
    enricher = Enricher(
        config, texts=texts, vectors=vectors or _none, count=count, max_tokens=max_tokens, asking=asking
    )
    chunks = tokens = 0
    for document, levels in documents:
        enriched = enricher.enrich(document, levels)
        if on_enriched is not None:
            on_enriched(document, enriched)
        chunks += len(levels.chunks)
        tokens += sum(chunk.token_count for chunk in levels.chunks)
    groups, prompts = _tree(chunks, tokens, config, count) if config.enrich.raptor else (0, 0)
    prompt = asking.prompt_tokens + prompts
    answer = asking.answer_tokens + groups * config.enrich.summary_size
    cost = None if endpoint is None else endpoint.cost(prompt, answer)
    return RequestEstimate(asking.requests + groups, asking.cached, prompt, answer, cost)


def _tree(chunks: int, tokens: int, config: Config, count: Callable[[str], int]) -> tuple[int, int]:
    """Estimate (requests, prompt tokens) of a RAPTOR tree over this many chunks."""
    empty = summary_request(config, "", "", "", config.enrich.summary_size)
    fixed = count(empty.system) + count(empty.user)
    groups = prompt = 0
    each = tokens / max(chunks, 1)
    for _ in range(config.enrich.raptor_levels):
        if chunks < 2:
            break
        leaves, chunks = chunks, -(-chunks // _IN_A_GROUP)
        groups += chunks
        prompt += chunks * fixed + min(round(leaves * each), chunks * MATERIAL)
        each = config.enrich.summary_size
    return groups, prompt


def _none(document: Document, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return constant vectors, which make summaries by rule cost nothing."""
    return np.ones((len(starts), 1), np.float32)
