"""Live recall: cost of a slider step against embedding anew, and error against the real index.

A whole sweep estimated, too: against the sweep that builds and measures each configuration, and whether both rank
alike, also on articles that no setting was ever chosen by.

python -m benchmarks.live

Questions of the samples; those of Chroma and of Evidence Inference where that data lies beside the project. Time is
compared inside one run.
The real numbers are those of `evaluate`: an index built for each configuration, every question searched in it.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

from scipy.stats import spearmanr

from benchmarks.report import Row, Table
from chunking import Config, Workspace, add_files
from chunking.embedding import LocalEmbedder, embed_chunks, load_embedder
from chunking.evaluation import (
    COST,
    EvaluationOptions,
    LiveRecall,
    Measure,
    QuestionSet,
    Sweep,
    Trials,
    checked,
    difference,
    estimate_grid,
    evaluate,
    mean_distance,
    read_questions,
    setting_curve,
)
from chunking.model import Document
from chunking.splitting import Levels, split_document
from components.kit.settings_form.widgets import Number, slider_texts

ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "sample_data"
CHROMA = ROOT.parent / "shared" / "benchmarks" / "chroma"
TRIALS = ROOT.parent / "shared" / "benchmarks" / "evidence_inference"
ARTICLES = 8
"""Number of articles of Evidence Inference: about as much text as Chroma's."""
GRID = {
    "size": ("60", "80", "100", "120", "150", "200", "250", "300", "400", "600"),
    "overlap": ("0", "10%", "20%", "30%", "50%"),
    "prefix": ("none", "title_path"),
    "search.retrieval": ("chunk", "multi_granularity"),
}
SECONDS = 10.0
"""Maximum seconds for the whole grid, on two idle cores."""
MEASURED = 8
"""Number of measured configurations, from the best estimate to the worst."""
FASTER, SETTINGS, EMBEDDED, STEPS, CURVE = 50.0, 100, 5, 30, 25
SIZES = (100, 150, 250)
MEASURE = Measure(5)


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents with questions, prepared for live recall."""

    name: str
    workspace: Workspace
    documents: Sequence[Document]
    questions: QuestionSet
    live: LiveRecall


def run() -> Table:
    """Measure speed on the larger set, and a step and the differences on both."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        corpora = [open_corpus("samples", Path(folder) / "samples", SAMPLES, SAMPLES / "questions.jsonl")]
        if CHROMA.is_dir():
            corpora.append(open_corpus("Chroma", Path(folder) / "chroma", CHROMA / "corpora", CHROMA / "questions.csv"))
        rows.append(many_settings(corpora[-1]))
        rows += [one_step(corpus) for corpus in corpora]
        rows += [one_curve(corpus) for corpus in corpora]
        for corpus in corpora:
            rows += differences(corpus)
        if TRIALS.is_dir():
            corpora.append(opened_trials(Path(folder)))
        for corpus in corpora:
            rows += estimated_sweep(corpus)
    sizes = ", ".join(
        (
            f"{corpus.name}: {len(corpus.questions)} questions, {sum(len(one.text) for one in corpus.documents):,} "
            "characters"
        )
        for corpus in corpora
    )
    notes = [
        f"{sizes}. Default settings but for the size: hybrid search, two sizes, title paths; {MEASURE.label}.",
        (
            "Documents are split, pooled, searched and scored live for each setting; what stands against that is "
            "only embedding its chunks."
        ),
        "In standard mode the index embeds each chunk by itself: that is the only difference, as late mode shows.",
    ]
    return Table("Live recall", rows, notes)


def open_corpus(name: str, folder: Path, files: Path, questions: Path) -> Corpus:
    """Read and encode a corpus once."""
    workspace = Workspace.open(folder)
    add_files(workspace, [files])
    documents = [workspace.document(row.doc_id) for row in workspace.documents()]
    questions_read = read_questions(questions.read_bytes(), questions.name, documents).questions
    live = LiveRecall(
        documents, Config().embedding, questions_read, encodings=workspace.encodings, vectors=workspace.vectors
    )
    live.prepare()
    return Corpus(name, workspace, documents, questions_read, live)


