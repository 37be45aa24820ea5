"""Laws 1 to 6 for the levels above the chunks, and for what is written into a prefix."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from hypothesis import given, reject
from hypothesis import strategies as st

from chunking.config import ENGLISH_MODEL, ChunkConfig, Config, EmbeddingConfig, Prefix, Unit
from chunking.embedding.model_folder import find_model
from chunking.errors import ParseError
from chunking.model import CHUNK, PARENT, Chunk, Document, Flag, larger_level
from chunking.parsing import parse
from chunking.splitting import (
    Chunker,
    Levels,
    TokenCounter,
    room_for,
    split_document,
    token_counter,
    with_generated_text,
)
from tests.support.cut_words import cuts_words
from tests.support.examples import law
from tests.support.strategies import built, chunk_configs, documents, meaning, words

FOLDER = find_model("all-MiniLM-L6-v2").path


def read(written: tuple[str, str]) -> Document:
    """The document; another example is tried where the reader finds nothing in it."""
    try:
        return parse(written[0].encode(), written[1])
    except ParseError:
        reject()


any_document = st.one_of(built(), documents().map(read))


def check_levels(document: Document, chunker: Chunker, config: ChunkConfig) -> None:
    """All levels of one configuration."""
    levels = chunker.split(config).levels()
    assert levels.chunks == chunker.chunks(config)
    assert bool(levels.parents) == bool(config.parent_size and levels.chunks)
    assert set(levels.larger) == set(config.granularities)
    check_level(document, levels.chunks, levels.parents, config, config.parent_size, PARENT)
    for multiple, rows in levels.larger.items():
        check_level(document, levels.chunks, rows, config, config.size * multiple, larger_level(multiple))
    check_links(levels, config, chunker)
    check_headings(document, levels, config)


def check_level(
    document: Document, chunks: Sequence[Chunk], rows: Sequence[Chunk], config: ChunkConfig, size: int, level: str
) -> None:
    """Laws 1 to 4: each row is whole chunks one after the other, and over the size only where it is a single one."""
    if not rows:
        return
    by_id = {chunk.chunk_id: chunk for chunk in chunks}
    members = [[by_id[child] for child in row.children] for row in rows]
    assert [chunk.chunk_id for some in members for chunk in some] == [chunk.chunk_id for chunk in chunks]
    counter = token_counter(FOLDER)
    for number, (row, some) in enumerate(zip(rows, members, strict=True)):
        assert (row.level, row.chunk_index, row.total_chunks) == (level, number, len(rows))
        assert (row.start, row.end) == (some[0].start, some[-1].end)
        assert row.content == document.text[row.start : row.end]
        assert row.embedding_content.startswith(row.prefix)
        assert row.token_count == counter.count(row.embedding_content)
        units = counter.count(row.counted_text) if config.unit is Unit.TOKENS else len(row.counted_text)
        assert (units > size) == (Flag.OVER_SIZE in row.flags)
        assert units <= size or len(some) == 1
        assert not any(row.start < span.end and span.start < row.end for span in document.left_out)
        assert all(chunk.title_path[: len(row.title_path)] == row.title_path for chunk in some)
        assert row.section_id in {section.section_id for section in document.sections} or not document.sections
        assert row.parent_id == row.section_id
    for before, after in pairwise(rows):
        assert before.start < after.start
        assert before.end < after.end
        assert (before.next_id, after.prev_id) == (after.chunk_id, before.chunk_id)


def check_links(levels: Levels, config: ChunkConfig, chunker: Chunker) -> None:
    """A chunk names the rows that name it, in the order of the settings; ids are those of the design."""
    doc_id = chunker.document.doc_id
    for rows in (levels.parents, *levels.larger.values()):
        assert len({row.chunk_id for row in rows}) == len(rows)
    for level, rows in [
        ("_parent", levels.parents),
        *((f"_x{multiple}_", rows) for multiple, rows in levels.larger.items()),
    ]:
        assert [row.chunk_id for row in rows] == [f"{doc_id}{level}{number}" for number in range(len(rows))]
    parent_of = {child: row.chunk_id for row in levels.parents for child in row.children}
    larger_of = [
        {child: row.chunk_id for row in levels.larger[multiple] for child in row.children}
        for multiple in config.granularities
    ]
    for number, chunk in enumerate(levels.chunks):
        assert chunk.level == CHUNK
        assert not chunk.children
        assert chunk.parent_id == parent_of.get(chunk.chunk_id, chunk.section_id)
        assert chunk.larger_ids == tuple(some[chunk.chunk_id] for some in larger_of)
        if number < 3:
            assert chunker.split(config).chunk(number) == chunk
    if config.parent_size:
        groups = chunker.split(config).groups(config.parent_size)
        assert groups.tolist() == [number for number, row in enumerate(levels.parents) for _ in row.children]


def check_headings(document: Document, levels: Levels, config: ChunkConfig) -> None:
    """A parent joins no two chunks that a heading which splits stands between; a heading with nothing under it goes
    with the next.
    """
    bare = {
        below.start
        for first, below in pairwise(document.sections)
        if first.level < below.level and not document.text[first.body_start : below.start].strip()
    }
    places = {section.start for section in document.sections if section.level in config.heading_levels} - bare
    starts = {chunk.chunk_id: chunk.start for chunk in levels.chunks}
    for row in levels.parents:
        for child in row.children[1:]:
            assert starts[child] not in places, row


@law()
@given(any_document, chunk_configs())
def test_laws_1_to_4_of_each_level(document: Document, config: ChunkConfig) -> None:
    """Any text and configuration: parents and larger sizes are whole neighbouring chunks, in order, and fit."""
    check_levels(document, Chunker(document, token_counter(FOLDER), max_tokens=100, sentences=meaning), config)


@law(15)
@given(any_document, chunk_configs(), st.integers(1, 3))
def test_law_6_levels_ask_nobody(document: Document, config: ChunkConfig, times: int) -> None:
    """Neither the tokenizer for any level, nor the model of the sentences twice, nor a splitter of the user's own."""
    call_counts: list[int] = []

    def sentences(*arguments: object) -> np.ndarray:  # type: ignore[type-arg]
        call_counts.append(1)
        return meaning(*arguments)  # type: ignore[arg-type]

    counter = TokenCounter(FOLDER)
    chunker = Chunker(document, counter, sentences=sentences)
    calls = counter.calls
    for number in range(times):
        levels = chunker.split(config.model_copy(update={"size": config.size + number})).levels()
        chunker.split(config).groups(100 * (number + 1))
        assert counter.calls == calls or cuts_words(document, levels.chunks, counter)
        calls = counter.calls
    assert len(call_counts) <= 1


