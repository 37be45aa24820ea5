"""Cost of a search with expansion over bare queries, and of each mode, at 100,000 chunks.

Vectors are random and texts synthetic (words drawn as in a language: a few very often, most rarely): only the time and
the number of storage calls are measured here. The query's vector is made without a model, whose time belongs to neither
side.
"""

from __future__ import annotations

import hashlib
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.report import Row, Table
from chunking.config import Config, Retrieval, SearchConfig, SearchMode
from chunking.model import DOCUMENT, PARENT, Chunk, Document, Section, larger_level
from chunking.retrieval import search
from chunking.store import Index, Workspace
from chunking.store.index.build_record import BuildReport

CHUNKS = 100_000
DOCUMENTS = 20
"""Number of documents, each committed separately."""
WORDS_A_CHUNK = 60
VOCABULARY = 20_000
QUERIES = 40
DIMENSION = 384
K = 5
TARGET = 3.0
DEPTHS = (1, 5, 50, 200)
FAMILY = 4
"""Chunks per parent; a larger chunk has half as many."""
MODES: Mapping[str, Mapping[str, str]] = {
    "chunk": {"search.retrieval": "chunk"},
    "parent": {"search.retrieval": "parent"},
    "merge": {"search.retrieval": "merge"},
    "multi_granularity, two sizes": {"search.retrieval": "multi_granularity"},
    "hierarchical": {"search.retrieval": "hierarchical"},
    "hierarchical, top down": {"search.retrieval": "hierarchical", "search.tree": "top_down"},
    "chunk with diversity": {"search.retrieval": "chunk", "search.rerank": "diversity"},
}


class RandomEmbedder:
    """Embedder of queries by their hash."""

    key = "random@1+fp32"
    dimension = DIMENSION
    max_tokens = 256
    precision = "fp32"
    calls = 0
    texts_encoded = 0

    def prepare(self) -> None:
        """Do nothing."""

    def embed(self, texts: Sequence[str], *, role: str = "passage", on_progress: object = None) -> np.ndarray:
        return np.stack([_unit(np.random.default_rng(int(self.cache_key(text)[:12], 16)), 1)[0] for text in texts])

    def cache_key(self, text: str, role: str = "passage") -> str:
        return hashlib.sha256(text.encode()).hexdigest()


