"""Run a strategy, or a simpler one where it fails: no text is lost, and a warning says why."""

from __future__ import annotations

import logging
from typing import NamedTuple

from chunking.config import Strategy
from chunking.errors import Cancelled, ChunkscopeError
from chunking.splitting.packing.chunk_columns import ChunkColumns
from chunking.splitting.packing.split_inputs import SplitInputs
from chunking.splitting.strategies.split_at_places import without_left_out
from chunking.splitting.strategies.strategy_table import STRATEGIES

__all__ = ["WHOLE_DOCUMENT", "StrategyResult", "run_strategy"]

_log = logging.getLogger(__name__)

WHOLE_DOCUMENT = "whole document"
"""Name of the last fallback: one chunk."""


class StrategyResult(NamedTuple):
    """The chunks of a strategy as places."""

    pieces: ChunkColumns
    strategy: str
    """Value of the strategy that made them, or `WHOLE_DOCUMENT`."""
    warnings: tuple[str, ...]


def run_strategy(inputs: SplitInputs) -> StrategyResult:
    """Cut a document with the configured strategy, falling back to simpler ones and at last to one chunk."""
    warnings: list[str] = []
    strategy: Strategy | None = inputs.config.strategy
    while strategy is not None:
        row = STRATEGIES[strategy]
        try:
            return StrategyResult(row.cut(inputs), strategy.value, (*warnings, *inputs.notes))
        except Cancelled:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a strategy raises, the document is not lost (C8)
            inputs.notes.clear()
            source = inputs.document.source
            if not isinstance(error, ChunkscopeError):
                _log.exception("The strategy %s failed on %s", strategy.value, source)
            substitute = row.simpler.value if row.simpler else "one chunk"
            warnings.append(
                f"The strategy {strategy.value} failed on {source} ({_cause(error)}); {substitute} was used instead."
            )
            strategy = row.simpler
    return StrategyResult(_one_chunk(inputs), WHOLE_DOCUMENT, tuple(warnings))


def _cause(error: Exception) -> str:
    if isinstance(error, ChunkscopeError):
        return str(error).rstrip(".")
    return f"{type(error).__name__}: {error}".rstrip(": ")


def _one_chunk(inputs: SplitInputs) -> ChunkColumns:
    pieces = ChunkColumns()
    for low, high in without_left_out(inputs, [(0, len(inputs.marks) - 1)]):
        pieces.add(low, high, inputs.survey.section[low])
    return pieces
