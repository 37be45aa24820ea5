"""Enrichment of documents when an index is built, and the estimate of its language-model requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chunking.config import Config, Generator, Prefix
from chunking.enrichment.by_llm.enrichment_prompts import check_prompts
from chunking.enrichment.by_llm.llm_requests import Counting, LlmRequests, TextCache, TextWriter, raise_if_cancelled
from chunking.enrichment.chunk_contexts import ChunkContexts, context_requests, describe_tables, generated
from chunking.enrichment.extracts import SpanVectors
from chunking.enrichment.summaries import (
    MATERIAL,
    GeneratedText,
    Summaries,
    extracted_summaries,
    requested_summaries,
    summary_request,
)
from chunking.enrichment.summary_nodes import document_nodes
from chunking.errors import EndpointError
from chunking.model import Chunk, Document
from chunking.splitting import Levels, flagged_by_size, with_generated_text

if TYPE_CHECKING:
    from chunking.llm import Client, Endpoint

__all__ = ["Enriched", "Enricher", "RequestEstimate", "estimate"]

_IN_A_GROUP = 8
"""Assumed texts per cluster of the RAPTOR tree, low to overestimate the requests.

17 on the sample data, 8 to 11 on random vectors.
"""


@dataclass(frozen=True, slots=True)
class Enriched:
    """A document's chunks and summary nodes after enrichment."""

    levels: Levels
    """Chunks as split, with enriched prefixes and table descriptions."""
    nodes: list[Chunk]
    """Summary node of each section, then of the document; empty without summaries."""
    written: Counter[str] = field(default_factory=Counter)
    """Number of texts by kind and generator: `context by llm`, `summary by rules`."""


