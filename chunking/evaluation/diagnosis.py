"""Why a question was not answered whole: from the parse to the place in the ranking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from chunking.evaluation.questions import Question
from chunking.evaluation.runs import Cause, Diagnosis, Run
from chunking.model import Chunk, Document
from chunking.retrieval.results import SearchResult

__all__ = ["causes", "diagnose"]


def causes(run: Run) -> Mapping[Cause, int]:
    """How many questions of a run failed by each cause, the most frequent first; those of none are left out."""
    found = Counter(one.diagnosis.cause for one in run.answered if one.diagnosis is not None)
    order = list(Cause)
    return dict(sorted(found.items(), key=lambda row: (-row[1], order.index(row[0]))))


def diagnose(
    question: Question,
    result: SearchResult,
    document_of: Callable[[str], Document | None],
    chunks_of: Callable[[str], Sequence[Chunk]],
    n: int,
) -> Diagnosis | None:
    """Why the first `n` results do not hold every answer whole; None where they do.

    Args:
        result: of a search whose candidates were those of `n` results.
        document_of: the document of an id as it was indexed; None where it is not there any more.
        chunks_of: its chunks (level chunk) in reading order.
    """
    return None
