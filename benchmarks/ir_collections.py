"""Retrieval collections for choosing and reporting defaults: documents, questions, gold spans.

Each collection is divided by document before anything is looked at: every other document's questions choose a default
(`tune`), the rest say what it gives (`report`). Both are asked of one index of all documents. A corpus that is one text
(Chroma's) is divided by its articles, or into twelve parts.
"""

from __future__ import annotations

import csv
import json
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from benchmarks.answerability import document_cuts
from benchmarks.spans import Span

__all__ = ["COLLECTIONS", "HALVES", "Collection", "Question", "halves_of", "recall"]

SHARED = Path(__file__).parent.parent.parent / "shared" / "benchmarks"
SAMPLES = Path(__file__).parent.parent / "sample_data"
HALVES = ("tune", "report")
_XQUAD = ("en", "de", "zh", "th", "ru", "ar", "cross")


@dataclass(frozen=True, slots=True)
class Question:
    """Question with its gold spans; their `doc_id` is the document's path in the collection."""

    text: str
    answers: tuple[Span, ...]
    half: int
    """Index into `HALVES`."""


@dataclass(frozen=True)
class Collection:
    """Documents with questions."""

    name: str
    folder: Path
    """Folder with the documents, and no other readable file."""

    @property
    def at_hand(self) -> bool:
        return self.folder.exists()

    @property
    def family(self) -> str:
        """Name shared by collections with the same questions, one language each."""
        return "XQuAD" if self.name.startswith("XQuAD") else self.name

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        if self.name == "Chroma":
            return tuple(_chroma_questions(self.folder))
        return tuple(_questions(self.folder))

    def half(self, which: int) -> np.ndarray:
        """Return (questions,) True for those of this half."""
        return np.array([question.half == which for question in self.questions])


def halves_of(documents: Iterable[str]) -> dict[str, int]:
    """Assign the documents with questions to the halves in turn, by name; values index `HALVES`."""
    return {document: place % 2 for place, document in enumerate(sorted(set(documents)))}


def recall(question: Question, results: Sequence[Span]) -> float:
    """Return the share of the answers' characters that the results contain, at their own positions."""
    total = covered = 0
    for answer in question.answers:
        mask = np.zeros(answer.end - answer.start, np.bool_)
        for span in results:
            if span.doc_id == answer.doc_id:
                mask[max(span.start - answer.start, 0) : max(span.end - answer.start, 0)] = True
        total += len(mask)
        covered += int(mask.sum())
    return covered / total


def _questions(folder: Path) -> list[Question]:
    """Read questions in the samples' form, next to the documents or in the parent folder."""
    file = next(path for path in (folder / "questions.jsonl", folder.parent / "questions.jsonl") if path.exists())
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    halves = halves_of(row["doc"] for row in rows)
    return [
        Question(
            row["question"],
            tuple(Span(answer.get("doc", row["doc"]), answer["start"], answer["end"]) for answer in row["answers"]),
            halves[row["doc"]],
        )
        for row in rows
    ]


def _chroma_questions(folder: Path) -> list[Question]:
    """Read Chroma's questions; the first answer determines the document, and so the half."""
    cuts = {path.stem: document_cuts(path.read_bytes().decode()) for path in sorted(folder.glob("*.md"))}
    rows = []
    with (folder.parent / "questions.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            corpus = row["corpus_id"]
            spans = [(one["start_index"], one["end_index"]) for one in json.loads(row["references"])]
            half = bisect_right(cuts[corpus], min(spans)[0]) % 2
            rows.append(
                Question(row["question"], tuple(Span(f"{corpus}.md", start, end) for start, end in spans), half)
            )
    return rows


COLLECTIONS: Mapping[str, Collection] = {
    name: Collection(name, folder)
    for name, folder in (
        ("Chroma", SHARED / "chroma" / "corpora"),
        ("Evidence Inference", SHARED / "evidence_inference" / "docs"),
        ("DRCD", SHARED / "drcd" / "docs"),
        *((f"XQuAD {language}", SHARED / "xquad" / language / "docs") for language in _XQUAD),
        ("samples", SAMPLES),
    )
}
