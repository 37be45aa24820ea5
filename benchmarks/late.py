"""Late chunking: cost of a size change, best window, and recall against ordinary embedding.

python -m benchmarks.late

Time is compared inside one run: the same chunks, the same model, the rounds alternate and the best of each counts.
Recall is that of the Chroma questions by vectors alone, five chunks, where that data lies beside the project.
"""

from __future__ import annotations

import csv
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.report import Row, Table
from chunking.config import ENGLISH_MODEL, ChunkConfig, Config, EmbeddingConfig, Prefix, Strategy
from chunking.embedding import LateEncoder, LocalEmbedder, embed_chunks
from chunking.embedding.base import Unshared, Vectors
from chunking.embedding.model_folder import find_model
from chunking.model import Chunk, Document
from chunking.parsing import parse
from chunking.splitting import chunk_document

ROOT = Path(__file__).parent.parent
SAMPLES = ("handbook/operations-handbook.md", "api/rest-api-reference.md", "faq/faq.txt", "manual-zh/产品使用手册.md")
CHROMA = ROOT.parent / "shared" / "benchmarks" / "chroma"
FASTER, LEAST_DIFFERENCE = 50.0, -3.0
OLD_SIZE, NEW_SIZE, ROUNDS = 200, 150, 3
SIZES, WINDOWS = (100, 150, 200, 250, 400), (96, 128, 192, 224, 256)
HITS, RESAMPLED = 5, 2000

Named = Sequence[tuple[str, Chunk]]
"""Chunks with the name of their corpus."""
Scores = NDArray[np.float64]
"""(questions,) recall of each, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Question:
    """Question of the Chroma set."""

    text: str
    corpus: str
    references: tuple[tuple[int, int], ...]
    """Character spans of the corpus that answer the question."""


def run() -> Table:
    """Measure re-indexing after a size change, then recall by window."""
    embedder = LocalEmbedder(find_model(ENGLISH_MODEL))
    embedder.prepare()
    rows = reindexing(embedder)
    notes = ["A size changed from 200 to 150 tokens; late vectors from saved encodings, read back and pooled anew."]
    if CHROMA.is_dir():
        rows += recall_rows(embedder)
        notes.append(
            f"Recall at {HITS} of the Chroma questions by vectors alone; chunks by recursion, no prefix, "
            f"Chroma's arithmetic."
        )
    return Table("Late chunking", rows, notes)


# -- what a change of size costs


class Saved(Unshared):
    """Encodings as bytes, and vectors, as a workspace stores them; Lance is measured with the index."""

    def __init__(self) -> None:
        self.encodings: dict[str, bytes] = {}
        self.rows: dict[str, Vectors] = {}

    def encoder(self, embedder: LocalEmbedder, window: int) -> LateEncoder:
        """Return an encoder without anything in memory, as in a new process."""
        return LateEncoder(embedder, window, _Encodings(self.encodings), self)

    def get(self, keys: Sequence[str]) -> dict[str, Vectors]:
        return {key: self.rows[key] for key in keys if key in self.rows}

    def put(self, rows: Mapping[str, Vectors]) -> None:
        self.rows.update(rows)


@dataclass(frozen=True, slots=True)
class _Encodings(Unshared):
    rows: dict[str, bytes]

    def get(self, key: str) -> bytes | None:
        return self.rows.get(key)

    def put(self, key: str, data: bytes) -> None:
        self.rows[key] = data


def reindexing(embedder: LocalEmbedder) -> list[Row]:
    """Measure vectors for another size of the samples, pooled and embedded."""
    folder, saved, window = ROOT / "sample_data", Saved(), EmbeddingConfig().late_window
    documents = [parse((folder / name).read_bytes(), name) for name in SAMPLES]
    first = saved.encoder(embedder, window)
    for document in documents:
        first.vectors(document, chunks_of(document, OLD_SIZE))
    new = [(document, chunks_of(document, NEW_SIZE)) for document in documents]
    before = embedder.calls

    def late() -> None:
        encoder = saved.encoder(embedder, window)
        for document, chunks in new:
            encoder.vectors(document, chunks)

    pooled = best_of(late)
    calls = embedder.calls - before
    embedded = best_of(lambda: embedder.embed([chunk.embedding_content for _, chunks in new for chunk in chunks]))
    count, ratio = sum(len(chunks) for _, chunks in new), embedded / pooled
    size = sum(map(len, saved.encodings.values())) / sum(len(document.text) for document in documents)
    return [
        Row(
            "model calls of a re-index after a size change", str(calls), f"{count} chunks", str(calls), "0", calls == 0
        ),
        Row(
            "vectors after a size change",
            f"{1000 * pooled:.0f} ms",
            f"embedding {count} chunks again, {embedded:.1f} s",
            f"{ratio:,.0f} × as fast",
            f"≥ {FASTER:.0f} ×",
            ratio >= FASTER,
        ),
        Row("saved encodings", "", "characters of text", f"{size:.1f} bytes a character"),
    ]


def chunks_of(document: Document, size: int) -> list[Chunk]:
    """Split a document with the default settings."""
    return chunk_document(document, Config(chunk=ChunkConfig(size=size, overlap=size // 8)))


def best_of(work: Callable[[], object]) -> float:
    """Return the seconds of the best round."""
    seconds = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


# -- what it finds


def recall_rows(embedder: LocalEmbedder) -> list[Row]:
    """Return recall by size and window, against ordinary embedding."""
    questions = read_questions()
    documents = {
        name: parse((CHROMA / "corpora" / f"{name}.md").read_bytes(), f"{name}.md")
        for name in {q.corpus for q in questions}
    }
    query_vectors = embedder.embed([question.text for question in questions], role="query")
    sets = {
        size: [(name, chunk) for name, document in documents.items() for chunk in plain_chunks(document, size)]
        for size in SIZES
    }
    texts = {size: [chunk for _, chunk in chunks] for size, chunks in sets.items()}
    ordinary = {
        size: recall(questions, query_vectors, sets[size], embed_chunks(embedder, texts[size]).vectors)
        for size in SIZES
    }
    late = {
        window: _late(LateEncoder(embedder, window), documents, questions, query_vectors, sets) for window in WINDOWS
    }
    chosen = EmbeddingConfig().late_window
    by_size = [size_row(f"{size} tokens", late[chosen][size], ordinary[size]) for size in SIZES]
    total = size_row("mean of these sizes", mean_of(late[chosen]), mean_of(ordinary), target=True)
    return [*by_size, total] + [window_row(window, late[window], ordinary) for window in WINDOWS]


def _late(
    encoder: LateEncoder,
    documents: Mapping[str, Document],
    questions: Sequence[Question],
    query_vectors: Vectors,
    sets: Mapping[int, Named],
) -> dict[int, Scores]:
    """Return recall by size."""
    encoded = {name: encoder.encode(document) for name, document in documents.items()}
    recalls = {}
    for size, chunks in sets.items():
        vectors = [encoded[name].pool(np.array([chunk.start]), np.array([chunk.end])) for name, chunk in chunks]
        recalls[size] = recall(questions, query_vectors, chunks, np.concatenate(vectors))
    return recalls


def size_row(what: str, late: Scores, ordinary: Scores, *, target: bool = False) -> Row:
    """Return recall with the default window, and the paired interval."""
    low, high = (100 * edge for edge in interval(late - ordinary))
    return Row(
        what=f"recall, {what}, late",
        ours=f"{100 * late.mean():.1f}",
        against=f"ordinary embedding, {100 * ordinary.mean():.1f}",
        result=f"{100 * (late - ordinary).mean():+.1f} ({low:+.1f} to {high:+.1f})",
        target=f"lower bound > {LEAST_DIFFERENCE:.0f}" if target else "",
        met=low > LEAST_DIFFERENCE if target else None,
    )


def mean_of(by_size: Mapping[int, Scores]) -> Scores:
    """Return each question's mean recall over all sizes, since one size depends on where it cuts."""
    mean: Scores = np.mean([by_size[size] for size in SIZES], axis=0)
    return mean


