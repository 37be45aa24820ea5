"""What live numbers do not follow of a configuration: said, never passed over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from chunking.config import Config, EmbeddingConfig, EmbeddingMode, FullTextTokenizer, SearchMode, remote_name
from chunking.enrichment.enrichment_table import ENRICHMENTS
from chunking.retrieval.modes.retrieval_modes import MODES
from chunking.retrieval.query.query_parts import QueryParts
from chunking.retrieval.ranking.readability import Weighing

__all__ = ["gaps_of", "notes_of"]

_POOLED = "The index embeds each chunk by itself; live vectors are pooled from one encoding of the document."
_GAPS: tuple[tuple[Callable[[Config], bool], str], ...] = (
    (lambda config: bool(config.search.rerank), "Reranking is not simulated: live results come from before it."),
    *((row.on, row.live_gap) for row in ENRICHMENTS if row.live_gap),
    (
        lambda config: config.index.tokenizer is FullTextTokenizer.NGRAM,
        "The index uses the n-gram tokenizer; live scores use whole words (icu).",
    ),
)
"""When, and what to say."""
_DECIDES = ("late_window", "query_prefix", "passage_prefix")
"""Settings of the model, besides its name, that decide the vectors."""


def gaps_of(config: Config) -> tuple[str, ...]:
    """Parts of a configuration that live numbers leave out, a sentence each; with any of them they are those of another
    configuration.

    >>> gaps_of(Config()), len(gaps_of(Config.from_settings({"search.rerank": "title", "search.retrieval": "merge"})))
    ((), 2)
    """
    return tuple(_gaps(config, config.embedding))


def _gaps(config: Config, embedding: EmbeddingConfig) -> Iterator[str]:
    if remote_name(embedding.model) is not None and config.search.mode is not SearchMode.TEXT:
        yield f"{embedding.model} cannot be pooled: live scores come from full-text search only."
    if gap := MODES[config.search.retrieval].live_gap:
        yield gap
    yield from (sentence for applies, sentence in _GAPS if applies(config))


def notes_of(
    config: Config, embedding: EmbeddingConfig, queries: Sequence[QueryParts], weights: Sequence[Weighing]
) -> tuple[str, ...]:
    """Sentences for the user.

    Args:
        embedding: the model that the documents were encoded with.
        weights: of each question's legs.
    """
    return tuple(_notes(config, embedding, queries, weights))


def _notes(
    config: Config, embedding: EmbeddingConfig, queries: Sequence[QueryParts], weights: Sequence[Weighing]
) -> Iterator[str]:
    if config.embedding.model != embedding.model:
        yield (
            f"Live vectors were made with {embedding.model}, the configuration asks for "
            f"{config.embedding.model}: prepare them again."
        )
    elif any(getattr(config.embedding, name) != getattr(embedding, name) for name in _DECIDES):
        yield "Live vectors were made with other model settings (window or prefixes): prepare them again."
    if config.embedding.mode is EmbeddingMode.STANDARD and config.search.mode is not SearchMode.TEXT:
        yield _POOLED
    yield from _gaps(config, embedding)
    phrases = sum(bool(query.phrases) for query in queries)
    if phrases:
        yield f"{_questions(phrases)} a phrase in quotation marks: live scores look for its words one by one."
    if config.search.mode is not SearchMode.TEXT:
        unread = sum(bool(one.notes) for one in weights)
        if unread:
            yield (
                f"{_questions(unread)} words that {embedding.model} cannot read, or ask about such texts: "
                f"vector search has less weight "
                "there."
            )


def _questions(number: int) -> str:
    return f"{number} question{'s have' if number != 1 else ' has'}"
