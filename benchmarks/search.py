"""What a search with expansion costs over the bare queries it is made of, at 100,000 chunks.

Vectors are random and texts synthetic (words drawn as in a language: a few very often, most rarely): only the time and the
number of storage calls are measured here. The query's vector is made without a model, whose time belongs to neither side.
"""

from __future__ import annotations

import hashlib
import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.report import Row, Table
from chunking.config import Config, SearchConfig, SearchMode
from chunking.model import Chunk, Document, Section
from chunking.retrieval import search
from chunking.store import Index, Workspace

CHUNKS = 100_000
DOCUMENTS = 20
"""A commit each when the index is made."""
WORDS_A_CHUNK = 60
VOCABULARY = 20_000
QUERIES = 40
DIMENSION = 384
K = 5
TARGET = 3.0
DEPTHS = (1, 5, 50, 200)


class RandomEmbedder:
    """A query's vector from its hash."""

    key = "random@1+fp32"
    dimension = DIMENSION
    max_tokens = 256
    precision = "fp32"
    calls = 0
    texts_encoded = 0

    def prepare(self) -> None:
        """Nothing to load."""

    def embed(self, texts: Sequence[str], *, role: str = "passage", on_progress: object = None) -> np.ndarray:
        return np.stack([_unit(np.random.default_rng(int(self.cache_key(text)[:12], 16)), 1)[0] for text in texts])

    def cache_key(self, text: str, role: str = "passage") -> str:
        return hashlib.sha256(text.encode()).hexdigest()


def run() -> Table:
    """Build the index, then ask the same questions both ways, in turn."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace.open(folder)
        index = _build(workspace)
        queries = _queries()
        rows = [*_speed(workspace, index, queries), *_calls(workspace, queries[0])]
    notes = (
        f"{CHUNKS:,} chunks of {WORDS_A_CHUNK} words in {DOCUMENTS} documents, {DIMENSION} dimensions, brute-force vector search on both "
        f"sides, k = {K}, one neighbour each way, {QUERIES} questions of three words; medians, both sides in turn.",
    )
    return Table("Search", rows, notes)


def _speed(workspace: Workspace, index: Index, queries: Sequence[str]) -> Iterator[Row]:
    embedder, table = RandomEmbedder(), _bare_table(workspace, index)
    vectors = dict(zip(queries, embedder.embed(queries), strict=True))
    sides: dict[str, Callable[[str], object]] = {
        "ours": lambda query: search(workspace, query, SearchConfig(k=K), embedder=embedder),
        "vector": lambda query: table.search(vectors[query]).limit(K).to_list(),
        "text": lambda query: table.search(query, query_type="fts", fts_columns="indexed_text").limit(K).to_list(),
    }
    times = _medians(sides, queries)
    bare = times["vector"] + times["text"]
    ratio = times["ours"] / bare
    yield Row(
        "hybrid search with fusion, neighbours, grouping, highlights",
        f"{times['ours'] * 1000:.0f} ms",
        f"bare vector search {times['vector'] * 1000:.0f} ms + bare full-text search {times['text'] * 1000:.0f} ms",
        f"{ratio:.2f} ×",
        f"≤ {TARGET:.0f} ×",
        ratio <= TARGET,
    )


def _medians(sides: dict[str, Callable[[str], object]], queries: Sequence[str]) -> dict[str, float]:
    """Seconds; the first two questions only warm up."""
    times: dict[str, list[float]] = {name: [] for name in sides}
    for query in queries:
        for name, ask in sides.items():
            started = perf_counter()
            ask(query)
            times[name].append(perf_counter() - started)
    return {name: statistics.median(taken[2:]) for name, taken in times.items()}


def _calls(workspace: Workspace, query: str) -> Iterator[Row]:
    """Storage calls by mode, for few hits and many."""
    for mode in SearchMode:
        most = 3 if mode is SearchMode.HYBRID else 2
        counts = []
        for k in DEPTHS:
            before = workspace.calls
            search(workspace, query, SearchConfig(mode=mode, k=k, before=2, after=2), embedder=RandomEmbedder())
            counts.append(workspace.calls - before)
        result = ", ".join(f"k = {k}: {count}" for k, count in zip(DEPTHS, counts, strict=True))
        yield Row(f"storage calls, {mode.value}", "", "", result, f"≤ {most}, the same for any k", max(counts) <= most)


def _build(workspace: Workspace) -> Index:
    """Write the synthetic documents straight into an index."""
    generator = np.random.default_rng(0)
    with workspace.writer():
        index = workspace.create_index("synthetic", Config(), model_key=RandomEmbedder.key, dimension=DIMENSION)
        for number in range(DOCUMENTS):
            document = _document(generator, number)
            chunks = list(_chunks(document))
            index.replace_document(document, chunks, _unit(generator, len(chunks)), str(number))
        index.optimize()
        return workspace.publish(index)


def _document(generator: np.random.Generator, number: int) -> Document:
    paragraphs = _texts(generator, CHUNKS // DOCUMENTS)
    text = "\n\n".join(paragraphs)
    doc_id = f"doc{number}"
    section = Section(f"{doc_id}_sec0", None, 1, "Synthetic", ("Synthetic",), 0, len(text), 0, len(text))
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Document(doc_id, f"{doc_id}.md", text, (), (section,), "Synthetic", digest, "2026-01-01T00:00:00+00:00", "markdown")


def _chunks(document: Document) -> Iterator[Chunk]:
    """A chunk a paragraph."""
    paragraphs, start = document.text.split("\n\n"), 0
    for n, content in enumerate(paragraphs):
        yield Chunk(
            chunk_id=f"{document.doc_id}_chunk{n}",
            doc_id=document.doc_id,
            section_id=document.sections[0].section_id,
            parent_id=document.sections[0].section_id,
            chunk_index=n,
            total_chunks=len(paragraphs),
            prev_id=f"{document.doc_id}_chunk{n - 1}" if n else None,
            next_id=f"{document.doc_id}_chunk{n + 1}" if n + 1 < len(paragraphs) else None,
            title_path=("Synthetic",),
            content_type="paragraph",
            prefix="Synthetic",
            content=content,
            embedding_content=content,
            token_count=WORDS_A_CHUNK,
            start=start,
            end=start + len(content),
            hash=hashlib.sha256(content.encode()).hexdigest(),
        )
        start += len(content) + 2


def _texts(generator: np.random.Generator, count: int) -> list[str]:
    """Words by a Zipf law, as in any language."""
    ranks = np.minimum(generator.zipf(1.2, size=(count, WORDS_A_CHUNK)), VOCABULARY)
    return [" ".join(_word(rank) for rank in row) + "." for row in ranks.tolist()]


def _queries() -> list[str]:
    """Three words each, neither the commonest nor the rarest."""
    generator = np.random.default_rng(1)
    return [" ".join(_word(rank) for rank in generator.integers(20, 2_000, 3).tolist()) for _ in range(QUERIES)]


def _word(rank: int) -> str:
    """A pronounceable word for a rank: five to eight letters, each rank its own."""
    syllables = ("ba", "de", "fi", "go", "hu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "zu")
    digits = [rank // 15**place % 15 for place in range(4)]
    return "".join(syllables[digit] for digit in digits)


def _unit(generator: np.random.Generator, count: int) -> np.ndarray:
    vectors = generator.standard_normal((count, DIMENSION), dtype=np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _bare_table(workspace: Workspace, index: Index) -> Any:
    """The same table, opened as anybody would."""
    import lancedb

    return lancedb.connect(workspace.uri).open_table(index.row.table)


if __name__ == "__main__":
    print(run().markdown())
