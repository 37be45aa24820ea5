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
"""Maximum characters of the outline in a prompt; it is equal for all chunks of a document."""
_BESIDE = 1_500
"""Characters shown of the chunk before and of the chunk after."""

ROOM = 64
"""Maximum tokens of a table description."""
_ROWS = 6_000
"""Maximum characters of a table in a prompt."""


class ChunkContexts:
    """Contexts by rule of the chunks of one document."""

    def __init__(self, document: Document) -> None:
        self._document, self._words = document, wording_for(document.language)
        self._sections = {section.section_id: number for number, section in enumerate(document.sections)}
        self._titles = _titles_beside(document.sections)
        self._sentences = sentence_spans(document)
        self._starts = [span.start for span in self._sentences]

    def by_rule(self, chunk: Chunk) -> str:
        """Return a context by rule: document title, page, and a sentence on the section's place.

        That is the section's first sentence, if the chunk begins after it, or else the headings before and after it.
        Without a page, a title that the chunk's title path begins with is left out. May be empty.
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
        """Return the first sentence of the chunk's section, if it comes before the chunk."""
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
        """Return the headings before and after the chunk's section, on its level."""
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
    """Return the titles before and after each section on its level, by section id.

    Made-up titles are skipped.
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
    """Return the request for the context of each chunk.

    Args:
        room: maximum tokens of a context.
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
    """Return, as text, the number of words that fit in some tokens: three quarters, at least 5."""
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
    """Describe the tables in chunks with the language model, where the embedding model's limit allows it.

    Args:
        max_tokens: the embedding model's limit; None: no limit.
    Returns:
        All chunks; the number of descriptions by the model; the number that stayed by rule, because the answer was
        unusable or did not fit.
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
    """Return the chunk's content after the header row that its prefix repeats."""
    header = chunk.prefix.partition(SEPARATOR)[2]
    return (f"{header}\n{chunk.content}" if header else chunk.content)[:_ROWS]


def _described(chunk: Chunk, text: str, count: Callable[[str], int], max_tokens: int | None) -> Chunk | None:
    """Replace the description by rule with a generated text; None if it does not fit or is empty."""
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
    """Return the chunk's flags with `GENERATED` added."""
    return (*(flag for flag in chunk.flags if flag is not Flag.GENERATED), Flag.GENERATED)
