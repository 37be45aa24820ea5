"""Summaries of sections, bottom up, of documents, and of the clusters of the RAPTOR tree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from chunking.config import Config
from chunking.enrichment.by_llm.enrichment_prompts import PromptKind, filled, prompt_of
from chunking.enrichment.by_llm.llm_requests import Request, TextWriter
from chunking.enrichment.by_llm.plain_answers import clipped
from chunking.enrichment.chunk_contexts import prompt_words
from chunking.enrichment.extracts import Extracts, SpanVectors, shown
from chunking.enrichment.prose_sentences import as_line, chosen, plain_sentences, usable
from chunking.model import Chunk, Document, Section
from chunking.splitting.rendering.markup_cleaning import without_markup
from chunking.splitting.rendering.prefixes import JOINT

__all__ = [
    "MATERIAL",
    "GeneratedText",
    "Summaries",
    "clipped_lines",
    "cluster_texts",
    "extracted_summaries",
    "requested_summaries",
    "summary_request",
]

MATERIAL = 3_000
"""Maximum tokens of the text to summarise: a little less than in the RAPTOR paper."""
_CHARACTERS = 12 * MATERIAL
"""Characters of a text that are read for a summary."""
_OPENING = 100
"""Minimum characters of a section's opening where only openings are shown."""

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
_SENTENCES = 48
"""Sentences considered per cluster: the first of each text, then the second of each, and so on."""


@dataclass(frozen=True, slots=True)
class GeneratedText:
    """A text and who wrote it: a language model, a rule, or nobody.

    Nobody writes about a text so short that it is its own summary.
    """

    text: str
    by_llm: bool = False
    itself: bool = False
    """True if the text is short enough to be its own summary."""

    @property
    def writer(self) -> str:
        """Who wrote it, as in `BuildReport.written`: `llm`, `rules` or `the text itself`."""
        return "llm" if self.by_llm else "the text itself" if self.itself else "rules"


def summary_request(config: Config, title: str, path: str, text: str, tokens: int) -> Request:
    """Return the request for the summary of a text; nothing is sent.

    Args:
        title: of the document; empty for a cluster.
        path: titles above the text; may be empty.
        tokens: maximum length of the summary.
    """
    prompt = prompt_of(PromptKind.SUMMARY, config.enrich)
    values = {"title": title, "path": path, "text": text, "words": prompt_words(tokens)}
    return Request(PromptKind.SUMMARY, prompt.system, filled(prompt.user, values), tokens)


class Summaries:
    """Summaries of one document, generated on demand."""

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
        """Return the summary of each section by id: by rule, or by the model, deepest first."""
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
        """Summarise the document by rule, or by the model from section summaries or openings."""
        if self._asking is None:
            return GeneratedText(self._extracts.document(self._size))
        if self._config.enrich.summaries:
            self.sections()
            text = "\n".join(self._said(section) for section in self._extracts.subsections[None])
        else:
            text = self._openings()
        pending = summary_request(
            self._config, self._document.title, "", clipped_lines(text, MATERIAL, self._count), self._size
        )
        return self._answers([pending], lambda _: self._extracts.document(self._size))[0]

    def brief(self, room: int) -> GeneratedText:
        """Summarise the document in at most `room` tokens: by rule, or `document()` shortened."""
        if self._asking is None:
            return GeneratedText(self._extracts.document(room))
        summary = self.document()
        return GeneratedText(clipped(summary.text, room, self._count), summary.by_llm)

    def _ask_for(self, sections: Sequence[Section]) -> None:
        """Summarise sections of one depth, after all deeper ones."""
        pending: list[tuple[Section, Request]] = []
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
            pending.append((section, summary_request(self._config, self._document.title, path, text, self._size)))
        answers = self._answers(
            [request for _, request in pending], lambda number: self._extracts.section(pending[number][0])
        )
        self._sections |= {section.section_id: answer for (section, _), answer in zip(pending, answers, strict=True)}

    def _answers(self, requests: Sequence[Request], instead: Callable[[int], str]) -> list[GeneratedText]:
        """Send requests and shorten the answers; unusable answers are replaced by rule."""
        assert self._asking is not None
        answers = self._asking.ask(requests, f"summaries of {self._document.source}")
        bounded = [clipped(answer, self._size, self._count) for answer in answers]
        return [
            GeneratedText(text, True) if text else GeneratedText(instead(number)) for number, text in enumerate(bounded)
        ]

    def _said(self, section: Section) -> str:
        """Return a section's title and summary as a line of its parent's text."""
        return f"{section.title}: {self._sections[section.section_id].text}"

    def _openings(self) -> str:
        """Return the openings of sections, sampled evenly from the document."""
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
    """Shorten a text to whole lines that fit, and as much of the next line as fits."""
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


