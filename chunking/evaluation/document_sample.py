"""An even sample of a large workspace's documents, for what holds the documents it works on in memory."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from chunking.evaluation.questions.question import QuestionSet
from chunking.store import DocumentRow, Workspace

__all__ = ["MOST_CHARACTERS", "DocumentSample", "document_sample", "live_sample"]

MOST_CHARACTERS = 20_000_000
"""Most characters of documents held at once: measured and encoded for live recall, they take about 1 GB."""


@dataclass(frozen=True, slots=True)
class DocumentSample:
    """Documents chosen of a workspace: all, or those needed and an even sample of the others."""

    doc_ids: tuple[str, ...]
    """In the order of the listing."""
    total: int
    """Number of documents in the workspace."""

    @property
    def note(self) -> str:
        """How many of the documents it has, as part of a sentence; empty if all."""
        return "" if len(self.doc_ids) == self.total else f"{len(self.doc_ids):,} of {self.total:,} documents"


def document_sample(
    rows: Sequence[DocumentRow], needed: Collection[str] = (), most: int = MOST_CHARACTERS
) -> DocumentSample:
    """Choose all documents; of over `most` characters the needed ones and an even sample.

    The same rows always give the same sample. Needed documents are chosen even if they alone have more.

    Args:
        rows: of the workspace, in the order of the listing.
        needed: ids of documents to choose in any case, such as those with gold answers.
    """
    total = sum(row.characters for row in rows)
    if total <= most:
        return DocumentSample(tuple(row.doc_id for row in rows), len(rows))
    kept = set(needed)
    needed_characters = sum(row.characters for row in rows if row.doc_id in kept)
    share = max(most - needed_characters, 0) / max(total - needed_characters, 1)
    owed = 0.0
    for row in rows:
        if row.doc_id not in kept:
            owed += share * row.characters
            if owed >= row.characters > 0:
                owed -= row.characters
                kept.add(row.doc_id)
    return DocumentSample(tuple(row.doc_id for row in rows if row.doc_id in kept), len(rows))


def live_sample(workspace: Workspace, questions: QuestionSet) -> DocumentSample:
    """Choose the documents for live recall and estimates; those with answers are needed."""
    needed = {answer.doc_id for question in questions.questions for answer in question.answers}
    return document_sample(workspace.documents(), needed)
