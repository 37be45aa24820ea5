"""The summaries of the RAPTOR tree: of texts that are alike, from any document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from chunking.config import Config
from chunking.enrichment.by_llm.llm_requests import TextWriter
from chunking.enrichment.by_llm.plain_answers import clipped
from chunking.enrichment.by_rule.prose_sentences import as_line, plain_sentences
from chunking.enrichment.by_rule.sentence_choice import chosen, usable
from chunking.enrichment.summaries import MATERIAL, clipped_lines, summary_request
from chunking.model import Chunk
from chunking.splitting.rendering.markup_cleaning import without_markup

__all__ = ["cluster_texts", "extracted_summaries", "requested_summaries"]

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
_SENTENCES = 48
"""Of a group that are looked at: the first of each text, then the second of each, and so on."""


def cluster_texts(chunks: Iterable[Chunk]) -> list[str]:
    """What a tree over chunks is made of: the content of each, without markup and without what is put before it."""
    return [without_markup(str(chunk.metadata.get("format")), chunk.content) for chunk in chunks]


def extracted_summaries(
    groups: Sequence[Sequence[str]], *, embed: Embed, count: Callable[[str], int], room: int, check: Callable[[], None]
) -> list[str]:
    """The sentences nearest the middle of each group; one call of `embed` for all groups."""
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
    """Summaries by a language model, and the groups for which nothing of its answer was left."""
    size = config.enrich.summary_size
    requests = [
        summary_request(config, "", "", clipped_lines("\n\n".join(_evenly(group, count)), MATERIAL, count), size)
        for group in groups
    ]
    summaries = [clipped(answer, size, count) for answer in asking.ask(requests, "groups of the tree")]
    return summaries, [number for number, text in enumerate(summaries) if not text]


def _sentences(group: Sequence[str], count: Callable[[str], int], room: int) -> list[str]:
    """Of all texts alike, in the order of the texts, each once."""
    by_text = [[line for line in plain_sentences(text) if usable(line) and count(line) <= room] for text in group]
    placed = [(number, place, line) for number, lines in enumerate(by_text) for place, line in enumerate(lines)]
    first = sorted(placed, key=lambda row: (row[1], row[0]))[:_SENTENCES]
    return list(dict.fromkeys(line for _, _, line in sorted(first)))


def _evenly(group: Sequence[str], count: Callable[[str], int]) -> list[str]:
    """The texts, each cut to an even share of what a summary is asked of where they are too long together."""
    if sum(map(count, group)) <= MATERIAL:
        return list(group)
    return [clipped(text, max(MATERIAL // len(group), 1), count) for text in group]


def _beginnings(group: Sequence[str], count: Callable[[str], int], room: int) -> str:
    """For texts without sentences, such as code and tables: their first lines, one of each."""
    lines = [next((line.strip() for line in text.splitlines() if line.strip()), "") for text in group]
    return clipped(as_line(" · ".join(dict.fromkeys(filter(None, lines)))), room, count)
