"""What live numbers do not follow of a configuration: said, never passed over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from chunking.config import Config, EmbeddingConfig, EmbeddingMode, FullTextTokenizer, SearchMode, Writer
from chunking.model_folder import remote_name
from chunking.retrieval.query_parts import Query
from chunking.retrieval.ranking.readability import Weighing
from chunking.retrieval.retrieval_modes import MODES

__all__ = ["notes_of"]

_ROWS: tuple[tuple[Callable[[Config], bool], str], ...] = (
    (
        lambda config: config.embedding.mode is EmbeddingMode.STANDARD and config.search.mode is not SearchMode.TEXT,
        "The index embeds every chunk by itself; live vectors are pooled from one encoding of the document.",
    ),
    (lambda config: bool(config.search.rerank), "Second looks (rerank) are not followed: live results are those before them."),
    (
        lambda config: config.chunk.prefix.written,
        "What is written into a prefix when the index is built is not followed: live chunks have the headings only.",
    ),
    (
        lambda config: config.enrich.describe_tables and config.enrich.writer is Writer.LLM,
        "Descriptions of tables by a language model are not followed: live chunks have those by rule.",
    ),
    (
        lambda config: config.index.tokenizer is FullTextTokenizer.NGRAM,
        "The index compares pairs of characters; live numbers compare whole words (icu).",
    ),
)
"""When, and what to say."""
_DECIDES = ("late_window", "query_prefix", "passage_prefix")
"""Settings of the model, besides its name, that decide the vectors."""


def notes_of(config: Config, embedding: EmbeddingConfig, queries: Sequence[Query], weights: Sequence[Weighing]) -> tuple[str, ...]:
    """Sentences for the user.

    Args:
        embedding: the model that the documents were encoded with.
        weights: of each question's legs.
    """
    return tuple(_notes(config, embedding, queries, weights))


def _notes(config: Config, embedding: EmbeddingConfig, queries: Sequence[Query], weights: Sequence[Weighing]) -> Iterator[str]:
    if config.embedding.model != embedding.model:
        yield f"Live vectors are of {embedding.model}, the configuration asks for {config.embedding.model}: prepare them anew."
    elif any(getattr(config.embedding, name) != getattr(embedding, name) for name in _DECIDES):
        yield "Live vectors were made with other settings of the model (window or prompts): prepare them anew."
    if remote_name(embedding.model) is not None and config.search.mode is not SearchMode.TEXT:
        yield f"{embedding.model} cannot be pooled: live numbers are by words only."
    if gap := MODES[config.search.retrieval].live_gap:
        yield gap
    yield from (sentence for applies, sentence in _ROWS if applies(config))
    phrases = sum(bool(query.phrases) for query in queries)
    if phrases:
        yield f"{_questions(phrases)} something in quotation marks: live numbers look for its words one by one."
    if config.search.mode is not SearchMode.TEXT:
        unread = sum(bool(one.notes) for one in weights)
        if unread:
            yield f"{_questions(unread)} words that {embedding.model} cannot read, or are asked of such texts: meaning is weighed down."


def _questions(number: int) -> str:
    return f"{number} question{'s have' if number != 1 else ' has'}"
