"""Questions with answer spans against what settings find for them: metrics, live recall, sweeps, statistics, and why it failed."""

from __future__ import annotations

from chunking.evaluation.analysis.answer_states import AnswerFate, AnswerState, answer_states
from chunking.evaluation.analysis.failure_diagnosis import causes, diagnose
from chunking.evaluation.analysis.fate_comparison import FateChange, FateComparison, compare_fates
from chunking.evaluation.analysis.recommendation import Recommendation
from chunking.evaluation.analysis.result_wording import (
    CAUSES,
    METHODS,
    CauseWording,
    Verdict,
    difference_in_words,
    interval_in_words,
    verdict,
)
from chunking.evaluation.analysis.run_comparison import (
    Change,
    Line,
    QuestionChange,
    common,
    compare_runs,
    leaderboard,
    pareto,
    per_question,
    summary,
)
from chunking.evaluation.analysis.setting_effects import Heat, Sensitivity, heat, sensitivity
from chunking.evaluation.analysis.setting_labels import label, labels, setting_texts, varied, varied_settings
from chunking.evaluation.analysis.statistics import Difference, Interval, interval, paired
from chunking.evaluation.analysis.suggestions import Advice, advice
from chunking.evaluation.labelling.labels import Label, add_label, answer_span, judged_passage, question_of_query
from chunking.evaluation.labelling.pooling import MOST_DEPTH, Passage, Pooled, PoolSource, pool_results, sentence_spans, text_spans
from chunking.evaluation.labelling.proposed_answers import Proposed, propose_answers
from chunking.evaluation.labelling.queries import MOST_QUERIES, Queries, Query, distinct_queries, query_key, read_queries
from chunking.evaluation.labelling.queue import (
    Queue,
    QueueProgress,
    change_queue,
    delete_queue,
    load_queue,
    queue_names,
    queue_progress,
    save_queue,
    skip_query,
)
from chunking.evaluation.live.live_curve import Better, CurvePoint, better_values, setting_curve
from chunking.evaluation.live.live_recall import Live
from chunking.evaluation.live.live_scores import LiveDifference, LiveScores, difference
from chunking.evaluation.metrics.counted_results import Measure, Returned, counted, returned
from chunking.evaluation.metrics.metric_table import COST, METRICS, Metric, metric_of
from chunking.evaluation.metrics.scoring import Score, Scores, omega, score_run, score_spans, too_shallow
from chunking.evaluation.metrics.unanswered import CORRECTLY_UNANSWERED, WRONGLY_UNANSWERED, Unanswered, unanswered
from chunking.evaluation.metrics.unjudged_results import Unjudged, unjudged_results
from chunking.evaluation.questions.files.import_problems import Imported, Pending, Problem, ProblemKind, accept
from chunking.evaluation.questions.files.question_file import read_questions
from chunking.evaluation.questions.files.question_writing import to_csv, to_jsonl
from chunking.evaluation.questions.generation import QUESTIONS_PROMPT, RULES, generate, generate_with_llm, questions_estimate
from chunking.evaluation.questions.held_out import split
from chunking.evaluation.questions.judgements import Judged, Pool
from chunking.evaluation.questions.question import Answer, Made, Part, Question, QuestionSet
from chunking.evaluation.questions.question_folder import load_questions
from chunking.evaluation.questions.quotes.answer_quotes import locate, near_misses
from chunking.evaluation.questions.quotes.relocation import Relocated, relocate
from chunking.evaluation.questions.saved_sets import ChangedSet, change_set, delete_set, load_set, save_set, set_names
from chunking.evaluation.questions.set_editing import add_question, check_set, free_name
from chunking.evaluation.runs.evaluate import EvaluationOptions, evaluate
from chunking.evaluation.runs.loaded_chunks import LoadedChunks, config_of_loaded, read_chunks, save_chunks, use_loaded
from chunking.evaluation.runs.located_chunks import LocatedChunks, locate_chunks
from chunking.evaluation.runs.run import Answered, Cause, Diagnosis, Found, Run
from chunking.evaluation.runs.run_keys import documents_key, is_current, run_key
from chunking.evaluation.runs.run_progress import Progress
from chunking.evaluation.runs.trial_indexes import Trials
from chunking.evaluation.sweep.estimate_check import Checked, checked, mean_distance
from chunking.evaluation.sweep.grid_estimate import Estimate, Reason, Wanted, estimate_grid, worth_measuring
from chunking.evaluation.sweep.stored_sweeps import load_sweep, run_sweep, save_sweep, sweep_report
from chunking.evaluation.sweep.sweep import Failed, Planned, Round, Sweep, SweepReport
from chunking.evaluation.sweep.sweep_result import SweepResult