def opened_trials(folder: Path) -> Corpus:
    """Open some articles of Evidence Inference with their questions."""
    names = sorted(path.name for path in (TRIALS / "docs").iterdir())[:ARTICLES]
    (folder / "articles").mkdir()
    for name in names:
        shutil.copy(TRIALS / "docs" / name, folder / "articles" / name)
    lines = (TRIALS / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    question_file = folder / "articles.jsonl"
    question_file.write_text("\n".join(line for line in lines if json.loads(line)["doc"] in names), encoding="utf-8")
    return open_corpus("Evidence Inference", folder / "trials", folder / "articles", question_file)


def estimated_sweep(corpus: Corpus) -> list[Row]:
    """Time estimating the grid against measuring it, and compare some estimates with measurements."""
    sweep = Sweep("grid", corpus.questions.name, Config(), GRID, n=MEASURE.n or 5)
    kept, began = corpus.workspace, time.perf_counter()
    estimates = list(
        estimate_grid(sweep, corpus.documents, corpus.questions, encodings=kept.encodings, vectors=kept.vectors)
    )
    seconds = time.perf_counter() - began
    ranked = sorted(estimates, key=lambda one: (-one.means["recall"], one.means[COST]))
    few = [ranked[round(place * (len(ranked) - 1) / (MEASURED - 1))] for place in range(MEASURED)]
    began = time.perf_counter()
    with Trials(corpus.workspace) as trials:
        options = EvaluationOptions(n=MEASURE.n, depth=5, keep=False)
        runs = [evaluate(corpus.workspace, corpus.questions, one.config, options, trials=trials) for one in few]
    real = (time.perf_counter() - began) * len(estimates) / MEASURED
    rows = checked(few, runs, corpus.questions)
    columns = [
        ([one.estimate.means[name] for one in rows], [one.measured[name] for one in rows]) for name in ("recall", COST)
    ]
    recall, tokens = (spearmanr(*column).statistic for column in columns)
    apart, worst = mean_distance(rows, "recall"), max(abs(one.distance("recall")) for one in rows)
    what = f"{len(estimates)} configurations × {len(corpus.questions)} questions estimated, {corpus.name}"
    return [
        Row(
            what,
            f"{seconds:.1f} s, encodings at hand",
            f"each built and measured, {real:,.0f} s (from {MEASURED})",
            f"{real / seconds:,.0f} × as fast",
            f"< {SECONDS:.0f} s" if corpus.name == "samples" else "",
            seconds < SECONDS if corpus.name == "samples" else None,
        ),
        Row(
            f"estimate and measurement of {len(rows)} of them, {corpus.name}",
            f"recall {100 * apart:.1f} points apart, at most {100 * worst:.1f}",
            f"context tokens {mean_distance(rows, COST):.0f} apart",
            f"rank correlation {recall:.2f} (tokens {tokens:.2f})",
        ),
    ]


def many_settings(corpus: Corpus) -> Row:
    """Time scoring sizes and overlaps on all questions, against embedding each."""
    configs = [_sized(60 + 4 * (number % 50), 10 * (number // 50)) for number in range(SETTINGS)]
    corpus.live.scores(_sized(59), MEASURE)
    began = time.perf_counter()
    for config in configs:
        corpus.live.scores(config, MEASURE)
    live = time.perf_counter() - began
    embedder = load_embedder(Config().embedding)
    assert isinstance(embedder, LocalEmbedder)
    embedder.prepare()
    seconds = sum(_seconds(embedder, corpus.documents, config) for config in configs[:: SETTINGS // EMBEDDED])
    anew = seconds * SETTINGS / EMBEDDED
    return Row(
        f"{SETTINGS} settings × {len(corpus.questions)} questions, {corpus.name}",
        f"{live:.1f} s",
        f"embedding each, {anew:,.0f} s (from {EMBEDDED})",
        f"{anew / live:,.0f} × as fast",
        f"≥ {FASTER:.0f} ×",
        anew / live >= FASTER,
    )


def _seconds(embedder: LocalEmbedder, documents: Sequence[Document], config: Config) -> float:
    """Return the seconds to embed the chunks of all levels, without splitting."""
    levels: list[Levels] = [split_document(one, config) for one in documents]
    began = time.perf_counter()
    embed_chunks(embedder, [chunk for some in levels for chunk in some])
    return time.perf_counter() - began


def one_step(corpus: Corpus) -> Row:
    """Time a slider step from the size change to every question's scores, with a new size each time."""
    embedder = load_embedder(Config().embedding)
    calls, seconds = embedder.calls, []
    for step in range(STEPS):
        config = _sized(120 + step)
        began = time.perf_counter()
        corpus.live.scores(config, MEASURE)
        seconds.append(time.perf_counter() - began)
    embedded = embedder.calls - calls
    return Row(
        f"a step of the slider, {corpus.name}",
        f"{1000 * median(seconds):.0f} ms, best {1000 * min(seconds):.0f}",
        f"{len(corpus.questions)} questions",
        f"{embedded} model calls",
        "0",
        embedded == 0,
    )


def one_curve(corpus: Corpus) -> Row:
    """Time the curve of recall by size under the slider; each point is one step."""
    texts = slider_texts(Number("Size", "", "150", "tokens", 16, 8192), CURVE)
    alone = []
    for text in texts:
        began = time.perf_counter()
        corpus.live.scores(_sized(int(text)), MEASURE, keep=False)
        alone.append(time.perf_counter() - began)
    began = time.perf_counter()
    points = list(setting_curve(corpus.live, Config(), "size", texts, MEASURE))
    seconds = time.perf_counter() - began
    return Row(
        f"the curve of {len(points)} sizes, {corpus.name}",
        f"{seconds:.1f} s",
        f"a step of these sizes, {1000 * mean(alone):.0f} ms",
        f"{seconds / mean(alone):.1f} steps",
        f"< {1.5 * CURVE:.0f} steps",
        seconds < 1.5 * CURVE * mean(alone),
    )


def differences(corpus: Corpus) -> list[Row]:
    """Compare live and real recall by size, and with late pooling."""
    configs = [_sized(size) for size in SIZES]
    late = Config.from_settings({"embedding.mode": "late"})
    with Trials(corpus.workspace) as trials:
        rows = [_difference(corpus, trials, config, f"{config.chunk.size} tokens") for config in configs]
        return [*rows, _difference(corpus, trials, late, f"{late.chunk.size} tokens, late mode")]


def _difference(corpus: Corpus, trials: Trials, config: Config, what: str) -> Row:
    live = corpus.live.scores(config, MEASURE)
    options = EvaluationOptions(n=MEASURE.n, depth=5, keep=False)
    run = evaluate(corpus.workspace, corpus.questions, config, options, trials=trials)
    apart = difference(live, run, corpus.questions)
    assert apart is not None
    recall = float(live.scores.recall.mean())
    return Row(
        f"recall, live less real, {corpus.name}, {what}",
        f"{100 * recall:.1f}",
        f"real index, {100 * (recall - apart.recall):.1f}",
        f"{100 * apart.recall:+.1f} points (IoU {100 * apart.iou:+.1f})",
    )


def _sized(size: int, overlap: int = 0) -> Config:
    return Config.from_settings({"size": str(size), "overlap": f"{overlap}%"})


if __name__ == "__main__":
    print(run().markdown())