# -- clusters: similar texts of any document


def cluster_texts(chunks: Iterable[Chunk]) -> list[str]:
    """Return the content of each chunk without markup and prefix, for a summary tree."""
    return [without_markup(str(chunk.metadata.get("format")), chunk.content) for chunk in chunks]


def extracted_summaries(
    groups: Sequence[Sequence[str]], *, embed: Embed, count: Callable[[str], int], room: int, check: Callable[[], None]
) -> list[str]:
    """Summarise each cluster by its most central sentences, with one call of `embed`.

    A cluster without usable sentences, such as of code, is summarised by the first line of each of its texts.
    """
    candidates = [_sentences(group, count, room) for group in groups]
    texts = list(dict.fromkeys(chain.from_iterable(candidates)))
    check()
    vectors = embed(texts) if texts else np.zeros((0, 1), np.float32)
    rows = {text: row for row, text in enumerate(texts)}
    summaries = []
    for group, own in zip(groups, candidates, strict=True):
        picked = chosen(own, vectors[[rows[text] for text in own]], [count(text) for text in own], room) if own else []
        summaries.append(as_line(" ".join(own[row] for row in picked)) or _beginnings(group, count, room))
    return summaries


def requested_summaries(
    groups: Sequence[Sequence[str]], *, asking: TextWriter, config: Config, count: Callable[[str], int]
) -> tuple[list[str], list[int]]:
    """Summarise clusters by a language model; also returns the numbers of those that stay empty."""
    size = config.enrich.summary_size
    requests = [
        summary_request(config, "", "", clipped_lines("\n\n".join(_evenly(group, count)), MATERIAL, count), size)
        for group in groups
    ]
    summaries = [clipped(answer, size, count) for answer in asking.ask(requests, "groups of the tree")]
    return summaries, [number for number, text in enumerate(summaries) if not text]


def _sentences(group: Sequence[str], count: Callable[[str], int], room: int) -> list[str]:
    """Choose candidate sentences evenly from all texts, in their order, without duplicates."""
    by_text = [[line for line in plain_sentences(text) if usable(line) and count(line) <= room] for text in group]
    placed = [(number, place, line) for number, lines in enumerate(by_text) for place, line in enumerate(lines)]
    first = sorted(placed, key=lambda row: (row[1], row[0]))[:_SENTENCES]
    return list(dict.fromkeys(line for _, _, line in sorted(first)))


def _evenly(group: Sequence[str], count: Callable[[str], int]) -> list[str]:
    """Shorten each text to an equal share of `MATERIAL` if they are too long together."""
    if sum(map(count, group)) <= MATERIAL:
        return list(group)
    return [clipped(text, max(MATERIAL // len(group), 1), count) for text in group]


def _beginnings(group: Sequence[str], count: Callable[[str], int], room: int) -> str:
    """Return the first line of each text, for texts without sentences, such as code and tables."""
    lines = [next((line.strip() for line in text.splitlines() if line.strip()), "") for text in group]
    return clipped(as_line(" · ".join(dict.fromkeys(filter(None, lines)))), room, count)
