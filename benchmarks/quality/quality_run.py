"""Run of the quality benchmark: measure every configuration on every collection, and draw the picture."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.ir_collections import COLLECTIONS, HALVES
from benchmarks.quality.collection_forms import AskedCollection, open_collection
from benchmarks.quality.configurations import CURVES, Configuration, chosen_configurations
from benchmarks.quality.figures import Figures, figures
from benchmarks.quality.picture import THEMES, draw_curves
from benchmarks.quality.quality_table import MeasuredQuestions, QualityTable
from benchmarks.quality.rankings import CollectionRankings, ProgressLine
from chunking.errors import ModelError

__all__ = ["KEEP", "run"]

KEEP = Path(tempfile.gettempdir()) / "chunkscope-quality"
"""Where vectors and results are kept, unless a run says otherwise."""
IMAGES = Path(__file__).parents[2] / "docs" / "images"


def run(
    *,
    models: Sequence[str] = (),
    collections: Sequence[str] = (),
    configurations: Sequence[str] = (),
    half: str = "report",
    keep: Path | None = None,
) -> QualityTable:
    """Measure, or take what is kept; the first time takes about two hours of two cores.

    Args:
        models: embedding models to measure the default with, besides those of the table.
        collections: names of collections at hand, or paths; empty: all at hand.
        configurations: names of rows; empty: all.
        half: of the questions, `tune` or `report`.
        keep: folder for vectors and results.
    Raises:
        QuestionError: a collection or configuration is unknown, or cannot be read.
    """
    rows = chosen_configurations(models, configurations)
    names = collections or [name for name, one in COLLECTIONS.items() if one.at_hand]
    absent = () if collections else tuple(name for name, one in COLLECTIONS.items() if not one.at_hand)
    measuring = _Measuring(rows, HALVES.index(half), ProgressLine())
    measured = [one for name in names for one in measuring.measure(open_collection(name, keep or KEEP))]
    left = tuple(row for row in rows if row.name not in measuring.failed)
    notes = [*measuring.notes, *([f"Not at hand: {', '.join(absent)}."] if absent else [])]
    table = QualityTable(left, measured, measuring.half, notes)
    if not collections and not configurations and half == "report":
        draw_pictures(table)
    return table


def draw_pictures(table: QualityTable, folder: Path = IMAGES) -> None:
    """Write the curves of `CURVES` into the pictures of the documentation, in both themes."""
    rows = {one.name: one for one in table.configurations}
    curves = {
        f"{name}{', rebuilt' * (rows[name].settings is None)}": table.curve(name) for name in CURVES if name in rows
    }
    caption = f"mean recall of {len(table.fair)} English collections, %"
    for name, theme in THEMES.items():
        (folder / f"quality-{name}.svg").write_text(draw_curves(curves, caption, theme), encoding="utf-8")


class _Measuring:
    """Measurements of a run, with the sentences about what could not be measured."""

    def __init__(self, rows: Sequence[Configuration], half: int, line: ProgressLine) -> None:
        self._rows, self.half, self._line = rows, half, line
        self.failed: dict[str, str] = {}
        """Sentence by configuration."""
        self._notes: list[str] = []

    @property
    def notes(self) -> Sequence[str]:
        return [*self._notes, *(f"Not measured: {name}. {why}" for name, why in self.failed.items())]

    def measure(self, collection: AskedCollection) -> Iterator[MeasuredQuestions]:
        """Yield the figures of a collection; nothing if it has no question in the half."""
        self._notes += collection.notes
        if self.half not in collection.halves:
            self._notes.append(
                f"{collection.name} has no question in its {HALVES[self.half]} half, which takes a second document."
            )
            return
        results: dict[str, Figures] = {}
        with CollectionRankings(collection, self._line) as rankings:
            for row in self._rows:
                if row.name not in self.failed:
                    results |= self._figures(collection, rankings, row)
        yield MeasuredQuestions(collection.name, collection.family, collection.halves, results)

    def _figures(
        self, collection: AskedCollection, rankings: CollectionRankings, row: Configuration
    ) -> Mapping[str, Figures]:
        self._line.title, began = f"{collection.name}, {row.name}", time.perf_counter()
        try:
            scored = figures(collection.questions, rankings.of(row))
        except ModelError as error:
            self.failed[row.name] = str(error)
            self._line.finish(str(error))
            return {}
        self._line.finish(f"{len(collection.questions):,} questions, {time.perf_counter() - began:.0f} s")
        return {row.name: scored}
