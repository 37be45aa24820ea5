"""Texts of any length through a model, window by window, with the states of their tokens added up unit by unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunking.embedding.base import OnProgress, Vectors
from chunking.embedding.local.local_embedder import LocalEmbedder
from chunking.embedding.local.token_windows import Around, Ints, TextTokens, Window, plan_windows
from chunking.errors import ModelError

__all__ = ["UnitStates", "read_states"]

_ROWS_AT_ONCE = 64
"""Windows given to the model between two reports of progress."""


@dataclass(frozen=True, slots=True)
class UnitStates:
    """What a model made of some texts."""

    sums: list[Vectors]
    """(units, width) float32 of each text: sums over the tokens of each unit."""
    edge: Vectors
    """(width,) float32: the mean state of the special tokens around the windows."""
    edge_tokens: float
    """How many of these are pooled in a window."""


def read_states(
    embedder: LocalEmbedder,
    window: int,
    texts: Sequence[TextTokens],
    ends: Sequence[Ints],
    on_progress: OnProgress | None = None,
) -> UnitStates:
    """Encode texts in windows, each token where it is most central, and add up the states of each unit.

    Args:
        window: most tokens of a window, those around the text included.
        texts: at least one.
        ends: of each text, (units,) the token after each unit, as `unit_ends` gives them.
        on_progress: called with the number of tokens that are done; may raise to stop.
    Raises:
        ModelError: the model fails, or its prompt fills the window.
    """
    around = embedder.around()
    size = window - around.tokens
    if size < 1:
        raise ModelError(
            f"The prompt of {embedder.folder.name} leaves no room in a window of {window} tokens: "
            "set a larger embedding.late_window, or a shorter embedding.passage_prefix."
        )
    windows = [(number, one) for number, pieces in enumerate(texts) for one in plan_windows(len(pieces), size)]
    adding = _Adding(around, ends)
    done = 0
    for first in range(0, len(windows), _ROWS_AT_ONCE):
        some = windows[first : first + _ROWS_AT_ONCE]
        rows = [
            [*around.before, *texts[number].ids[one.first : one.after].tolist(), *around.after] for number, one in some
        ]
        for row, states in embedder.states(rows):
            adding.add(*some[row], states)
        done += sum(one.own[1] - one.own[0] for _, one in some)
        if on_progress is not None:
            on_progress(done)
    return adding.finished(len(windows))


class _Adding:
    """Sums that are being made."""

    def __init__(self, around: Around, ends: Sequence[Ints]) -> None:
        self._around, self._ends = around, ends
        self._sums: list[Vectors] = []
        self._edges = np.zeros(0, np.float32)

    def add(self, number: int, window: Window, states: Vectors) -> None:
        """The states of a window of a text, with those of what stands around it."""
        if not self._sums:  # the width is known from now on
            self._sums = [np.zeros((len(ends), states.shape[1]), np.float32) for ends in self._ends]
            self._edges = np.zeros(states.shape[1], np.float32)
        before, first, (low, high) = len(self._around.before), window.first, window.own
        edges = (states[self._around.unpooled : before], states[before + window.after - first :])
        self._edges += sum(edge.sum(axis=0) for edge in edges)
        if low == high:
            return
        units = np.searchsorted(self._ends[number], np.arange(low, high, dtype=np.int32), side="right")
        starts = np.flatnonzero(np.diff(units, prepend=-1))
        self._sums[number][units[starts]] += np.add.reduceat(
            states[before + low - first : before + high - first], starts, axis=0
        )

    def finished(self, windows: int) -> UnitStates:
        tokens = self._around.tokens - self._around.unpooled
        return UnitStates(self._sums, self._edges / np.float32(max(windows * tokens, 1)), float(tokens))
