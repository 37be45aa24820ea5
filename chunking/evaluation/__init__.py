"""Questions with answer spans against what settings find for them: metrics, live recall, sweeps, statistics, and why it failed."""

from __future__ import annotations

from chunking.evaluation.answer_states import AnswerFate, AnswerState, answer_states
from chunking.evaluation.evaluate import evaluate
from chunking.evaluation.keys import run_key
from chunking.evaluation.live import Live
from chunking.evaluation.live_scores import LiveDifference, LiveScores, difference
from chunking.evaluation.loaded import LoadedChunks, config_of_loaded, read_chunks, register_loaded, save_chunks
from chunking.evaluation.progress import Progress
from chunking.evaluation.questions import Answer, Made, Part, Question, QuestionSet
from chunking.evaluation.runs import Answered, Cause, Diagnosis, Found, Run
from chunking.evaluation.sweep import Failed, Planned, Round, Sweep, SweepReport
from chunking.evaluation.sweeping import load_sweep, run_sweep, save_sweep, sweep_report
from chunking.evaluation.trials import Trials

__all__ = [
    "Answer",
    "AnswerFate",
    "AnswerState",
    "Answered",
    "Cause",
    "Diagnosis",
    "Failed",
    "Found",
    "Live",
    "LiveDifference",
    "LiveScores",
    "LoadedChunks",
    "Made",
    "Part",
    "Planned",
    "Progress",
    "Question",
    "QuestionSet",
    "Round",
    "Run",
    "Sweep",
    "SweepReport",
    "Trials",
    "answer_states",
    "config_of_loaded",
    "difference",
    "evaluate",
    "load_sweep",
    "read_chunks",
    "register_loaded",
    "run_key",
    "run_sweep",
    "save_chunks",
    "save_sweep",
    "sweep_report",
]