def window_row(window: int, late: Mapping[int, Scores], ordinary: Mapping[int, Scores]) -> Row:
    """Compare a window over all sizes and in both halves of the questions."""
    both = mean_of(late) - mean_of(ordinary)
    order = np.random.default_rng(1).permutation(len(both))
    one, other = (100 * both[part].mean() for part in np.array_split(order, 2))
    what = f"recall, all sizes, window {window}" + (" (the default)" if window == EmbeddingConfig().late_window else "")
    return Row(what, f"{one:+.1f} and {other:+.1f} by halves", "ordinary embedding", f"{100 * both.mean():+.1f}")


def read_questions() -> list[Question]:
    """Read the questions whose corpus is available."""
    with (CHROMA / "questions.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    spans = [tuple((one["start_index"], one["end_index"]) for one in json.loads(row["references"])) for row in rows]
    questions = [Question(row["question"], row["corpus_id"], span) for row, span in zip(rows, spans, strict=True)]
    return [question for question in questions if (CHROMA / "corpora" / f"{question.corpus}.md").is_file()]


def plain_chunks(document: Document, size: int) -> list[Chunk]:
    """Split recursively without prefix or overlap, the same for both ways."""
    return chunk_document(
        document, Config(chunk=ChunkConfig(strategy=Strategy.RECURSIVE, size=size, overlap=0, prefix=Prefix.NONE))
    )


def recall(questions: Sequence[Question], query_vectors: Vectors, chunks: Named, vectors: Vectors) -> Scores:
    """Return the share of each question's reference characters in the nearest chunks."""
    nearest = np.argsort(-(query_vectors @ vectors.T), axis=1, kind="stable")[:, :HITS]
    return np.array(
        [covered(question, [chunks[n] for n in row]) for question, row in zip(questions, nearest.tolist(), strict=True)]
    )


def covered(question: Question, hits: Named) -> float:
    covered = total = 0
    for start, end in question.references:
        mask = np.zeros(end - start, np.bool_)
        for name, chunk in hits:
            if name == question.corpus:
                mask[max(chunk.start - start, 0) : max(min(chunk.end, end) - start, 0)] = True
        covered, total = covered + int(mask.sum()), total + end - start
    return covered / total


def interval(differences: Scores) -> tuple[float, float]:
    """Return the 95 % interval of the mean, bootstrapped over questions."""
    chance = np.random.default_rng(4)
    means = differences[chance.integers(0, len(differences), (RESAMPLED, len(differences)))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


if __name__ == "__main__":
    print(run().markdown())
