"""Rows of the commands that evaluate settings and compare indexes."""

from __future__ import annotations

from chunking.cli.arguments.command_words import Command
from chunking.cli.arguments.command_words import path as _path
from chunking.cli.arguments.command_words import word as _word
from chunking.cli.arguments.shared_arguments import (
    CONFIG_OR_NAME,
    ENGINE,
    MARGIN,
    MEASURE,
    METRIC,
    OPTIONAL_PATHS,
    OPTIONAL_WORKSPACE,
    QUESTIONS,
    READING,
    RETRIEVAL,
    SET,
    SOLE_WRITER,
    WORKSPACE,
)

__all__ = ["EVALUATION"]

EVALUATION: tuple[Command, ...] = (
    Command(
        "evaluate",
        "evaluate settings on a question set (one run)",
        "evaluating.evaluate",
        (
            OPTIONAL_PATHS,
            QUESTIONS,
            CONFIG_OR_NAME,
            SET,
            *MEASURE,
            RETRIEVAL,
            _word(
                "--part",
                choices=["tune", "holdout"],
                help="only one split of the set: tune is the dev split, holdout the held-out split",
            ),
            _word(
                "--chunks",
                type=_path,
                metavar="FILE",
                help="evaluate chunks made elsewhere: JSONL with offsets or text",
            ),
            OPTIONAL_WORKSPACE,
            SOLE_WRITER,
            *READING,
            _word(
                "--fail-below",
                action="append",
                default=[],
                metavar="METRIC=PERCENT",
                help=("exit 1 if the whole 95 % confidence interval of the metric is below this (repeatable)"),
            ),
        ),
    ),
    Command(
        "sweep",
        "evaluate many configurations on a question set (an experiment)",
        "sweeping.sweep",
        (
            OPTIONAL_PATHS,
            QUESTIONS,
            _word(
                "--grid",
                action="append",
                default=[],
                metavar="k=v1,v2",
                help=(
                    "values of a setting, or of `parser`; all combinations are run (repeatable); separate values by | "
                    "if one contains a comma"
                ),
            ),
            _word(
                "--try",
                dest="tries",
                action="append",
                default=[],
                metavar="'k=v k=v'",
                help="one more configuration (repeatable)",
            ),
            CONFIG_OR_NAME,
            SET,
            _word(
                "--minutes",
                type=float,
                default=0.0,
                metavar="M",
                help=(
                    "time limit: successive halving drops the worse half on a sample of the questions; default: "
                    "all configurations on all questions"
                ),
            ),
            _word(
                "--estimate",
                action="store_true",
                help=(
                    "estimate all configurations first, without an index, and evaluate only the few that matter: "
                    "the best estimate, the cheapest within the margin, and the unchanged settings"
                ),
            ),
            _word(
                "--measure",
                type=int,
                default=3,
                metavar="N",
                help="with --estimate: how many to evaluate; 0: none (default: 3)",
            ),
            *MEASURE,
            METRIC,
            MARGIN,
            _word("--name", metavar="NAME", help="name of the experiment in the workspace"),
            OPTIONAL_WORKSPACE,
            SOLE_WRITER,
            *READING,
            *ENGINE,
        ),
    ),
    Command(
        "compare",
        "compare two runs printed by evaluate, or a candidate index with the live one, question by question",
        "sweeping.compare",
        (
            _word("a", nargs="?", type=_path, metavar="A.json", help="output of evaluate"),
            _word("b", nargs="?", type=_path, metavar="B.json", help="output of evaluate with other settings"),
            METRIC,
            _word(
                "--fail-if-worse",
                action="store_true",
                help="exit 1 if the first run, or the candidate, is significantly worse",
            ),
            _word(
                "--candidate",
                action="store_true",
                help="compare NAME.candidate with the live index NAME: boundaries, gold answers, embedded texts",
            ),
            _word("--workspace", metavar="DIR", help="with --candidate: the folder of the workspace"),
            _word("--name", metavar="N", help="with --candidate: the live index; default: main"),
            _word(
                "--questions", metavar="FILE", help="with --candidate: question set, as for evaluate, or a saved one"
            ),
            *MEASURE,
            _word(
                "--max-drop",
                type=float,
                metavar="POINTS",
                help="with --candidate: exit 1 if the mean of the metric falls by more points, significantly or not",
            ),
        ),
    ),
    Command(
        "candidate",
        "make the candidate of an index live, undo that, or drop the candidate",
        "candidate_commands.candidate",
        (
            _word(
                "what",
                choices=["promote", "undo", "drop"],
                metavar="WHAT",
                help=(
                    "promote: NAME.candidate becomes NAME, and NAME becomes NAME.previous; undo: the other way round; "
                    "drop: delete the candidate"
                ),
            ),
            WORKSPACE,
            SOLE_WRITER,
            _word("--name", metavar="N", help="the live index; default: main"),
        ),
    ),
)