def run() -> Table:
    """Build the index, then search the same questions both ways, in turn."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace.open(folder)
        queries = _queries()
        index = _build(workspace)
        rows = list(_speed(workspace, index, queries))
        _build(workspace, levels=True)
        rows += [*_modes(workspace, queries), *_calls(workspace, queries[0])]
    notes = (
        f"{CHUNKS:,} chunks of {WORDS_A_CHUNK} words in {DOCUMENTS} documents, {DIMENSION} dimensions, brute-force "
        f"vector search on both sides, k = {K}, one neighbour each way, {QUERIES} questions of three words; medians, "
        "both sides in turn.",
    )
    return Table("Search", rows, notes)


def _speed(workspace: Workspace, index: Index, queries: Sequence[str]) -> Iterator[Row]:
    embedder, table = RandomEmbedder(), _bare_table(workspace, index)
    vectors = dict(zip(queries, embedder.embed(queries), strict=True))
    sides: dict[str, Callable[[str], object]] = {
        "ours": lambda query: search(
            workspace, query, SearchConfig(k=K, retrieval=Retrieval.CHUNK), index=index.name, embedder=embedder
        ),
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
    """Return median seconds; the first two questions warm up."""
    times: dict[str, list[float]] = {name: [] for name in sides}
    for query in queries:
        for name, ask in sides.items():
            started = perf_counter()
            ask(query)
            times[name].append(perf_counter() - started)
    return {name: statistics.median(samples[2:]) for name, samples in times.items()}


def _modes(workspace: Workspace, queries: Sequence[str]) -> Iterator[Row]:
    """Measure each mode over an index of all levels, in turn; without model rerankers."""
    embedder = RandomEmbedder()
    configs = {name: Config.from_settings({**settings, "search.k": str(K)}).search for name, settings in MODES.items()}
    sides = {
        name: lambda query, config=config: search(workspace, query, config, index="levels", embedder=embedder)
        for name, config in configs.items()
    }
    times = _medians(sides, queries)
    for name, seconds in times.items():
        yield Row(
            f"p50 of a hybrid search, {name}",
            f"{seconds * 1000:.0f} ms",
            "the same by chunk",
            f"{seconds / times['chunk']:.1f} ×",
        )


def _calls(workspace: Workspace, query: str) -> Iterator[Row]:
    """Count storage calls by mode: at most one per leg and list, and one for neighbours."""
    lists = {"multi_granularity, two sizes": 2, "hierarchical, top down": 2}
    for mode in SearchMode:
        yield _calls_row(
            workspace,
            query,
            mode.value,
            {"search.mode": mode.value, "search.retrieval": "chunk"},
            3 if mode is SearchMode.HYBRID else 2,
        )
    for name, settings in MODES.items():
        most = 2 * lists.get(name, 1) + 1 + (name == "chunk with diversity")
        yield _calls_row(workspace, query, f"hybrid, {name}", settings, most)


def _calls_row(workspace: Workspace, query: str, name: str, settings: Mapping[str, str], most: int) -> Row:
    counts = []
    for k in DEPTHS:
        config = Config.from_settings(
            {**settings, "search.k": str(k), "search.before": "2", "search.after": "2"}
        ).search
        counts.append(search(workspace, query, config, index="levels", embedder=RandomEmbedder()).storage_calls)
    result = ", ".join(f"k = {k}: {count}" for k, count in zip(DEPTHS, counts, strict=True))
    return Row(
        f"storage calls, {name}",
        "",
        "",
        result,
        f"≤ {most}, the same for any k",
        max(counts) <= most and len(set(counts)) == 1,
    )


def _build(workspace: Workspace, *, levels: bool = False) -> Index:
    """Write the synthetic documents into an index, with larger levels if requested."""
    generator = np.random.default_rng(0)
    with workspace.writer():
        name = "levels" if levels else "synthetic"
        index = workspace.create_index(name, Config(), model_key=RandomEmbedder.key, dimension=DIMENSION)
        for number in range(DOCUMENTS):
            document = _document(generator, number)
            chunks = list(_chunks(document))
            rows = list(_with_levels(document, chunks)) if levels else chunks
            index.replace_document(document, rows, _unit(generator, len(rows)), str(number))
        index.optimize()
        built = BuildReport(levels=index.count_levels(), languages=("en",))  # as a run leaves it
        row = replace(index.row, state="complete", built=built)
        return workspace.publish(index, row)


def _with_levels(document: Document, chunks: Sequence[Chunk]) -> Iterator[Chunk]:
    """Yield the chunks in parents and larger chunks, and a summary of the document."""
    for number, chunk in enumerate(chunks):
        larger, parent = f"{document.doc_id}_x2_{number * 2 // FAMILY}", f"{document.doc_id}_parent{number // FAMILY}"
        yield replace(chunk, larger_ids=(larger,), parent_id=parent)
    for level, count in ((PARENT, FAMILY), (larger_level(2), FAMILY // 2)):
        for place, first in enumerate(range(0, len(chunks), count)):
            yield _together(document, chunks[first : first + count], level, place)
    summary = chunks[0].content
    node = {
        "content": "",
        "summary": summary,
        "level": DOCUMENT,
        "chunk_id": f"{document.doc_id}_doc",
        "embedding_content": summary,
    }
    yield replace(chunks[0], **node, children=(document.sections[0].section_id,), end=len(document.text))


def _together(document: Document, some: Sequence[Chunk], level: str, place: int) -> Chunk:
    start, end = some[0].start, some[-1].end
    name = f"{document.doc_id}_{level}{place}" if level == PARENT else f"{document.doc_id}_{level}_{place}"
    content = document.text[start:end]
    children = tuple(chunk.chunk_id for chunk in some)
    tokens = sum(chunk.token_count for chunk in some)
    result = replace(
        some[0], chunk_id=name, level=level, children=children, content=content, embedding_content=content, end=end
    )
    return replace(result, chunk_index=place, token_count=tokens, parent_id=document.sections[0].section_id)


def _document(generator: np.random.Generator, number: int) -> Document:
    paragraphs = _texts(generator, CHUNKS // DOCUMENTS)
    text = "\n\n".join(paragraphs)
    doc_id = f"doc{number}"
    section = Section(f"{doc_id}_sec0", None, 1, "Synthetic", ("Synthetic",), 0, len(text), 0, len(text))
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Document(
        doc_id, f"{doc_id}.md", text, (), (section,), "Synthetic", digest, "2026-01-01T00:00:00+00:00", "markdown"
    )


def _chunks(document: Document) -> Iterator[Chunk]:
    """Yield a chunk per paragraph."""
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
    """Return texts with words by Zipf's law, as in any language."""
    ranks = np.minimum(generator.zipf(1.2, size=(count, WORDS_A_CHUNK)), VOCABULARY)
    return [" ".join(_word(rank) for rank in row) + "." for row in ranks.tolist()]


def _queries() -> list[str]:
    """Return queries of three words, neither the commonest nor the rarest."""
    generator = np.random.default_rng(1)
    return [" ".join(_word(rank) for rank in generator.integers(20, 2_000, 3).tolist()) for _ in range(QUERIES)]


def _word(rank: int) -> str:
    """Return a unique pronounceable word of five to eight letters for a rank."""
    syllables = ("ba", "de", "fi", "go", "hu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "zu")
    digits = [rank // 15**place % 15 for place in range(4)]
    return "".join(syllables[digit] for digit in digits)


def _unit(generator: np.random.Generator, count: int) -> np.ndarray:
    vectors = generator.standard_normal((count, DIMENSION), dtype=np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _bare_table(workspace: Workspace, index: Index) -> Any:
    """Open the index's table with LanceDB directly."""
    import lancedb

    return lancedb.connect(workspace.uri).open_table(index.row.table)


if __name__ == "__main__":
    print(run().markdown())