__all__ = [
    "CAUSES",
    "CORRECTLY_UNANSWERED",
    "COST",
    "METHODS",
    "METRICS",
    "MOST_DEPTH",
    "MOST_QUERIES",
    "QUESTIONS_PROMPT",
    "RULES",
    "WRONGLY_UNANSWERED",
    "Advice",
    "Answer",
    "AnswerFate",
    "AnswerState",
    "Answered",
    "Better",
    "Cause",
    "CauseWording",
    "Change",
    "ChangedSet",
    "Checked",
    "CurvePoint",
    "Diagnosis",
    "Difference",
    "Estimate",
    "EvaluationOptions",
    "Failed",
    "FateChange",
    "FateComparison",
    "Found",
    "Heat",
    "Imported",
    "Interval",
    "Judged",
    "Label",
    "Line",
    "Live",
    "LiveDifference",
    "LiveScores",
    "LoadedChunks",
    "LocatedChunks",
    "Made",
    "Measure",
    "Metric",
    "Part",
    "Passage",
    "Pending",
    "Planned",
    "Pool",
    "PoolSource",
    "Pooled",
    "Problem",
    "ProblemKind",
    "Progress",
    "Proposed",
    "Queries",
    "Query",
    "Question",
    "QuestionChange",
    "QuestionSet",
    "Queue",
    "QueueProgress",
    "Reason",
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
    "SweepResult",
    "Trials",
    "Unanswered",
    "Unjudged",
    "Verdict",
    "Wanted",
    "accept",
    "add_label",
    "add_question",
    "advice",
    "answer_span",
    "answer_states",
    "better_values",
    "causes",
    "change_queue",
    "change_set",
    "check_set",
    "checked",
    "common",
    "compare_fates",
    "compare_runs",
    "config_of_loaded",
    "counted",
    "delete_queue",
    "delete_set",
    "diagnose",
    "difference",
    "difference_in_words",
    "distinct_queries",
    "documents_key",
    "estimate_grid",
    "evaluate",
    "free_name",
    "generate",
    "generate_with_llm",
    "heat",
    "interval",
    "interval_in_words",
    "is_current",
    "judged_passage",
    "label",
    "labels",
    "leaderboard",
    "load_questions",
    "load_queue",
    "load_set",
    "load_sweep",
    "locate",
    "locate_chunks",
    "mean_distance",
    "metric_of",
    "near_misses",
    "omega",
    "paired",
    "pareto",
    "per_question",
    "pool_results",
    "propose_answers",
    "query_key",
    "question_of_query",
    "questions_estimate",
    "queue_names",
    "queue_progress",
    "read_chunks",
    "read_queries",
    "read_questions",
    "relocate",
    "returned",
    "run_key",
    "run_sweep",
    "save_chunks",
    "save_queue",
    "save_set",
    "save_sweep",
    "score_run",
    "score_spans",
    "sensitivity",
    "sentence_spans",
    "set_names",
    "setting_curve",
    "setting_texts",
    "skip_query",
    "split",
    "summary",
    "sweep_report",
    "text_spans",
    "to_csv",
    "to_jsonl",
    "too_shallow",
    "unanswered",
    "unjudged_results",
    "use_loaded",
    "varied",
    "varied_settings",
    "verdict",
    "worth_measuring",
]
