"""Descriptions of tables by a language model, in the place of the sentences by rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from chunking.config import EnrichConfig
from chunking.enrichment.by_llm.enrichment_prompts import PromptKind, filled, prompt_of
from chunking.enrichment.by_llm.llm_requests import Request, TextWriter
from chunking.enrichment.by_llm.plain_answers import clipped
from chunking.enrichment.chunk_contexts import prompt_words
from chunking.model import Chunk, Document, Flag
from chunking.splitting.rendering.prefixes import JOINT, SEPARATOR

__all__ = ["describe_tables"]

ROOM = 64
"""Tokens of a description."""
_ROWS = 6_000
"""Characters of a table that are shown."""


def describe_tables(
    document: Document,
    chunks: Sequence[Chunk],
    config: EnrichConfig,
    asking: TextWriter,
    count: Callable[[str], int],
    max_tokens: int | None,
) -> tuple[list[Chunk], int, int]:
    """The chunks with their tables described by the model, as far as it reads that far.

    Args:
        max_tokens: most that the embedding model reads of a text; None: any.
    Returns:
        All chunks; how many descriptions the model wrote; how many stayed by rule, as nothing of an answer was left or
        had room.
    """
    with_tables = [number for number, chunk in enumerate(chunks) if chunk.description]
    answers = asking.ask(
        [_request(document, chunks[number], config) for number in with_tables], f"tables of {document.source}"
    )
    described = list(chunks)
    written = 0
    for number, answer in zip(with_tables, answers, strict=True):
        chunk = _described(chunks[number], clipped(answer, ROOM, count), count, max_tokens)
        written += chunk is not None
        described[number] = chunk or chunks[number]
    return described, written, len(with_tables) - written


def _request(document: Document, chunk: Chunk, config: EnrichConfig) -> Request:
    prompt = prompt_of(PromptKind.TABLE, config)
    values = {
        "title": document.title,
        "path": JOINT.join(chunk.title_path),
        "table": _table(chunk),
        "words": prompt_words(ROOM),
    }
    return Request(PromptKind.TABLE, prompt.system, filled(prompt.user, values), ROOM)


def _table(chunk: Chunk) -> str:
    """The chunk, and before it the header row that its prefix repeats."""
    header = chunk.prefix.partition(SEPARATOR)[2]
    return (f"{header}\n{chunk.content}" if header else chunk.content)[:_ROWS]


def _described(chunk: Chunk, text: str, count: Callable[[str], int], max_tokens: int | None) -> Chunk | None:
    """With the text in the place of the first sentence by rule, the other ones gone; None where there is no room, or no
    text.
    """
    embedded = chunk.embedding_content
    sentences = chunk.description.split(SEPARATOR)
    if not text or any(sentence not in embedded for sentence in sentences):
        return None
    for sentence, instead in zip(sentences, [text, *[""] * (len(sentences) - 1)], strict=True):
        before, _, after = embedded.partition(sentence)
        embedded = before + instead + (after if instead else after.removeprefix("\n"))
    tokens = count(embedded)
    if max_tokens is not None and tokens > max_tokens:
        return None
    return replace(chunk, description=text, embedding_content=embedded, token_count=tokens, flags=generated(chunk))


def generated(chunk: Chunk) -> tuple[Flag, ...]:
    """Its flags, and the one that says a model wrote a part."""
    return (*(flag for flag in chunk.flags if flag is not Flag.GENERATED), Flag.GENERATED)
