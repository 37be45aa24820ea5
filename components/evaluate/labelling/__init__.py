"""The labelling queue on Evaluate: how one is begun, and the work on it."""

from __future__ import annotations

from components.evaluate.labelling.labelling_way import labelling
from components.evaluate.labelling.labelling_work import labelling_work, opened_queue

__all__ = ["labelling", "labelling_work", "opened_queue"]
