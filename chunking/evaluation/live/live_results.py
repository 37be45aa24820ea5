"""Live results and scores from rankings: deduplication, parents, neighbours; distance from a real run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunking.config import Config, SearchConfig
from chunking.evaluation.analysis.answer_states import AnswerState, ChunkBounds
from chunking.evaluation.live.live_levels import SplitDocuments
from chunking.evaluation.live.live_search import Ranking
from chunking.evaluation.metrics.scoring import omega
from chunking.evaluation.questions.question import Question, QuestionSet
from chunking.evaluation.runs.answered import Found
from chunking.evaluation.runs.run import EvaluationRun
from chunking.retrieval.context.expansion import BOUNDARY_TEXT, boundary_reason, neighbour_reason
from chunking.retrieval.modes.retrieval_modes import MODES
from chunking.retrieval.ranking.cutoff import comparable, enough, relative_scores

if TYPE_CHECKING:
    from chunking.evaluation.metrics.counted_results import Measure
    from chunking.evaluation.metrics.scoring import Scores

__all__ = ["LiveDifference", "LiveScores", "difference", "omegas", "ranked_results"]

_SPARE = 3
"""Candidates examined per result if some may be duplicates or share a parent; all of them if these do not suffice."""


def ranked_results(
    split: SplitDocuments, ranking: Ranking, search: SearchConfig, depth: int, doc_ids: Sequence[str]
) -> tuple[tuple[Found, ...], ...]:
    """Convert each question's ranked chunks into its first results, as a search would return them.

    Results are parents if the retrieval mode returns parents, else chunks with their neighbours; repeated texts are
    dropped if configured.

    Args:
        depth: most results of a question.
        doc_ids: of the documents, by number.
    """
    results = _Results(split, search, doc_ids)
    total = len(split.chunks)
    spare = _SPARE if search.deduplicate or MODES[search.retrieval].whole_parents else 1
    most = min(spare * depth, total)
    best = [_above_cut(row, scores, search) for row, scores in _rows(ranking, most)]
    chosen = [results.chosen(row, depth) for row in best]
    short = [number for number, row in enumerate(chosen) if len(row) < depth and len(best[number]) == most]
    if short and most < total:
        deeper = Ranking(ranking.scores[short], ranking.candidates[short])
        for number, (row, scores) in zip(short, _rows(deeper, total), strict=True):
            chosen[number] = results.chosen(_above_cut(row, scores, search), depth)
    rows = tuple(results.of(row) for row in chosen)
    if any(search.adaptive) and not MODES[search.retrieval].whole_parents:
        expansion = _AdaptiveExpansion(split, search)
        extended = map(expansion.extend, rows, chosen, ranking.scores, ranking.candidates)
        return tuple(extended)
    return rows


def omegas(questions: Sequence[Question], boundaries: Mapping[str, ChunkBounds]) -> list[float]:
    """Return each question's precision if exactly the chunks touching its answers were returned.

    This is precision-omega (`metrics.scoring.omega`).

    Args:
        boundaries: chunks of each document, by id.
    """
    edges = {
        doc_id: (bounds.starts, bounds.ends, bounds.starts.tolist(), bounds.ends.tolist())
        for doc_id, bounds in boundaries.items()
    }
    results = []
    for question in questions:
        touching = set[tuple[str, int, int]]()
        for answer in question.answers:
            if answer.doc_id in edges:
                starts, ends, first, last = edges[answer.doc_id]
                low = int(ends.searchsorted(np.int32(answer.start), side="right"))
                high = int(starts.searchsorted(np.int32(answer.end)))
                touching.update((answer.doc_id, first[number], last[number]) for number in range(low, high))
        results.append(omega(question.answers, sorted(touching)))
    return results


class _Results:
    """Converts ranked chunk numbers into results."""

    def __init__(self, split: SplitDocuments, search: SearchConfig, doc_ids: Sequence[str]) -> None:
        level = split.chunks
        self._split, self._parents = split, MODES[search.retrieval].whole_parents
        self._distinct = search.deduplicate
        self._of = split.parents.of.tolist()
        self._documents = [doc_ids[number] for number in level.document.tolist()]
        if self._parents:
            spans = (
                split.parents.starts,
                split.parents.ends,
                split.parents.tokens,
                split.parents.starts,
                split.parents.ends,
            )
        else:
            spans = (level.starts, level.ends, level.tokens, *_passages(split, search))
        self._spans = [column.tolist() for column in spans]

    def of(self, chosen: Sequence[int]) -> tuple[Found, ...]:
        """Return the results of some chunks."""
        starts, ends, tokens, firsts, lasts = self._spans
        at = [(number, self._of[number]) if self._parents else (number, number) for number in chosen]
        return tuple(
            Found(self._documents[chunk], starts[row], ends[row], tokens[row], firsts[row], lasts[row])
            for chunk, row in at
        )

    def chosen(self, chunks: Sequence[int], depth: int) -> Sequence[int]:
        """Return the first chunks of a ranking, one of each text and of each parent."""
        if not (self._distinct or self._parents):
            return chunks[:depth]
        kept: list[int] = []
        texts, parents = set[int](), set[int]()
        for chunk in chunks:
            text, parent = (
                self._split.text_key(chunk) if self._distinct else chunk,
                self._of[chunk] if self._parents else chunk,
            )
            if text not in texts and parent not in parents:
                kept.append(chunk)
                if len(kept) == depth:
                    break
            texts.add(text)
            parents.add(parent)
        return kept


def _rows(ranking: Ranking, most: int) -> Iterator[tuple[list[int], _RowScores]]:
    """Yield the best chunks of each row, without the padding, and their scores."""
    columns, scores = ranking.best(most)
    lowest = np.where(ranking.candidates, ranking.scores, np.inf).min(axis=1, initial=np.inf)
    counts, candidates = np.isfinite(scores).sum(axis=1), ranking.candidates.sum(axis=1)
    for number, row in enumerate(columns.tolist()):
        count = int(counts[number])
        yield row[:count], _RowScores(scores[number, :count], float(lowest[number]), int(candidates[number]))


class _RowScores(NamedTuple):
    """Scores of a question's best chunks, best first, and what they are compared with."""

    scores: NDArray[np.float32]
    lowest: float
    candidates: int


