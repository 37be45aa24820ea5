"""Where a chunk stands in its document, in one or two sentences: by rule, or what a language model is asked for it."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence

from chunking.config import EnrichConfig
from chunking.enrichment.by_llm.enrichment_prompts import PromptKind, filled, prompt_of
from chunking.enrichment.by_llm.llm_requests import Request
from chunking.enrichment.by_rule.prose_sentences import as_line, sentence_spans
from chunking.enrichment.by_rule.rule_wording import wording_for
from chunking.model import Chunk, Document, Section, Span
from chunking.parsing import format_named
from chunking.splitting.rendering.markup_cleaning import MARKUP, clean_for_embedding
from chunking.splitting.rendering.prefixes import JOINT

__all__ = ["ChunkContexts", "context_requests", "prompt_words"]

_OUTLINE = 3_000
"""Characters of the outline that a prompt shows; it is the same for all chunks of a document."""
_BESIDE = 1_500
"""Characters of each chunk beside the one in question."""


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
        parts.append(self._opening(chunk) or self._beside(chunk))
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

    def _beside(self, chunk: Chunk) -> str:
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
    found: dict[str, tuple[str, str]] = {}
    for level in levels.values():
        titles = ["", *(section.title for section in level), ""]
        found |= {section.section_id: (titles[number], titles[number + 2]) for number, section in enumerate(level)}
    return found


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
