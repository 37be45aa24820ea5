"""A sweep whose indexes share texts, and the comparison of two workspaces that it was run in."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pyarrow as pa

from chunking.config import Config
from chunking.evaluation import QuestionSet, Sweep, SweepReport
from chunking.store import Workspace
from tests.support.plants import WORDS, questions_of

HYBRID = Config.from_settings({"search.mode": "hybrid"}, WORDS)
PLANNED = Sweep(
    "parts",
    "things",
    HYBRID,
    {"granularities": ("none", "3,8"), "search.vector_weight": ("0.3", "0.7")},
    ({"size": "16", "min_size": "20"}, {"search.mode": "text"}, {"size": "48"}),
    baseline=True,
)
"""Four indexes of seven configurations, and one that is invalid; larger chunks exceed the model and become windows."""

TWO = Sweep("two", "things", HYBRID, {"size": ("48", "64")})


def few_questions(workspace: Workspace) -> QuestionSet:
    """Return four of the questions, on both documents."""
    return questions_of(workspace).only(["north-pump", "north-tank", "south-valve", "south-cable"])


def check_equal(ours: Workspace, report: SweepReport, theirs: Workspace, expected: SweepReport) -> None:
    """Compare reports, stored runs and sweeps, and saved vectors, but for times."""
    assert replace(report, seconds=0.0) == replace(expected, seconds=0.0)
    assert _runs(ours) == _runs(theirs)
    assert ours.sweeps.names() == theirs.sweeps.names()
    assert _vectors(ours).equals(_vectors(theirs))


def _runs(workspace: Workspace) -> dict[str, dict[str, Any]]:
    runs = {key: json.loads(text) for key, text in workspace.runs.all().items()}
    return {key: run | {"seconds": 0, "made_at": ""} for key, run in runs.items()}


def _vectors(workspace: Workspace) -> pa.Table:
    import lancedb

    return lancedb.connect(workspace.uri).open_table("embeddings").to_arrow().sort_by("key")
