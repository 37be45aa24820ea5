"""Comparison of rule-generated and written questions: do they rank configurations alike?

16 configurations, from how most people split to the default, are ranked by the recall that live recall gives them on
both kinds of questions. On the samples two of them are measured on a real index too: how far the default is ahead, and
how far live numbers are off.

python -m benchmarks generated_questions
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from scipy.stats import spearmanr

from benchmarks.live import CHROMA, SAMPLES, TRIALS, Corpus, open_corpus
from benchmarks.report import Row, Table
from chunking import Config
from chunking.config import BASELINE_SPLITTING
from chunking.evaluation import (
    EvaluationOptions,
    LiveRecall,
    Measure,
    QuestionSet,
    Trials,
    evaluate,
    generate,
    score_run,
)

DRCD = CHROMA.parent / "drcd"
ARTICLES = slice(24, 48)
"""Articles used of a collection: earlier ones helped to choose the questions' wording."""
MOST = 200
"""Maximum generated questions per collection."""
MEASURE = Measure(5)
AHEAD, APART = 20.0, 3.0
"""Targets in points: the default's lead over the guide's baseline, and live recall's error."""
_VECTORS = {"search.mode": "vector", "search.retrieval": "chunk"}
BASELINE: Mapping[str, str] = {**BASELINE_SPLITTING, **_VECTORS}
"""Settings of the guide's first step."""
CONFIGURATIONS: tuple[Mapping[str, str], ...] = (
    {},
    BASELINE,
    {**BASELINE, "strategy": "fixed"},
    {**BASELINE_SPLITTING, "search.retrieval": "chunk"},
    {**BASELINE_SPLITTING, "search.retrieval": "chunk", "search.mode": "text"},
    {**BASELINE, "size": "200", "overlap": "0"},
    {**BASELINE, "size": "250", "overlap": "125"},
    {"strategy": "sentence", "prefix": "none", **_VECTORS},
    _VECTORS,
    {"prefix": "none", **_VECTORS},
    {"search.mode": "text"},
    {"prefix": "none"},
    {"search.retrieval": "chunk"},
    {"size": "60"},
    {"size": "300"},
    {"size": "400"},
)


class Ranked(NamedTuple):
    """Recall of each configuration, 0 to 1, on both kinds of questions."""

    written: list[float]
    made: list[float]
    questions: QuestionSet
    """Generated questions."""

    @property
    def agreement(self) -> float:
        """Return Spearman's rank correlation."""
        return float(spearmanr(self.written, self.made).statistic)


def run() -> Table:
    """Measure every available collection."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for corpus in _corpora(Path(folder)):
            ranked = rank(corpus)
            rows.append(_row(corpus, ranked))
            if corpus.name == "samples":
                rows += measured(corpus, ranked)
    notes = [
        f"{len(CONFIGURATIONS)} configurations: the default and 512/50 by vectors, full text and both; recursive, "
        "sentence and fixed splitting; sizes 60 to 512; with and without title paths and the larger size. Ranked by "
        f"live recall, {MEASURE.label}.",
        "Questions by rule name headings and key phrases, in plain language. Their wording was chosen on the samples "
        "and on other articles of Evidence Inference and DRCD than these.",
        (
            "512 tokens are more than the model reads: the index embeds the beginning of such a chunk, live "
            "recall pools all of it."
        ),
    ]
    return Table("Questions by rule against written questions", rows, notes)


def rank(corpus: Corpus) -> Ranked:
    """Measure every configuration on both kinds of questions."""
    generated = generate(corpus.documents, most=MOST)
    return Ranked(_recalls(corpus, corpus.questions), _recalls(corpus, generated), generated)


def _recalls(corpus: Corpus, questions: QuestionSet) -> list[float]:
    live = _live(corpus, questions)
    return [_recall(live, settings) for settings in CONFIGURATIONS]


def _live(corpus: Corpus, questions: QuestionSet) -> LiveRecall:
    kept = corpus.workspace
    live = LiveRecall(corpus.documents, Config().embedding, questions, encodings=kept.encodings, vectors=kept.vectors)
    live.prepare()
    return live


def _recall(live: LiveRecall, settings: Mapping[str, str]) -> float:
    return float(live.scores(Config.from_settings(settings), MEASURE, keep=False).scores.recall.mean())


def _row(corpus: Corpus, ranked: Ranked) -> Row:
    return Row(
        f"{len(CONFIGURATIONS)} configurations ranked, {corpus.name}",
        f"{len(ranked.questions)} questions by rule",
        f"{len(corpus.questions)} written questions",
        f"rank correlation {ranked.agreement:.2f}",
    )


def measured(corpus: Corpus, ranked: Ranked) -> Iterator[Row]:
    """Yield the default and the guide's baseline on a real index, next to their live recall."""
    with Trials(corpus.workspace) as trials:
        options = EvaluationOptions(n=MEASURE.n, depth=MEASURE.n or 5, keep=False)
        for kind, questions in (("written questions", corpus.questions), ("questions by rule", ranked.questions)):
            live, real, estimates = _live(corpus, questions), list[float](), list[float]()
            for settings in ({}, BASELINE):
                config = Config.from_settings(settings)
                done = evaluate(corpus.workspace, questions, config, options, trials=trials)
                real.append(100 * float(score_run(done, questions, MEASURE).recall.mean()))
                estimates.append(100 * _recall(live, settings))
            ahead, apart = real[0] - real[1], abs(real[0] - estimates[0])
            yield Row(
                f"the default before 512/50 by vectors, {corpus.name}, {kind}",
                f"recall {real[0]:.1f}",
                f"{real[1]:.1f}",
                f"{ahead:+.1f} points",
                f"≥ {AHEAD:.0f} points",
                ahead >= AHEAD,
            )
            yield Row(
                f"… live recall of the default, {kind}",
                f"{estimates[0]:.1f}",
                f"real index, {real[0]:.1f}",
                f"{apart:.1f} points apart",
                f"≤ {APART:.0f} points",
                apart <= APART,
            )
            yield Row(
                f"… live recall of 512/50 by vectors, {kind}",
                f"{estimates[1]:.1f}",
                f"real index, {real[1]:.1f}",
                f"{abs(real[1] - estimates[1]):.1f} points apart",
            )


def _corpora(folder: Path) -> Iterator[Corpus]:
    yield open_corpus("samples", folder / "samples", SAMPLES, SAMPLES / "questions.jsonl")
    if CHROMA.is_dir():
        yield open_corpus("Chroma", folder / "chroma", CHROMA / "corpora", CHROMA / "questions.csv")
    for name, place in (("Evidence Inference", TRIALS), ("DRCD", DRCD)):
        if place.is_dir():
            yield _opened_part(name, place, folder)


def _opened_part(name: str, place: Path, folder: Path) -> Corpus:
    """Open some articles of a collection; questions on other articles are dropped."""
    articles = folder / f"{place.name}-articles"
    articles.mkdir()
    for path in sorted((place / "docs").iterdir())[ARTICLES]:
        shutil.copy(path, articles / path.name)
    return open_corpus(name, folder / place.name, articles, place / "questions.jsonl")


if __name__ == "__main__":
    print(run().markdown())
