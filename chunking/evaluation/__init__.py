"""Questions with answer spans against what settings find for them: metrics, live recall, sweeps, statistics, and why it failed."""

from __future__ import annotations

from chunking.evaluation.loaded import LoadedChunks, config_of_loaded, read_chunks, register_loaded, save_chunks
from chunking.evaluation.questions import Answer, Made, Part, Question, QuestionSet
from chunking.evaluation.runs import Answered, Cause, Diagnosis, Found, Run

__all__ = [
    "Answer",
    "Answered",
    "Cause",
    "Diagnosis",
    "Found",
    "LoadedChunks",
    "Made",
    "Part",
    "Question",
    "QuestionSet",
    "Run",
    "config_of_loaded",
    "read_chunks",
    "register_loaded",
    "save_chunks",
]