def _above_cut(chunks: list[int], row: _RowScores, search: SearchConfig) -> list[int]:
    """Return the chunks whose scores are high enough between the lowest candidate's and the best."""
    if not search.cut or not chunks or not comparable(row.candidates, search.k):
        return chunks
    scores = row.scores.astype(np.float64)
    return chunks[: int(enough(relative_scores(scores, row.lowest, float(scores[0])), search.cut).sum())]


def _passages(split: SplitDocuments, search: SearchConfig) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return (n,) starts and (n,) ends of each chunk with its neighbours inside its parent.

    A side whose neighbours are chosen by evidence has none here.
    """
    level = split.chunks
    n = len(level)
    groups = _groups(split, search)
    new = np.ones(n, np.bool_)
    new[1:] = groups[1:] != groups[:-1]
    first = np.flatnonzero(new)
    sizes = np.diff(np.append(first, n))
    numbers = np.arange(n)
    before, after = (0 if auto else reach for auto, reach in zip(search.adaptive, search.reach, strict=True))
    low = np.maximum(numbers - before, np.repeat(first, sizes))
    high = np.minimum(numbers + after, np.repeat(first + sizes - 1, sizes))
    return level.starts[low], level.ends[high]


def _groups(split: SplitDocuments, search: SearchConfig) -> NDArray[np.int32]:
    """Return the (n,) group of each chunk, from which its neighbours come."""
    return split.chunks.document if search.across_parents else split.parents.of


class _AdaptiveExpansion:
    """Chooses the neighbours of live results by evidence, as a search does."""

    def __init__(self, split: SplitDocuments, search: SearchConfig) -> None:
        self._split, self._sides = split, search.adaptive
        self._groups = _groups(split, search)
        self._reasons: dict[tuple[int, int], str] = {}

    def extend(
        self,
        results: tuple[Found, ...],
        chunks: Sequence[int],
        scores: NDArray[np.float32],
        candidates: NDArray[np.bool_],
    ) -> tuple[Found, ...]:
        """Extend a question's results to the neighbours that come along.

        Args:
            chunks: chunk of each result.
            scores, candidates: (n,) the question's row of the ranking.
        """
        if not results:
            return results
        own = scores.astype(np.float64)
        relative = relative_scores(own, float(own[candidates].min()), float(own[list(chunks)].max()))
        relative[~candidates] = 0.0
        return tuple(self._extended(one, chunk, relative) for one, chunk in zip(results, chunks, strict=True))

    def _extended(self, one: Found, chunk: int, relative: NDArray[np.float64]) -> Found:
        level = self._split.chunks
        before, after = self._sides
        if before and self._comes_along(chunk, chunk - 1, relative):
            one = one._replace(first=int(level.starts[chunk - 1]))
        if after and self._comes_along(chunk, chunk + 1, relative):
            one = one._replace(last=int(level.ends[chunk + 1]))
        return one

    def _comes_along(self, chunk: int, other: int, relative: NDArray[np.float64]) -> bool:
        if not 0 <= other < len(self._groups) or self._groups[other] != self._groups[chunk]:
            return False
        scores = float(relative[chunk]), float(relative[other])
        return bool(neighbour_reason(*scores, lambda: self._boundary(chunk, other)))

    def _boundary(self, chunk: int, other: int) -> str:
        """Return the cached reason for which adjacent chunks belong together at the edge of the first."""
        reason = self._reasons.get((chunk, other))
        if reason is None:
            level, (low, high) = self._split.chunks, sorted((chunk, other))
            text = self._split.texts[level.document[chunk]]
            edge = int(level.starts[chunk] if other < chunk else level.ends[chunk])
            left = text[max(edge - BOUNDARY_TEXT, int(level.starts[low])) : edge]
            right = text[edge : min(edge + BOUNDARY_TEXT, int(level.ends[high]))]
            reason = self._reasons[chunk, other] = boundary_reason(left, right)
        return reason


@dataclass(frozen=True, slots=True)
class LiveScores:
    """Estimated scores of a configuration, with the rankings and answer states behind them."""

    config: Config
    measure: Measure
    question_ids: tuple[str, ...]
    """(q,) in the order of the set, as in `scores` and `results`."""
    scores: Scores
    results: tuple[tuple[Found, ...], ...]
    """(q,) results of each question, best first."""
    answers: tuple[AnswerState, ...]
    """State of every answer of every document, in document order."""
    chunks: int
    """Number of chunks (level chunk) over all documents."""
    notes: tuple[str, ...] = ()
    """Sentences about parts of the configuration that live recall ignores."""
    warnings: tuple[str, ...] = ()
    """Warnings of the splitter, such as a strategy that does not suit a document; an index has these, too."""


@dataclass(frozen=True, slots=True)
class LiveDifference:
    """Mean live score minus measured score, over common questions; shares: 0.05 is five points."""

    questions: int
    recall: float
    iou: float
    apart: float
    """Mean absolute difference of a question's recall."""

    @property
    def sentence(self) -> str:
        """Sentence with the differences of recall and IoU in points."""
        return (
            f"Live estimate minus run on a real index: recall {100 * self.recall:+.1f} points, "
            f"IoU {100 * self.iou:+.1f} points ({self.questions} questions)."
        )


def difference(live: LiveScores, run: EvaluationRun, questions: QuestionSet) -> LiveDifference | None:
    """Compare live scores with a run of the same configuration; None without a common question.

    The run is scored by the measure of the live scores.
    """
    from chunking.evaluation.metrics.scoring import score_run

    real = score_run(run, questions, live.measure)
    rows = {question_id: row for row, question_id in enumerate(live.question_ids)}
    both = [(rows[question_id], row) for row, question_id in enumerate(real.ids) if question_id in rows]
    if not both:
        return None
    ours, theirs = np.array(both, np.int64).T
    recall = live.scores.recall[ours] - real.recall[theirs]
    iou = live.scores.iou[ours] - real.iou[theirs]
    return LiveDifference(len(both), float(recall.mean()), float(iou.mean()), float(np.abs(recall).mean()))
