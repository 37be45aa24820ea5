"""Rows of the quality table: configurations of the product, rebuilt methods, and numbers printed in papers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from benchmarks.peers import PEERS
from chunking.config import BASELINE_SPLITTING, DEFAULT_MODEL, ENGLISH_MODEL
from chunking.errors import QuestionError
from chunking.retrieval.ranking.reranking import RERANKERS

__all__ = [
    "BASELINE",
    "CURVES",
    "DEFAULT",
    "ENGLISH",
    "PRINTED",
    "RERANKED",
    "SAME_MODEL",
    "Configuration",
    "PrintedFigures",
    "chosen_configurations",
]

Settings = Mapping[str, str | int]

PREVIOUS_DEFAULT: Settings = {"embedding.model": ENGLISH_MODEL, "size": 150}
"""Changes that bring the previous default back: the model of the rebuilt methods, and the size for its tokens."""
BASELINE = "TokenText 250/125"
"""Rebuilt method that the claims compare with: the best recall that Chroma printed for this model."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """Row of the table: settings of the product, or a rebuilt method searched by vectors."""

    name: str
    settings: Settings | None = None
    """Changes to the defaults; None: a method of `benchmarks.peers`."""

    @property
    def origin(self) -> str:
        """Return `measured` or `rebuilt`."""
        return "rebuilt" if self.settings is None else "measured"


class PrintedFigures(NamedTuple):
    """Numbers printed in a paper, in percent at five chunks; None where it prints none."""

    method: str
    model: str
    recall: float
    iou: float
    precision: float | None = None

    @property
    def text(self) -> str:
        """Return the numbers in the order of the table, and the model."""
        precision = "–" if self.precision is None else f"{self.precision:.1f}"
        return f"{self.recall:.1f} · {self.iou:.1f} · {precision}, {self.model}"


DEFAULT = Configuration("default", {})
SAME_MODEL = Configuration(f"previous default, {ENGLISH_MODEL}", PREVIOUS_DEFAULT)
"""The default until November 2026, with the model of the rebuilt methods: only splitting and search differ."""
_VECTORS: Settings = {"search.mode": "vector", "search.retrieval": "chunk"}
_PRODUCT: tuple[Configuration, ...] = (
    DEFAULT,
    SAME_MODEL,
    Configuration("default, vectors only", {"search.mode": "vector"}),
    Configuration("default, full text only", {"search.mode": "text"}),
    Configuration("recursive 512/50, vectors only", {**BASELINE_SPLITTING, **_VECTORS}),
)
_REBUILT: tuple[Configuration, ...] = tuple(Configuration(name) for name in PEERS)
RERANKED: tuple[Configuration, ...] = tuple(
    Configuration(f"default, {row.name.label}", {"search.rerank": row.name.value}) for row in RERANKERS.values()
)
"""The default with each reranker; measured only where they are named."""
ENGLISH = ("Chroma", "Evidence Inference", "XQuAD en")
"""Collections that every measured model reads, so that methods which search by vectors only are compared fairly."""
CURVES = ("default", SAME_MODEL.name, "Cluster 200", "TokenText 250/125", "Recursive 200/0")
"""Configurations in the picture."""

_MINILM, _LARGE = "all-MiniLM-L6-v2", "text-embedding-3-large"
PRINTED: Mapping[str, tuple[PrintedFigures, ...]] = {
    "Chroma": (
        PrintedFigures("TokenText 250/125", _MINILM, 82.4, 3.5, 3.6),
        PrintedFigures("TokenText 250/0", _MINILM, 77.1, 3.3),
        PrintedFigures("Recursive 200/0", _MINILM, 75.7, 6.5),
        PrintedFigures("Recursive 250/125", _MINILM, 78.7, 4.9, 4.9),
        PrintedFigures("Cluster 200", _MINILM, 75.2, 7.2, 7.2),
        PrintedFigures("Cluster 250", _MINILM, 77.3, 6.0),
        PrintedFigures("Recursive 250/0", _MINILM, 78.5, 5.4),
        PrintedFigures("LLM chunker", _LARGE, 91.9, 3.9),
        PrintedFigures("Cluster 200", _LARGE, 87.3, 8.0),
    ),
}
"""By collection. Chroma: Smith and Troynikov 2024, all of its five corpora and questions; three are at hand here."""


def chosen_configurations(models: Sequence[str] = (), names: Sequence[str] = ()) -> tuple[Configuration, ...]:
    """Return the rows of a run.

    Args:
        models: embedding models to measure the default with, besides its own.
        names: only these rows; empty: all but `RERANKED`.
    Raises:
        QuestionError: there is no row of that name.
    """
    others = [model for model in dict.fromkeys(models) if model != DEFAULT_MODEL]
    rows = (
        *_PRODUCT,
        *(Configuration(f"default, {model}", {"embedding.model": model}) for model in others),
        *_REBUILT,
    )
    every = (*rows, *RERANKED)
    unknown = [name for name in names if name not in {row.name for row in every}]
    if unknown:
        known = ", ".join(row.name for row in every)
        raise QuestionError(f"There is no configuration '{unknown[0]}' in the quality benchmark; it has {known}.")
    return tuple(row for row in every if row.name in names) if names else rows
