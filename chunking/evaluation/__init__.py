"""Questions with answer spans against what settings find for them: metrics, live recall, sweeps, statistics, and why it failed."""

from __future__ import annotations

from chunking.evaluation.answer_states import AnswerFate, AnswerState, answer_states
from chunking.evaluation.live import Live
from chunking.evaluation.live_scores import LiveDifference, LiveScores, difference
from chunking.evaluation.loaded import LoadedChunks, config_of_loaded, read_chunks, register_loaded, save_chunks
from chunking.evaluation.questions import Answer, Made, Part, Question, QuestionSet
from chunking.evaluation.runs import Answered, Cause, Diagnosis, Found, Run

__all__ = [
    "Answer",
    "AnswerFate",
    "AnswerState",
    "Answered",
    "Cause",
    "Diagnosis",
    "Found",
    "Live",
    "LiveDifference",
    "LiveScores",
    "LoadedChunks",
    "Made",
    "Part",
    "Question",
    "QuestionSet",
    "Run",
    "answer_states",
    "config_of_loaded",
    "difference",
    "read_chunks",
    "register_loaded",
    "save_chunks",
]
