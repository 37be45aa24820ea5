"""The quality table: configurations by collection and as mean over collections, in Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import fill

import numpy as np

from benchmarks.ir_collections import HALVES
from benchmarks.quality.configurations import BASELINE, DEFAULT, ENGLISH, PRINTED, SAME_MODEL, Configuration
from benchmarks.quality.figures import AT_RESULTS, AT_TOKENS, CURVE, RANKED, Figures, MeanDifference, mean_difference
from benchmarks.quality.rankings import SHOWN
from benchmarks.report import Row
from chunking.config import ENGLISH_MODEL
from chunking.evaluation import Measure

__all__ = ["CurvePlace", "MeasuredQuestions", "QualityTable"]

_HEAD = (
    "collection",
    "configuration",
    "is",
    f"at {SHOWN} results: recall · IoU · precision",
    "tokens",
    *(f"{one.label}: recall · IoU · precision" for one in AT_TOKENS),
    "MRR",
    "nDCG",
    f"lead over this: recall at {SHOWN}",
    "at 1,000 tokens",
    f"{{other}} half: recall at {SHOWN}",
    "at 1,000 tokens",
    f"printed in a paper, at {SHOWN}: recall · IoU · precision, model",
)
_NOTES = (
    f"Percent; MRR and nDCG of the first {RANKED.n} results. Measured: the product, through its own index and search. "
    f"Rebuilt: a published method, rebuilt for this benchmark, searched by vectors with {ENGLISH_MODEL} and measured "
    "in the same run. Printed: copied from a paper, with its model and its questions; nothing is compared with it.",
    "Lead: recall of the default less that of the row; over a rebuilt method, that of the previous default, which has "
    "the same model, so that only splitting and search differ.",
    "Tokens are those of cl100k, the same for every row, without prefixes; of a result that passes the limit, its "
    "share counts. A character that is returned twice counts twice in IoU and precision.",
    f"{ENGLISH_MODEL} reads English. Where it does not read the language the product searches by full text, and the "
    "rebuilt methods by vectors, as published: only the English collections compare ways of splitting.",
    "Intervals: 95 %, paired bootstrap over the questions; for the mean, over the questions of each collection, where "
    "XQuAD's languages share the questions. Halves are by document: defaults are chosen on the tune halves only.",
)
_SOURCE = (
    "Printed for Chroma: Smith and Troynikov, *Evaluating Chunking Strategies for Retrieval* (2024), on all five of "
    "its corpora and all questions; three corpora are at hand."
)
_COLUMNS = 118
_COMPARED = (AT_RESULTS, AT_TOKENS[0])
"""Cutoffs at which the default is compared with the others."""


@dataclass(frozen=True, slots=True)
class MeasuredQuestions:
    """Figures of a collection, by configuration."""

    name: str
    family: str
    halves: np.ndarray
    """(questions,) int, indices into `HALVES`."""
    figures: Mapping[str, Figures]


@dataclass(frozen=True, slots=True)
class CurvePlace:
    """Point of the picture: mean tokens and mean recall of the first n results."""

    tokens: float
    recall: float


@dataclass(frozen=True)
class QualityTable:
    """Figures of a run; every configuration has those of every collection.

    Args:
        half: index into `HALVES` of the half that the figures are of.
    """

    configurations: Sequence[Configuration]
    collections: Sequence[MeasuredQuestions]
    half: int = 1
    notes: Sequence[str] = field(default=())

    @property
    def rows(self) -> Sequence[Row]:
        """Return the claims: with the same model in equal text more than the named baseline, as mean in English.

        And with its own model more at five results than with the other, as mean over all.
        """
        pairs = [(self._ours(Configuration(BASELINE)), BASELINE, measure, self.fair) for measure in AT_TOKENS]
        pairs += [(DEFAULT.name, SAME_MODEL.name, AT_RESULTS, self.collections)]
        names = {one.name for one in self.configurations}
        return [self._claim(*one) for one in pairs if self.collections and {*one[:2]} <= names]

    def _claim(self, ours: str, theirs: str, measure: Measure, scope: Sequence[MeasuredQuestions]) -> Row:
        """Return the row of a lead in mean recall; it holds if its interval is above zero."""
        gap = self._gap(scope, ours, theirs, measure)
        mean, other = (self._mean(scope, name, "recall", measure) for name in (ours, theirs))
        what = f"{ours}: mean recall {measure.label}, {len(scope)} collections"
        return Row(
            what, f"{100 * mean:.1f}", f"{theirs}: {100 * other:.1f}", _signed(gap), "interval above 0", gap.low > 0
        )

    @property
    def fair(self) -> Sequence[MeasuredQuestions]:
        """The English collections; all collections of a run without one of these."""
        return [one for one in self.collections if one.name in ENGLISH] or self.collections

    def curve(self, name: str) -> list[CurvePlace]:
        """Return mean tokens and recall of the first 1 to 10 results, over the English collections."""
        metrics = ("tokens", "recall")
        return [CurvePlace(*(self._mean(self.fair, name, one, measure) for one in metrics)) for measure in CURVE]

    def markdown(self) -> str:
        """Return the table: means first, then each collection."""
        head = [cell.format(other=HALVES[1 - self.half]) for cell in _HEAD]
        lines = [f"**Quality, {HALVES[self.half]} halves**", "", _line(head), _line(["---"] * len(head))]
        if 1 < len(self.fair) < len(self.collections):
            lines += self._rows_of(f"**mean of {len(self.fair)} English collections**", self.fair)
        if len(self.collections) > 1:
            lines += self._rows_of(f"**mean of {len(self.collections)} collections**", self.collections)
        for one in self.collections:
            count = int((one.halves == self.half).sum())
            lines += self._rows_of(f"**{one.name}**, {count} questions", [one])
        source = [_SOURCE] if any(one.name in PRINTED for one in self.collections) else []
        return "\n".join([*lines, "", *(f"{fill(note, _COLUMNS)}  " for note in (*_NOTES, *source, *self.notes))])

    def _rows_of(self, label: str, scope: Sequence[MeasuredQuestions]) -> Iterator[str]:
        """Yield a row per configuration for one collection, or for the mean of several."""
        printed = PRINTED.get(scope[0].name, ()) if len(scope) == 1 else ()
        rebuilt = {one.name for one in self.configurations if one.settings is None}
        for number, one in enumerate(self.configurations):
            yield _line(
                [
                    "" if number else label,
                    f"**{one.name}**" if one == DEFAULT else one.name,
                    one.origin,
                    *self._figures(scope, one.name),
                    *(self._gap_cell(scope, one, measure) for measure in _COMPARED),
                    *(_percent(self._mean(scope, one.name, "recall", at, 1 - self.half)) for at in _COMPARED),
                    "; ".join(line.text for line in printed if line.method == one.name and one.name in rebuilt),
                ]
            )
        for line in printed:
            if line.method not in rebuilt:
                yield _line(["", line.method, "printed", *[""] * (len(_HEAD) - 4), line.text])

    def _figures(self, scope: Sequence[MeasuredQuestions], name: str) -> list[str]:
        """Return the cells from recall at five results to nDCG."""

        def shares(measure: Measure) -> str:
            metrics = ("recall", "iou", "precision")
            return " · ".join(_percent(self._mean(scope, name, one, measure)) for one in metrics)

        return [
            shares(AT_RESULTS),
            f"{self._mean(scope, name, 'tokens', AT_RESULTS):,.0f}",
            *map(shares, AT_TOKENS),
            *(f"{self._mean(scope, name, metric, RANKED):.3f}" for metric in ("reciprocal_rank", "ndcg")),
        ]

    def _gap_cell(self, scope: Sequence[MeasuredQuestions], row: Configuration, measure: Measure) -> str:
        """Return the default's lead in recall; empty for the default, and in a run without it."""
        if row == DEFAULT or DEFAULT not in self.configurations:
            return ""
        return _signed(self._gap(scope, self._ours(row), row.name, measure))

    def _ours(self, other: Configuration) -> str:
        """Return the default that a row is compared with: over a rebuilt method, that with the same model."""
        return SAME_MODEL.name if other.settings is None and SAME_MODEL in self.configurations else DEFAULT.name

    def _gap(self, scope: Sequence[MeasuredQuestions], ours: str, theirs: str, measure: Measure) -> MeanDifference:
        """Return the recall of one configuration less that of another."""
        differences = [
            (one.family, self._values(one, ours, "recall", measure) - self._values(one, theirs, "recall", measure))
            for one in scope
        ]
        return mean_difference(differences)

    def _mean(
        self, scope: Sequence[MeasuredQuestions], name: str, metric: str, measure: Measure, half: int | None = None
    ) -> float:
        """Return the mean over collections of their means; NaN if none has a question in the half."""
        means = [values.mean() for one in scope if len(values := self._values(one, name, metric, measure, half))]
        return float(np.mean(means)) if means else math.nan

    def _values(
        self, collection: MeasuredQuestions, name: str, metric: str, measure: Measure, half: int | None = None
    ) -> np.ndarray:
        """Return the values of a half's questions."""
        chosen = collection.halves == (self.half if half is None else half)
        values: np.ndarray = collection.figures[name][measure].of_metric(metric)[chosen]
        return values


def _percent(share: float) -> str:
    return f"{100 * share:.1f}" if math.isfinite(share) else "–"


def _signed(gap: MeanDifference) -> str:
    return f"{100 * gap.mean:+.1f} ({100 * gap.low:+.1f} to {100 * gap.high:+.1f})"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
