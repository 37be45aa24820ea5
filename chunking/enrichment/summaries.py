"""Section summaries, bottom up: each from its own text and its subsections' summaries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from chunking.config import Config
from chunking.enrichment.by_llm.enrichment_prompts import PromptKind, filled, prompt_of
from chunking.enrichment.by_llm.llm_requests import Request, TextWriter
from chunking.enrichment.by_llm.plain_answers import clipped
from chunking.enrichment.by_rule.extracts import Extracts, SpanVectors, shown
from chunking.enrichment.by_rule.prose_sentences import as_line
from chunking.enrichment.chunk_contexts import prompt_words
from chunking.model import Chunk, Document, Section
from chunking.splitting.rendering.prefixes import JOINT

__all__ = ["MATERIAL", "GeneratedText", "Summaries", "clipped_lines", "summary_request"]

MATERIAL = 3_000
"""Tokens of text that a summary is asked of: what the paper of RAPTOR gives, a little less."""
_CHARACTERS = 12 * MATERIAL
"""Of a text that are looked at for it."""
_OPENING = 100
"""Least characters of a section's opening where only openings are shown."""


@dataclass(frozen=True, slots=True)
class GeneratedText:
    """A text and who wrote it."""

    text: str
    by_llm: bool = False
    itself: bool = False
    """It is all of what it stands for, so that nobody was asked."""

    @property
    def writer(self) -> str:
        """As in `BuildReport.written`."""
        return "llm" if self.by_llm else "the text itself" if self.itself else "rules"


def summary_request(config: Config, title: str, path: str, text: str, tokens: int) -> Request:
    """What is asked for the summary of a text."""
    prompt = prompt_of(PromptKind.SUMMARY, config.enrich)
    values = {"title": title, "path": path, "text": text, "words": prompt_words(tokens)}
    return Request(PromptKind.SUMMARY, prompt.system, filled(prompt.user, values), tokens)


class Summaries:
    """The summaries of one document, made as far as they are asked for."""

    def __init__(
        self,
        document: Document,
        chunks: Sequence[Chunk],
        config: Config,
        *,
        vectors: SpanVectors,
        count: Callable[[str], int],
        asking: TextWriter | None = None,
    ) -> None:
        self._document, self._config, self._count, self._asking = document, config, count, asking
        self._size = config.enrich.summary_size
        self._extracts = Extracts(document, chunks, vectors, count, self._size)
        self._sections: dict[str, GeneratedText] = {}

    def sections(self) -> dict[str, GeneratedText]:
        """By section id."""
        if self._asking is None:
            return {
                section.section_id: GeneratedText(self._extracts.section(section))
                for section in self._document.sections
            }
        if not self._sections:
            by_depth: defaultdict[int, list[Section]] = defaultdict(list)
            for section in self._document.sections:
                by_depth[self._depths[section.section_id]].append(section)
            for depth in sorted(by_depth, reverse=True):
                self._ask_for(by_depth[depth])
        return self._sections

    def document(self) -> GeneratedText:
        """Of the whole: from the top sections' summaries where sections are summarised, else from what each section
        opens with.
        """
        if self._asking is None:
            return GeneratedText(self._extracts.document(self._size))
        if self._config.enrich.summaries:
            self.sections()
            text = "\n".join(self._said(section) for section in self._extracts.subsections[None])
        else:
            text = self._openings()
        asked = summary_request(
            self._config, self._document.title, "", clipped_lines(text, MATERIAL, self._count), self._size
        )
        return self._answers([asked], lambda _: self._extracts.document(self._size))[0]

    def brief(self, room: int) -> GeneratedText:
        """What the document is about in so many tokens."""
        if self._asking is None:
            return GeneratedText(self._extracts.document(room))
        whole = self.document()
        return GeneratedText(clipped(whole.text, room, self._count), whole.by_llm)

    def _ask_for(self, sections: Sequence[Section]) -> None:
        """Sections of one depth: those below them are done."""
        asked: list[tuple[Section, Request]] = []
        for section in sections:
            text = shown(self._document, section.body_start, min(section.own_end, section.body_start + _CHARACTERS))
            below = [self._said(sub) for sub in self._extracts.subsections[section.section_id]]
            if not below and self._count(text) <= self._size:  # it is as short as a summary of it would be
                self._sections[section.section_id] = GeneratedText(
                    as_line(text) or self._extracts.section(section), itself=True
                )
                continue
            text = clipped_lines("\n".join([text, *below]), MATERIAL, self._count)
            path = JOINT.join(section.title_path)
            asked.append((section, summary_request(self._config, self._document.title, path, text, self._size)))
        answers = self._answers(
            [request for _, request in asked], lambda number: self._extracts.section(asked[number][0])
        )
        self._sections |= {section.section_id: answer for (section, _), answer in zip(asked, answers, strict=True)}

    def _answers(self, requests: Sequence[Request], instead: Callable[[int], str]) -> list[GeneratedText]:
        """The answers, bounded; by rule where nothing of one was left."""
        assert self._asking is not None
        answers = self._asking.ask(requests, f"summaries of {self._document.source}")
        bounded = [clipped(answer, self._size, self._count) for answer in answers]
        return [
            GeneratedText(text, True) if text else GeneratedText(instead(number)) for number, text in enumerate(bounded)
        ]

    def _said(self, section: Section) -> str:
        """A part in the summary of the whole."""
        return f"{section.title}: {self._sections[section.section_id].text}"

    def _openings(self) -> str:
        """What sections open with, evenly from the whole document."""
        sections = self._document.sections
        if not sections:
            return shown(self._document, 0, min(len(self._document.text), _CHARACTERS))
        room = max(_CHARACTERS // 3 // len(sections), _OPENING)
        step = -(-len(sections) * room // _CHARACTERS)
        openings = [
            (section, shown(self._document, section.body_start, min(section.own_end, section.body_start + room)))
            for section in sections
        ]
        return "\n".join(f"{section.title}: {as_line(text)}" for section, text in openings[::step])

    @cached_property
    def _depths(self) -> dict[str, int]:
        depths: dict[str, int] = {}
        for section in self._document.sections:
            depths[section.section_id] = depths[section.parent_id] + 1 if section.parent_id else 0
        return depths


def clipped_lines(text: str, room: int, count: Callable[[str], int]) -> str:
    """As many lines from the beginning as have room; what is left of one that is too long."""
    if count(text) <= room:
        return text
    kept: list[str] = []
    for line in text.split("\n"):
        tokens = count(line)
        if tokens > room:
            return "\n".join([*kept, clipped(line, room, count)])
        kept.append(line)
        room -= tokens
    return "\n".join(kept)