@law(15)
@given(documents().map(read), chunk_configs())
def test_law_5_levels_are_those_of_the_index(document: Document, config: ChunkConfig) -> None:
    """`split_document`, which indexing calls, gives what a chunker of the preview gives, chunk by chunk."""
    full_config = Config(chunk=config, embedding=EmbeddingConfig(model=ENGLISH_MODEL))
    levels = split_document(document, full_config, sentences=meaning)
    own = full_config.for_category(document.category).chunk
    preview = Chunker(document, TokenCounter(FOLDER), max_tokens=254, sentences=meaning)
    assert list(levels) == list(preview.split(own).levels())
    assert [chunk.start for chunk in levels.chunks] == preview.boundaries(own).starts.tolist()


@law()
@given(
    any_document,
    st.builds(
        lambda config, prefix: config.model_copy(update={"prefix": prefix}),
        chunk_configs(),
        st.sampled_from([Prefix.SUMMARY, Prefix.CONTEXT]),
    ),
    st.lists(words(), min_size=1, max_size=40).map(" ".join),
    st.integers(40, 300),
)
def test_laws_4_and_5_of_what_is_written(document: Document, config: ChunkConfig, text: str, limit: int) -> None:
    """Whatever is written into a prefix later: the chunk still fits, is counted exactly, and its content stays as it
    was cut.
    """
    counter = token_counter(FOLDER)
    chunker = Chunker(document, counter, max_tokens=limit, sentences=meaning)
    for chunk in chunker.chunks(config):
        written = with_generated_text(chunk, text, config, counter.count, limit)
        assert (written.start, written.end, written.content, written.hash) == (
            chunk.start,
            chunk.end,
            chunk.content,
            chunk.hash,
        )
        assert written.token_count == counter.count(written.embedding_content)
        counted = counter.count(written.counted_text)
        units = counted if config.unit is Unit.TOKENS else len(written.counted_text)
        assert units <= config.size or Flag.OVER_SIZE in chunk.flags
        assert written.written in written.prefix
        assert "\n" not in written.written
        assert written.embedding_content.startswith(written.prefix)
        embedded = written.token_count if config.unit is Unit.TOKENS else len(written.embedding_content)
        assert (embedded > config.size >= units) == (Flag.DESCRIPTION_OVER_SIZE in written.flags)
        assert written.token_count <= max(limit, counted)
        assert (Flag.OVER_MODEL_LIMIT in written.flags) == (counted > limit) or written is chunk
        if not room_for(chunk, config, counter.count).tokens:
            assert written is chunk
