"""What a run would ask of a language model, counted before anything is sent."""

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
"""Texts in a group of the RAPTOR tree: 17 on the sample data, 8 to 11 on random vectors; few are taken, to estimate
rather too much.
"""


@dataclass(frozen=True, slots=True)
class RequestEstimate:
    """What the language model would be asked. Tokens are counted with the embedding model's tokenizer: the server's may
    differ.
    """

    requests: int = 0
    """To be sent."""
    cached: int = 0
    """Texts that are there from earlier runs."""
    prompt_tokens: int = 0
    answer_tokens: int = 0
    """At most, if the model keeps to the length it is asked for."""
    cost: float | None = None
    """In the currency of the endpoint's prices; None where one that is needed is not known."""


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
    """Count the requests of a run, as it would send them; the RAPTOR tree's are not known yet.

    Args:
        documents: as they will be indexed.
        max_tokens: as `Enricher` takes it.
        endpoint: the server that would be asked; None: its model has no name, nothing it wrote is found, and it has no
            price.
        vectors: of spans, for what is by rule; None: it is not looked at what that says.
        on_enriched: gets each document with what is known to be written about it; what is not has letters in its place.
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
    """(requests, prompt tokens) of a RAPTOR tree over so many chunks, roughly."""
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
    """Vectors that choose nothing in particular: what is by rule costs nothing, whatever it says."""
    return np.ones((len(starts), 1), np.float32)
