"""Runs on a hundred questions that are hard by chance, for comparisons."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chunking.config import Config
from chunking.evaluation import (
    Answered,
    AnswerSpan,
    Cause,
    Diagnosis,
    EvaluationRun,
    Found,
    Question,
    QuestionSet,
    label,
)

COUNT = 100
QUESTIONS = QuestionSet(
    "some", tuple(Question(f"q{n}", "?", (AnswerSpan("d", 1000 * n, 1000 * n + 100, "x" * 100),)) for n in range(COUNT))
)
RANDOM = np.random.default_rng(0)
HARD = np.clip(RANDOM.normal(0.6, 0.3, COUNT), 0, 1)
"""How well a configuration that is neither good nor bad does, by question."""


def run(recalls: Sequence[float] | np.ndarray, tokens: int = 100, first: int = 0, **settings: str) -> EvaluationRun:
    """A run whose recall is known, and that returns so many tokens a question."""
    config = Config.from_settings({key.replace("__", "."): value for key, value in settings.items()})
    rows = []
    for number, recall in enumerate(recalls, start=first):
        start, length = 1000 * number, round(100 * float(recall))
        why = Diagnosis(Cause.RANKED_BELOW, "Rank 9.", 9) if length < 100 else None
        rows.append(
            Answered(
                f"q{number}", (Found("d", start, start + length, tokens, start, start + length),), 0.5, why, (tokens,)
            )
        )
    return EvaluationRun(label(config), label(config), config, "some", QUESTIONS.fingerprint, "d", tuple(rows), 5, 30)


def similar(by: float = 0.0, spread: float = 0.1) -> np.ndarray:
    """Recalls about as hard, and so much better."""
    return np.clip(HARD + by + RANDOM.normal(0, spread, COUNT), 0, 1)