class Enricher:
    """Writer of contexts, summaries and descriptions, by rule or by a language model."""

    def __init__(
        self,
        config: Config,
        *,
        client: Client | None = None,
        texts: TextCache,
        vectors: SpanVectors,
        count: Callable[[str], int],
        max_tokens: int | None = None,
        asking: TextWriter | None = None,
        on_progress: Callable[[str], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        """Check the prompts and prepare the requests.

        Args:
            client: of the endpoint; needed with `generator` llm only.
            texts: cache of generated texts.
            vectors: of spans of a document (`embedding.sentence_vectors`); called for summaries by rule.
            count: tokens of a text.
            max_tokens: the embedding model's limit without special tokens.
            asking: replaces the client, for an estimate.
            on_progress: called with a sentence for each answer.
            cancelled: called between requests and documents; True raises `Cancelled`.
        Raises:
            ConfigError: a prompt of the settings has an unknown placeholder, or lacks the required one.
            EndpointError: `generator` is llm and no language model is configured.
        """
        check_prompts(config.enrich)
        self._config, self._vectors, self._count, self._max_tokens = config, vectors, count, max_tokens
        self._cancelled = cancelled or (lambda: False)
        self.clusters_by_rule: set[str] = set()
        """Cluster summaries made by rule because the language model's answer was unusable."""
        self._asking = asking
        if config.enrich.generator is Generator.LLM and asking is None:
            if client is None:
                raise EndpointError(
                    "No language model is configured for enrichment; set CHUNKSCOPE_LLM_URL and CHUNKSCOPE_LLM_MODEL."
                )
            self._asking = LlmRequests(client, texts, on_progress, cancelled)

    def enrich(self, document: Document, levels: Levels) -> Enriched:
        """Add the configured prefixes, table descriptions and summary nodes to a split document.

        Raises:
            EndpointError: the server does not answer as it should; earlier answers are cached.
            Cancelled: the user has stopped the work.
        """
        raise_if_cancelled(self._cancelled)
        config = self._config.for_category(document.category)
        summaries = Summaries(
            document, levels.chunks, config, vectors=self._vectors, count=self._count, asking=self._asking
        )
        counter: Counter[str] = Counter()
        chunks = self._with_tables(document, levels.chunks, config, counter)
        chunks = self._with_prefixes(document, chunks, config, summaries, counter)
        nodes = self._nodes(document, chunks, config, summaries, counter)
        return Enriched(replace(levels, chunks=chunks), nodes, counter)

    def cluster_summaries(
        self, embed: Callable[[Sequence[str]], NDArray[np.float32]]
    ) -> Callable[[Sequence[Sequence[str]]], list[str]]:
        """Return the function that summarises clusters for `raptor.build_tree`.

        By the model, else by the most central sentences.

        Args:
            embed: texts to unit vectors; called once per level, by rule only.
        """

        def by_rule(groups: Sequence[Sequence[str]]) -> list[str]:
            size = self._config.enrich.summary_size
            return extracted_summaries(
                groups, embed=embed, count=self._count, room=size, check=lambda: raise_if_cancelled(self._cancelled)
            )

        def summarise(groups: Sequence[Sequence[str]]) -> list[str]:
            if self._asking is None:
                return by_rule(groups)
            summaries, empty = requested_summaries(groups, asking=self._asking, config=self._config, count=self._count)
            for number, text in zip(empty, by_rule([groups[number] for number in empty]), strict=True):
                summaries[number] = text
                self.clusters_by_rule.add(text)
            return summaries

        return summarise

    def _with_tables(
        self, document: Document, chunks: list[Chunk], config: Config, counter: Counter[str]
    ) -> list[Chunk]:
        if self._asking is None or not config.enrich.describe_tables:
            return chunks
        kept = config.chunk.context_size if config.chunk.prefix.written else 0
        limit = None if self._max_tokens is None else self._max_tokens - kept
        described, by_llm, by_rule = describe_tables(document, chunks, config.enrich, self._asking, self._count, limit)
        counter.update({"table by llm": by_llm, "table by rules": by_rule})
        return [flagged_by_size(chunk, config.chunk) for chunk in described]

    def _with_prefixes(
        self, document: Document, chunks: list[Chunk], config: Config, summaries: Summaries, counter: Counter[str]
    ) -> list[Chunk]:
        """Add the generated prefix that the configuration asks for to each chunk."""
        kind, room = config.chunk.prefix, config.chunk.context_size
        if not kind.written or not chunks:
            return chunks
        if kind is Prefix.SUMMARY:
            texts = [summaries.brief(room)] * len(chunks)
            counter[f"summary by {texts[0].writer}"] += 1
        else:
            texts = self._contexts(document, chunks, room)
            counter.update(f"context by {text.writer}" for text in texts)
        return [self._written(chunk, text, config) for chunk, text in zip(chunks, texts, strict=True)]

    def _contexts(self, document: Document, chunks: list[Chunk], room: int) -> list[GeneratedText]:
        places = ChunkContexts(document)
        if self._asking is None:
            return [GeneratedText(places.by_rule(chunk)) for chunk in chunks]
        answers = self._asking.ask(
            context_requests(document, chunks, self._config.enrich, room), f"contexts of {document.source}"
        )
        return [
            GeneratedText(answer, True) if answer else GeneratedText(places.by_rule(chunk))
            for chunk, answer in zip(chunks, answers, strict=True)
        ]

    def _written(self, chunk: Chunk, written: GeneratedText, config: Config) -> Chunk:
        """Add to a chunk's prefix as much of a text as fits the room reserved by splitting."""
        longer = with_generated_text(chunk, written.text, config.chunk, self._count, self._max_tokens)
        return replace(longer, flags=generated(longer)) if written.by_llm and longer.written else longer

    def _nodes(
        self, document: Document, chunks: list[Chunk], config: Config, summaries: Summaries, counter: Counter[str]
    ) -> list[Chunk]:
        if not config.enrich.summaries or not chunks:
            return []
        sections, document_summary = summaries.sections(), summaries.document()
        counter.update(f"summary by {one.writer}" for one in (*sections.values(), document_summary))
        return document_nodes(document, chunks, sections, document_summary, self._count)


# -- the estimate, before anything is sent


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
    """Count a run's requests to the language model, sending none; 0 with generator rules.

    Those for the RAPTOR tree are a rough estimate.

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
