"""Effect of splitting statutes and contracts by article: ready-made pattern sets against none.

    python -m benchmarks.articles

Real model, real index, default settings. Both documents of `sample_articles` among those of `sample_data`; and public
laws, if available, with questions that people asked and the articles in which lawyers found the answers.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from benchmarks.report import Row, Table
from chunking import Config, Workspace, add_files
from chunking.config import DEFAULT_MODEL
from chunking.config.pattern_settings import PATTERN_SETS
from chunking.embedding.model_folder import find_model
from chunking.evaluation import (
    EvaluationOptions,
    EvaluationRun,
    Measure,
    QuestionSet,
    Trials,
    evaluate,
    metric_of,
    paired,
    read_questions,
    score_run,
)
from chunking.indexing.adding.intake import Ids
from chunking.model import Document
from chunking.parsing import parse
from chunking.splitting import Chunker, token_counter

ROOT = Path(__file__).parent.parent
SAMPLES, ARTICLES = ROOT / "sample_data", ROOT / "sample_articles"
LAWS = ROOT.parent / "shared" / "benchmarks" / "stard"
"""Folder with 35 Chinese laws (`docs/`) and the STARD questions on them (Su et al. 2024)."""
LAW_QUESTIONS = 400
"""Number of law questions, from the half on which nothing was chosen."""
BUDGET = 300
"""Token budget: article chunks are shorter, so five results each would not be comparable."""
FIRST = ("recall", Measure.at_budget(BUDGET))
"""Measure with the target, against the default settings."""
MEASURES = (("recall", Measure(n=1)), ("recall", Measure(n=5)), ("iou", Measure(n=5)), ("tokens", Measure(n=5)))
"""Measures without a claim; all but the last were chosen before measuring."""
_ANY_HEADING = r"^(?:第[一二三四五六七八九十]+[编章节条]　|ARTICLE \d|Section \d|SCHEDULE [A-Z]\.|Signed for)"


@dataclass(frozen=True, slots=True)
class Kind:
    """Document with its category and article pattern."""

    language: str
    category: str
    file: str
    patterns: str
    """Name of the ready-made pattern set."""
    article: str
    """Pattern of an article's beginning, including its title."""
    chosen_on: int
    """Highest number of the questions on which sets and prefix were chosen."""


KINDS = (
    Kind(
        "Chinese",
        "statute",
        "statute-zh/燕湾市共享农园条例.txt",
        "chinese_statute",
        r"^第[一二三四五六七八九十]+条　",
        44,
    ),
    Kind(
        "English", "contract", "contract-en/cold-storage-agreement.txt", "english_contract", r"^Section \d+\.\d+ ", 48
    ),
)


def run() -> Table:
    """Measure the samples in one workspace, and the laws in another."""
    rows = [*_samples(), *_laws()]
    notes = (
        f"Default settings (hybrid search), {DEFAULT_MODEL}; {BUDGET} tokens or so many results of each search, "
        "prefixes counted. By article: the ready-made set with the prefix that it brings (header). Intervals are "
        f"paired bootstraps of 95 %; asked is that recall at {BUDGET} tokens is better than with the default settings "
        "on questions that nothing was chosen on.",
        "Earlier questions: sets and prefix were chosen on them, so their rows claim nothing.",
        (
            "The model reads English only: of Chinese the full-text leg does the work. Articles that are longer "
            "than the size are parted."
        ),
        *([] if LAWS.exists() else ["The public laws are not here."]),
    )
    return Table("Statute and contract by article", rows, notes)


def _samples() -> list[Row]:
    by_article, without, same_prefix = _configurations(KINDS)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace.open(folder)
        add_files(workspace, [SAMPLES])
        documents = {kind: _document(kind) for kind in KINDS}
        workspace.put_documents(list(documents.values()))
        with Trials(workspace) as trials:
            for kind, document in documents.items():
                file = ARTICLES / Path(kind.file).parent / "questions.jsonl"
                questions = read_questions(file.read_bytes(), file.name, [document]).questions
                later = _of(questions, {one.id for one in questions.questions if _number(one.id) > kind.chosen_on})
                rows += _compared(kind.language, later, (by_article, without, same_prefix), trials)
                earlier = _of(questions, {one.id for one in questions.questions} - {one.id for one in later.questions})
                rows += _compared(
                    f"{kind.language}, earlier questions", earlier, (by_article, without), trials, measures=()
                )
                rows.append(_whole_articles(kind, document, by_article, without))
    return rows


