"""Does it help to split a statute and a contract by their articles? `headings_from` with the ready-made set, against without.

python -m benchmarks.articles

Both documents of `sample_articles` among those of `sample_data`, real model, real index, default settings. What is an article is read
from the text here, by other patterns than those that are measured.
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from benchmarks.report import Row, Table
from chunking import Config, Workspace, add_files
from chunking.embedding.model_folder import find_model
from chunking.evaluation import EvaluationOptions, Measure, QuestionSet, Run, Trials, evaluate, metric_of, paired, read_questions, score_run
from chunking.model import Document
from chunking.parsing import parse
from chunking.splitting import Chunker, token_counter

ROOT = Path(__file__).parent.parent
SAMPLES, ARTICLES = ROOT / "sample_data", ROOT / "sample_articles"
BUDGET = 300
"""Tokens. Chunks by article are shorter than others: at five results each, they would be compared at different costs."""
MEASURES = (
    *(("recall", Measure.at_budget(BUDGET)), ("recall", Measure(n=1)), ("recall", Measure(n=5)), ("iou", Measure(n=5))),
    ("tokens", Measure(n=5)),
)
"""The first has the target. All but the last, which has no claim, were chosen before anything was measured."""
_ANY_HEADING = r"^(?:第[一二三四五六七八九十]+[编章节条]　|ARTICLE \d|Section \d|SCHEDULE [A-Z]\.|Signed for)"


@dataclass(frozen=True, slots=True)
class Kind:
    """A document, what splits it, and what it is made of."""

    language: str
    category: str
    file: str
    patterns: str
    """Name of the ready-made set."""
    article: str
    """How an article begins, with its own words for the first of its line."""


KINDS = (
    Kind("Chinese", "statute", "statute-zh/燕湾市共享农园条例.txt", "chinese_statute", r"^第[一二三四五六七八九十]+条　"),
    Kind("English", "contract", "contract-en/cold-storage-agreement.txt", "english_contract", r"^Section \d+\.\d+ "),
)


def run() -> Table:
    """Measure both languages, on one workspace."""
    without = Config()
    with_patterns = Config.from_settings({f"category.{kind.category}.headings_from": kind.patterns for kind in KINDS})
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace.open(folder)
        add_files(workspace, [SAMPLES])
        documents = {kind: _document(kind) for kind in KINDS}
        workspace.put_documents(list(documents.values()))
        rows = []
        with Trials(workspace) as trials:
            for kind, document in documents.items():
                file = ARTICLES / Path(kind.file).parent / "questions.jsonl"
                questions = read_questions(file.read_bytes(), file.name, [document]).questions
                options = EvaluationOptions(keep=False)
                runs = [evaluate(workspace, questions, one, options, trials=trials) for one in (with_patterns, without)]
                rows += [_row(kind, questions, runs, *measure, asked=not at) for at, measure in enumerate(MEASURES)]
                rows.append(_whole(kind, document, with_patterns, without))
    notes = (
        f"Default settings (hybrid search), all-MiniLM-L6-v2, the two documents among the samples; {BUDGET} tokens or so many results of "
        "each search. Intervals are paired bootstraps of 95 %; asked is that the first of each language excludes 0.",
        "The model reads English only: of Chinese the full-text leg does the work. Articles that are longer than the size are parted.",
    )
    return Table("Statute and contract by article", rows, notes)


def _document(kind: Kind) -> Document:
    return parse((ARTICLES / kind.file).read_bytes(), kind.file, category=kind.category)


def _row(kind: Kind, questions: QuestionSet, runs: list[Run], name: str, measure: Measure, *, asked: bool) -> Row:
    """One metric of both runs, with the interval of the difference."""
    metric = metric_of(name)
    ours, theirs = (getattr(score_run(one, questions, measure), name) for one in runs)
    seen = paired(ours, theirs)
    return Row(
        f"{kind.language}, {metric.label} {measure.label}, {len(questions)} questions",
        f"by article: {metric.text(float(ours.mean()))}",
        f"without patterns: {metric.text(float(theirs.mean()))}",
        f"{metric.points(seen.mean)} [{_end(metric.points(seen.low))} to {_end(metric.points(seen.high))}]",
        "> 0" if asked else "",
        seen.shown and seen.mean > 0 if asked else None,
    )


def _end(value: str) -> str:
    """An end of an interval, without the unit that its middle has."""
    return value.partition(" ")[0]


def _whole(kind: Kind, document: Document, by_article: Config, without: Config) -> Row:
    """How many of the chunks are one whole article and nothing else."""
    shares = []
    for config in (by_article, without):
        found = _chunk_spans(document, config.for_category(kind.category))
        wanted = set(article_spans(document.text, kind))
        shares.append((sum(span in wanted for span in found), len(found), len(wanted)))
    (ours, chunks, articles), (theirs, others, _) = shares
    return Row(
        f"{kind.language}, chunks that are exactly one whole article, of {articles}",
        f"{ours} of {chunks} chunks",
        f"{theirs} of {others} chunks",
        f"{ours / chunks:.0%}, without {theirs / others:.0%}",
    )


def article_spans(text: str, kind: Kind) -> list[tuple[int, int]]:
    """(start, end) of each article, without white space around it."""
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
