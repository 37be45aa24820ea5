"""Questions with answer spans against what settings find for them: metrics, live recall, sweeps, statistics, and why it failed."""

from __future__ import annotations

from chunking.evaluation.questions import Answer, Made, Part, Question, QuestionSet
from chunking.evaluation.runs import Answered, Cause, Diagnosis, Found, Run

__all__ = ["Answer", "Answered", "Cause", "Diagnosis", "Found", "Made", "Part", "Question", "QuestionSet", "Run"]
