"""Contexts of chunks by rule or language model, and descriptions of tables by the model."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from chunking.config import EnrichConfig
from chunking.enrichment.by_llm.enrichment_prompts import PromptKind, filled, prompt_of
from chunking.enrichment.by_llm.llm_requests import Request, TextWriter
from chunking.enrichment.by_llm.plain_answers import clipped
from chunking.enrichment.extracts import wording_for
from chunking.enrichment.prose_sentences import as_line, sentence_spans
from chunking.model import Chunk, Document, Flag, Section, Span
from chunking.parsing import format_named
from chunking.splitting.rendering.markup_cleaning import MARKUP, clean_for_embedding
from chunking.splitting.rendering.prefixes import JOINT, SEPARATOR

__all__ = ["ChunkContexts", "context_requests", "describe_tables", "prompt_words"]

_OUTLINE = 3_000
"""Characters of the outline that a prompt shows; it is the same for all chunks of a document."""
_BESIDE = 1_500
"""Characters of each chunk beside the one in question."""

ROOM = 64
"""Tokens of a description."""
_ROWS = 6_000
"""Characters of a table that are shown."""


class ChunkContexts:
    """What is near each chunk of a document, looked up once."""

    def __init__(self, document: Document) -> None:
        self._document, self._words = document, wording_for(document.language)
        self._sections = {section.section_id: number for number, section in enumerate(document.sections)}
        self._titles = _titles_beside(document.sections)
        self._sentences = sentence_spans(document)
        self._starts = [span.start for span in self._sentences]

    def by_rule(self, chunk: Chunk) -> str:
        """What the title path before the chunk does not say: the document, the page, the section's opening or what is
        beside it.
        """
        title, words = self._document.title, self._words
        named = chunk.title_path[:1] == (title,)
        parts = []
        row = format_named(self._document.format)
        if chunk.pages and not (row is not None and row.clock):  # a time says nothing of the text
            parts.append(words.paged.format(title=title, page=chunk.pages[0]))
        elif not named:
            parts.append(words.source.format(title=title))
        parts.append(self._opening(chunk) or self._neighbours(chunk))
        return as_line(" ".join(parts))

    def _section(self, chunk: Chunk) -> Section | None:
        number = self._sections.get(chunk.section_id)
        return None if number is None else self._document.sections[number]

    def _opening(self, chunk: Chunk) -> str:
        """The first sentence of the chunk's section, where it stands before the chunk."""
        section = self._section(chunk)
        span = self._first_sentence(section) if section else None
        if span is None or span.end > chunk.start:
            return ""
        clean = MARKUP.get(self._document.format, clean_for_embedding)
        return self._words.opening.format(sentence=as_line(clean(self._document.text[span.start : span.end])))

    def _first_sentence(self, section: Section) -> Span | None:
        place = bisect_right(self._starts, section.body_start - 1)
        span = self._sentences[place] if place < len(self._sentences) else None
        return span if span and span.end <= section.own_end else None

    def _neighbours(self, chunk: Chunk) -> str:
        """The headings before and after the chunk's section, on its level."""
        before, after = self._titles.get(chunk.section_id, ("", ""))
        words = (
            self._words.between
            if before and after
            else self._words.after
            if before
            else self._words.before
            if after
            else ""
        )
        return words.format(before=before, after=after)


def _titles_beside(sections: Sequence[Section]) -> dict[str, tuple[str, str]]:
    """By section id the titles before and after it on its level; empty where there is none. Made-up titles are passed
    over.
    """
    levels: defaultdict[str | None, list[Section]] = defaultdict(list)
    for section in sections:
        if not section.title_made:
            levels[section.parent_id].append(section)
    siblings: dict[str, tuple[str, str]] = {}
    for level in levels.values():
        titles = ["", *(section.title for section in level), ""]
        siblings |= {section.section_id: (titles[number], titles[number + 2]) for number, section in enumerate(level)}
    return siblings


def context_requests(document: Document, chunks: Sequence[Chunk], config: EnrichConfig, room: int) -> list[Request]:
    """What is asked for the context of each chunk.

    Args:
        room: tokens that a context may have.
    """
    prompt = prompt_of(PromptKind.CONTEXT, config)
    outline = document.doc_toc[:_OUTLINE].rpartition("\n")[0] if len(document.doc_toc) > _OUTLINE else document.doc_toc
    shared = {"title": document.title, "outline": outline, "words": prompt_words(room)}
    requests = []
    for number, chunk in enumerate(chunks):
        before = chunks[number - 1].content[-_BESIDE:] if number else ""
        after = chunks[number + 1].content[:_BESIDE] if number + 1 < len(chunks) else ""
        own = {"path": JOINT.join(chunk.title_path), "before": before, "passage": chunk.content, "after": after}
        requests.append(Request(PromptKind.CONTEXT, prompt.system, filled(prompt.user, shared | own), room))
    return requests


def prompt_words(tokens: int) -> str:
    """How many words a text of so many tokens has, for a prompt: three quarters, as in English."""
    return str(max(tokens * 3 // 4, 5))


# -- tables


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
