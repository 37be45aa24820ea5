"""The pure stages give the rows of the embedded engine, in whatever order and parts they run."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.config import Config
from chunking.indexing import Intake, build_index, save
from chunking.indexing.stages.document_cut import DocumentCut, cut_document
from chunking.indexing.stages.document_ids import assign_ids, with_ids
from chunking.indexing.stages.row_vectors import row_vectors
from chunking.model import PARENT, Document
from chunking.parsing import parse_all
from chunking.store import Workspace
from chunking.store.index.chunk_arrow import with_vectors
from tests.support.store_rows import DIMENSION, FakeEmbedder

LEVELS = Config.from_settings({"size": "60", "overlap": "10", "parent_size": "150", "granularities": "3,8"})
"""The larger sizes are over what the embedder reads, so their vectors are means of windows."""

MAIL = b"Subject: %s\nContent-Type: message/rfc822\n\nSubject: Before\n\nThe finch is small and sings.\n"
WORDS = ("valve", "pump", "pressure", "check", "the", "oil", "level", "before", "you", "start", "it", "again")

ROOM = int(FakeEmbedder.max_tokens * 0.8)
"""Tokens of a text that is embedded in one piece, where a model's tokens are only estimated."""


def page(number: int) -> bytes:
    """Return a Markdown file of some length, the same for each number."""
    chance = random.Random(number)
    parts = [f"# Part {number}"]
    for section in range(chance.randrange(1, 5)):
        words = " ".join(chance.choices(WORDS, k=chance.randrange(5, 260)))
        parts.append(f"## Section {section}\n\n{words}.\n\n| a | b |\n|---|---|\n| {number} | {section} |")
    return "\n\n".join(parts).encode()


SOURCES = ("guide.md", "Guide.md", "a/guide.md", "a guide.md", "a_guide.md", "note.md", "mail.eml", "mail_before.eml")
FILES = st.lists(st.tuples(st.sampled_from(SOURCES), st.integers(0, 5)), min_size=1, max_size=6)


def content(source: str, number: int) -> bytes:
    """Return a file by its source's ending and a number."""
    return MAIL % str(number).encode() if source.endswith(".eml") else page(number)


@cache
def family(source: str, number: int) -> tuple[Document, ...]:
    """Return the documents of a file, read once."""
    return parse_all(content(source, number), source, updated_at="2026-01-01T00:00:00+00:00")


def embedded_rows(families: Sequence[tuple[Document, ...]]) -> tuple[pa.Table, str]:
    """Return the rows that the embedded engine writes, by id, and the index's fingerprint."""
    workspace, intake = Workspace.open("memory://"), Intake()
    for one in families:
        intake.add(one, None)
    save(workspace, intake.documents)
    report = build_index(workspace, LEVELS, embedder=FakeEmbedder())
    rows = workspace.index().on_table("reading", lambda table: table.to_arrow())
    return rows.sort_by("id"), report.fingerprint


def staged_rows(families: Sequence[tuple[Document, ...]], order: random.Random) -> pa.Table:
    """Return the rows of the stages, with documents and texts in a random order and in random parts."""
    ids = assign_ids([document.source for document in one] for one in families)
    documents = [document for one, doc_ids in zip(families, ids, strict=True) for document in with_ids(one, doc_ids)]
    order.shuffle(documents)
    embedder = FakeEmbedder()
    cuts = [cut_document(document, LEVELS, embedder) for document in documents]
    texts = list({text for cut in cuts for some in cut.texts for text in some})
    order.shuffle(texts)
    vectors: dict[str, np.ndarray] = {}
    while texts:
        part = [texts.pop() for _ in range(min(len(texts), order.randrange(1, 20)))]
        vectors |= dict(zip(part, embedder.embed(part), strict=True))
    return pa.concat_tables(_rows(cut, vectors) for cut in cuts).sort_by("id")


def _rows(cut: DocumentCut, vectors: dict[str, np.ndarray]) -> pa.Table:
    lengths = [list(map(len, some)) for some in cut.texts]
    return with_vectors(cut.rows, row_vectors(cut.texts, lengths, vectors, DIMENSION), DIMENSION)


@settings(max_examples=6)
@given(FILES, st.integers(0, 1000))
def test_any_files_in_any_order_and_parts_give_the_same_rows(files: list[tuple[str, int]], seed: int) -> None:
    """Bit for bit, vectors included; sources that want the same id come in the order of the listing."""
    families = [family(source, number) for source, number in files]
    expected, fingerprint = embedded_rows(families)
    for order in (random.Random(seed), random.Random(seed + 1)):
        rows = staged_rows(families, order)
        assert rows.equals(expected.cast(rows.schema))
    assert fingerprint


@pytest.mark.parametrize("number", range(6))
def test_what_is_embedded_of_a_row(number: int) -> None:
    """A text of each chunk, none of a parent, and windows of a row that is longer than the model reads."""
    cut = cut_document(family("guide.md", number)[0], LEVELS, FakeEmbedder())
    levels = cut.rows["level"].to_pylist()
    assert all(bool(texts) == (level != PARENT) for texts, level in zip(cut.texts, levels, strict=True))
    assert all(len(texts) == 1 for texts in cut.texts[: len(cut.split.levels.chunks)])
    longest = max(cut.rows["token_count"].to_pylist())
    assert (max(map(len, cut.texts)) > 1) == (longest > ROOM)
