"""Answers of the tools as pydantic models; agents read their output schemas."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field, PrivateAttr

__all__ = [
    "Collected",
    "Deleted",
    "DocumentLine",
    "DocumentPage",
    "Evaluated",
    "Fetched",
    "MetricLine",
    "NeighbourText",
    "RelatedLine",
    "RelatedList",
    "ResearchFetched",
    "ResearchHit",
    "ResearchHits",
    "SearchHit",
    "SearchHits",
    "SectionLine",
    "ShownChunks",
    "TocPage",
    "plain_answer",
    "plain_text",
]

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

_URL = Field(description="Link for a person.")


class NeighbourText(BaseModel):
    """Id and text of a chunk before or after a hit."""

    id: str
    text: str


class SearchHit(BaseModel):
    """Hit of a search; fields from `doc` on only with `detail`, neighbours only on request."""

    id: str = Field(description="Pass it to fetch.")
    title: str = Field(description="Document and section.")
    text: str
    url: str = _URL
    before: list[NeighbourText] = []
    after: list[NeighbourText] = []
    doc: str = Field("", description="Id of the document.")
    section: str = Field("", description="Id of the section.")
    score: float | None = None
    start: int = Field(0, description="First character in the document.")
    end: int = 0
    pages: list[int] = []
    why: str = Field("", description="Explanation of the score.")


class SearchHits(BaseModel):
    """Hits of a search, best first; `index` and `mode` only with `detail`."""

    results: list[SearchHit]
    tokens: int = Field(description="Tokens of all texts in this answer.")
    left_out: int = Field(0, description="Results that did not fit the budget.")
    notes: list[str] = Field([], description="Notes on the results, and what to do next.")
    index: str = ""
    mode: str = ""


class Fetched(BaseModel):
    """Document, section or chunk, or a piece of its text with the cursor of the rest."""

    id: str
    title: str
    text: str
    url: str = _URL
    next: str = Field("", description="Cursor of the rest of the text; absent at the end.")
    metadata: dict[str, str | int | list[int]] = Field(
        description=(
            "kind (document, section, chunk ...), doc, start and end in the document, prev, next, section, path, "
            "language ..."
        )
    )


class SectionLine(BaseModel):
    """Section of a document: id, title, level and length in characters."""

    id: str
    title: str
    level: int
    characters: int


class TocPage(BaseModel):
    """Page of a document's sections, with the cursor of the next page."""

    doc: str
    title: str
    sections: list[SectionLine]
    next: str = Field("", description="Pass it as cursor for the next page; absent at the end.")


class DocumentLine(BaseModel):
    """Document without its text: id, title, path, length, category, language, sections."""

    id: str
    title: str
    path: str
    characters: int
    category: str = ""
    language: str = ""
    sections: int = 0


class DocumentPage(BaseModel):
    """Page of the workspace's documents, with their total and the cursor of the next page."""

    documents: list[DocumentLine]
    total: int
    next: str = Field("", description="Pass it as cursor for the next page; absent at the end.")


class RelatedLine(BaseModel):
    """Document similar to another one, with the similarity and the reasons."""

    id: str
    title: str
    url: str = _URL
    similarity: float | None = Field(description="Cosine of the mean vectors.")
    why: str


class RelatedList(BaseModel):
    """Documents most similar to one document."""

    doc: str
    related: list[RelatedLine]


class MetricLine(BaseModel):
    """Metric with its 95 % confidence interval; shares are 0 to 1."""

    mean: float
    low: float | None = None
    high: float | None = None


class Evaluated(BaseModel):
    """Evaluation of the index's settings on a saved question set."""

    questions: str = Field(description="Name of the question set.")
    asked: int = Field(description="Number of questions asked.")
    sets: list[str] = Field(description="The saved question sets, newest first.")
    measure: str = Field(description="Cutoff of the ranking.")
    metrics: dict[str, MetricLine]
    failures: dict[str, int] = Field({}, description="Failed questions by cause.")
    settings: dict[str, str] = Field({}, description="Settings that differ from the defaults.")
    run: str = Field(description="Key of the run; the app shows it on the Evaluate page.")
    notes: list[str] = []


class Collected(BaseModel):
    """Result of `collect`: documents added or updated, files that failed, counts of the index."""

    added: list[str] = Field(description="Ids of the documents that were added or updated.")
    failed: list[str] = Field([], description="One sentence for each file that could not be read.")
    index: str = ""
    chunks: int = Field(description="Chunks in the index now.")
    embedded: int = Field(description="Vectors computed by the model.")
    reused: int = Field(description="Vectors reused from the cache.")
    notes: list[str] = []


class Deleted(BaseModel):
    """Documents that `delete` removed from the workspace and its indexes."""

    deleted: list[str] = Field(description="Ids, including those of files inside the files.")
    chunks: int


class ShownChunks(BaseModel):
    """Summary of a document's chunks for the model; hosts show its drawing to people."""

    doc: str
    title: str
    url: str = _URL
    chunks: int
    tokens: str = Field(description="The sizes of the chunks.")
    hits: list[str] = Field([], description="Ids of the chunks marked as hits, best first.")
    notes: list[str] = []
    _drawing: dict[str, Any] = PrivateAttr(default_factory=dict)

    @property
    def drawing(self) -> dict[str, Any]:
        """Messages to the viewer's components by name; empty if nothing is drawn."""
        return self._drawing

    def draw(self, drawing: dict[str, Any]) -> None:
        """Set the messages to the viewer's components."""
        self._drawing = drawing


class ResearchHit(BaseModel):
    """Hit of the research profile: exactly these keys."""

    id: str
    title: str
    url: str


class ResearchHits(BaseModel):
    """Hits of the research profile."""

    results: list[ResearchHit]


class ResearchFetched(BaseModel):
    """Document of the research profile: exactly these keys."""

    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, str] | None = None


def plain_answer(answer: BaseModel) -> dict[str, Any]:
    """Return an answer as JSON values without fields at their defaults.

    Lone surrogates become U+FFFD, NaN and infinity null.

    >>> plain_answer(MetricLine(mean=0.5, low=float("nan")))
    {'mean': 0.5, 'low': None}
    """
    plain: dict[str, Any] = _plain(answer.model_dump(exclude_defaults=True))
    return plain


def plain_text(text: str) -> str:
    """Replace each lone surrogate by U+FFFD: it has no UTF-8 form, and would end a stdio server.

    >>> plain_text("a" + chr(0xD800))
    'a\ufffd'
    """
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return plain_text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {plain_text(str(key)): _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value
