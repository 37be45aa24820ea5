"""Questions with answer spans against what settings find for them: metrics, live recall, sweeps, statistics, and why it failed."""

from __future__ import annotations

from chunking.evaluation.answer_states import AnswerFate, AnswerState, answer_states
from chunking.evaluation.comparing import Change, Line, QuestionChange, common, compare_runs, leaderboard, pareto, per_question, summary
from chunking.evaluation.diagnosis import causes, diagnose
from chunking.evaluation.editing import add_question, check_set, free_name
from chunking.evaluation.effects import Heat, Sensitivity, heat, sensitivity
from chunking.evaluation.evaluate import evaluate
from chunking.evaluation.generating import QUESTIONS_PROMPT, RULES, generate, generate_with_llm, questions_estimate
from chunking.evaluation.helping import Advice, advice
from chunking.evaluation.keys import documents_key, is_current, run_key
from chunking.evaluation.live import Live
from chunking.evaluation.live_scores import LiveDifference, LiveScores, difference
from chunking.evaluation.loaded import LoadedChunks, config_of_loaded, read_chunks, save_chunks, use_loaded
from chunking.evaluation.locating import locate
from chunking.evaluation.measure import Measure, Returned, counted, returned
from chunking.evaluation.metrics import COST, METRICS, Metric, metric_of
from chunking.evaluation.near import near_misses
from chunking.evaluation.problems import Imported, Pending, Problem, ProblemKind, accept
from chunking.evaluation.progress import Progress
from chunking.evaluation.questions import Answer, Made, Part, Question, QuestionSet
from chunking.evaluation.reading import read_questions
from chunking.evaluation.recommending import Recommendation
from chunking.evaluation.relocating import Relocated, relocate
from chunking.evaluation.runs import Answered, Cause, Diagnosis, Found, Run
from chunking.evaluation.saved import delete_set, load_set, save_set, set_names
from chunking.evaluation.scoring import Score, Scores, omega, score_run, score_spans, too_shallow
from chunking.evaluation.settings_told import label, labels, setting_texts, varied
from chunking.evaluation.splitting import split
from chunking.evaluation.statistics import Difference, Interval, interval, paired
from chunking.evaluation.sweep import Failed, Planned, Round, Sweep, SweepReport
from chunking.evaluation.sweeping import load_sweep, run_sweep, save_sweep, sweep_report
from chunking.evaluation.trials import Trials
from chunking.evaluation.wording import CAUSES, METHODS, CauseWords, Verdict, difference_in_words, interval_in_words, verdict
from chunking.evaluation.writing import to_csv, to_jsonl

__all__ = [
    "CAUSES",
    "COST",
    "METHODS",
    "METRICS",
    "QUESTIONS_PROMPT",
    "RULES",
    "Advice",
    "Answer",
    "AnswerFate",
    "AnswerState",
    "Answered",
    "Cause",
    "CauseWords",
    "Change",
    "Diagnosis",
    "Difference",
    "Failed",
    "Found",
    "Heat",
    "Imported",
    "Interval",
    "Line",
    "Live",
    "LiveDifference",
    "LiveScores",
    "LoadedChunks",
    "Made",
    "Measure",
    "Metric",
    "Part",
    "Pending",
    "Planned",
    "Problem",
    "ProblemKind",
    "Progress",
    "Question",
    "QuestionChange",
    "QuestionSet",
    "Recommendation",
    "Relocated",
    "Returned",
    "Round",
    "Run",
    "Score",
    "Scores",
    "Sensitivity",
    "Sweep",
    "SweepReport",
    "Trials",
    "Verdict",
    "accept",
    "add_question",
    "advice",
    "answer_states",
    "causes",
    "check_set",
    "common",
    "compare_runs",
    "config_of_loaded",
    "counted",
    "delete_set",
    "diagnose",
    "difference",
    "difference_in_words",
    "documents_key",
    "evaluate",
    "free_name",
    "generate",
    "generate_with_llm",
    "heat",
    "interval",
    "interval_in_words",
    "is_current",
    "label",
    "labels",
    "leaderboard",
    "load_set",
    "load_sweep",
    "locate",
    "metric_of",
    "near_misses",
    "omega",
    "paired",
    "pareto",
    "per_question",
    "questions_estimate",
    "read_chunks",
    "read_questions",
    "relocate",
    "returned",
    "run_key",
    "run_sweep",
    "save_chunks",
    "save_set",
    "save_sweep",
    "score_run",
    "score_spans",
    "sensitivity",
    "set_names",
    "setting_texts",
    "split",
    "summary",
    "sweep_report",
    "to_csv",
    "to_jsonl",
    "too_shallow",
    "use_loaded",
    "varied",
    "verdict",
]