def _laws() -> list[Row]:
    """Measure several laws together, with laypeople's questions."""
    if not LAWS.exists():
        return []
    files = sorted((LAWS / "docs").iterdir())
    parsed = (parse(file.read_bytes(), file.relative_to(LAWS).as_posix(), category="statute") for file in files)
    documents = Ids.among([]).assign(list(parsed))
    file = LAWS / "questions.jsonl"
    questions = read_questions(file.read_bytes(), file.name, documents).questions
    held_out = [one.id for one in questions.questions if hashlib.sha256(one.id.encode()).digest()[0] % 2]
    selected = _of(questions, held_out[:LAW_QUESTIONS])
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace.open(folder)
        workspace.put_documents(documents)
        with Trials(workspace) as trials:
            return _compared(f"{len(documents)} public laws", selected, _configurations(KINDS[:1]), trials)


def _configurations(kinds: Sequence[Kind]) -> tuple[Config, Config, Config]:
    """Return three configurations: by article; the defaults; the defaults with the sets' prefix."""
    prefixes = {f"category.{kind.category}.prefix": str(PATTERN_SETS[kind.patterns].prefix) for kind in kinds}
    patterns = {f"category.{kind.category}.headings_from": kind.patterns for kind in kinds}
    return Config.from_settings(patterns | prefixes), Config(), Config.from_settings(prefixes)


def _of(questions: QuestionSet, ids: Collection[str]) -> QuestionSet:
    return replace(questions, questions=tuple(one for one in questions.questions if one.id in ids))


def _number(question_id: str) -> int:
    return int(question_id.rpartition("-")[2])


def _compared(
    name: str,
    questions: QuestionSet,
    configs: Sequence[Config],
    trials: Trials,
    measures: Sequence[tuple[str, Measure]] = MEASURES,
) -> list[Row]:
    """Compare splitting by article with the other configurations, by all measures."""
    ours, *others = (
        evaluate(trials.workspace, questions, one, EvaluationOptions(keep=False), trials=trials) for one in configs
    )
    against = dict(zip(("without patterns", "without patterns, prefix header"), others, strict=False))
    rows = [
        _row(name, questions, ours, label, run, *FIRST, is_target=bool(measures) and run is others[0])
        for label, run in against.items()
    ]
    return rows + [_row(name, questions, ours, "without patterns", others[0], *measure) for measure in measures]


def _document(kind: Kind) -> Document:
    return parse((ARTICLES / kind.file).read_bytes(), kind.file, category=kind.category)


def _row(
    name: str,
    questions: QuestionSet,
    ours: EvaluationRun,
    label: str,
    theirs: EvaluationRun,
    key: str,
    measure: Measure,
    *,
    is_target: bool = False,
) -> Row:
    """Return one metric of two runs, with the interval of the difference."""
    metric = metric_of(key)
    by_article, without = (getattr(score_run(one, questions, measure), key) for one in (ours, theirs))
    difference = paired(by_article, without)
    low, high = _end(metric.points(difference.low)), _end(metric.points(difference.high))
    return Row(
        f"{name}, {metric.label} {measure.label}, {len(questions)} questions",
        f"by article: {metric.text(float(by_article.mean()))}",
        f"{label}: {metric.text(float(without.mean()))}",
        f"{metric.points(difference.mean)} [{low} to {high}]",
        "> 0" if is_target else "",
        difference.shown and difference.mean > 0 if is_target else None,
    )


def _end(value: str) -> str:
    """Return an end of an interval without its unit."""
    return value.partition(" ")[0]


def _whole_articles(kind: Kind, document: Document, by_article: Config, without: Config) -> Row:
    """Count the chunks that are exactly one article."""
    shares = []
    for config in (by_article, without):
        chunk_spans = _chunk_spans(document, config.for_category(kind.category))
        article_set = set(article_spans(document.text, kind))
        shares.append((sum(span in article_set for span in chunk_spans), len(chunk_spans), len(article_set)))
    (ours, chunks, articles), (theirs, others, _) = shares
    return Row(
        f"{kind.language}, chunks that are exactly one whole article, of {articles}",
        f"{ours} of {chunks} chunks",
        f"{theirs} of {others} chunks",
        f"{ours / chunks:.0%}, without {theirs / others:.0%}",
    )


def article_spans(text: str, kind: Kind) -> list[tuple[int, int]]:
    """Return (start, end) of each article, without surrounding white space."""
    begins = [match.start() for match in re.finditer(_ANY_HEADING, text, re.MULTILINE)] + [len(text)]
    after = dict(pairwise(begins))
    return [_trimmed(text, at.start(), after[at.start()]) for at in re.finditer(kind.article, text, re.MULTILINE)]


def _chunk_spans(document: Document, config: Config) -> list[tuple[int, int]]:
    chunks = Chunker(document, token_counter(find_model(config.embedding.model).path)).chunks(config.chunk)
    return [_trimmed(document.text, chunk.start, chunk.end) for chunk in chunks]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())


if __name__ == "__main__":
    print(run().markdown())
