"""What is embedded of chunks with tables: sentences within the model's limit, and a word for a large table beside the
text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from chunking.config import ChunkConfig
from chunking.model import Block, Chunk, Document, Flag
from chunking.parsing import parse
from chunking.parsing.builder.text_builder import Writer
from chunking.splitting import Chunker, TokenCounter
from chunking.splitting.chunks.embedded_text import EmbeddedTexts
from chunking.splitting.measure.measured_document import EmbeddedSize, Memo
from chunking.store.chunk_records import chunk_record
from tests.support.documents import document_of

Embedded = Callable[..., list[Chunk]]


def table(rows: int) -> str:
    return "\n".join(
        ["| name | value |", "|---|---|", *(f"| row{number} | what row {number} says |" for number in range(rows))]
    )


@pytest.fixture
def embedded(counter: TokenCounter) -> Embedded:
    """A text or document, cut; settings as keywords, no minimum size and no prefix unless asked for."""

    def cut(
        text: str | Document, limit: int | None = 254, source: str = "guide/notes.md", **settings: object
    ) -> list[Chunk]:
        document = parse(text.encode(), source) if isinstance(text, str) else text
        config = ChunkConfig.model_validate({"min_size": 0, "prefix": "none", **settings})
        return Chunker(document, counter, max_tokens=limit).chunks(config)

    return cut


def test_a_table_is_embedded_as_sentences_in_its_place(embedded: Embedded) -> None:
    """Text before and after stays; the content is untouched; full text reads what it lists."""
    text = f"# Ports\n\nSee *these*:\n\n{table(2)}\n\nThat is all."
    (chunk,) = embedded(text)
    sentences = (
        'The table "Ports" lists name, value in 2 rows.\nname row0, value what row 0 says.\nname row1, value '
        "what row 1 says."
    )
    assert chunk.content == text
    assert chunk.embedding_content == f"Ports\n\nSee these:\n\n{sentences}\n\nThat is all."
    assert chunk.description == 'The table "Ports" lists name, value in 2 rows.'
    assert chunk.indexed_text == f"{text}\n\n{chunk.description}"
    assert chunk.counted_text == text


def test_as_cells_it_is_embedded_as_it_stands(embedded: Embedded) -> None:
    """Without its markup, and without a word more."""
    (chunk,) = embedded(f"# Ports\n\n{table(2)}", table_text="cells")
    assert chunk.embedding_content == "Ports\n\nname | value\n\nrow0 | what row 0 says\nrow1 | what row 1 says"
    assert (chunk.description, chunk.indexed_text) == ("", chunk.content)


def test_rows_that_have_no_room_stay_cells(embedded: Embedded, counter: TokenCounter) -> None:
    """As many as the model's limit allows become sentences; every row is there, and the chunk is flagged."""
    limit = counter.count(embedded(table(12))[0].counted_text) + 40
    (chunk,) = embedded(table(12), limit=limit, size=limit)
    lines = chunk.embedding_content.splitlines()
    sentences = [line for line in lines if line.startswith("name row")]
    assert 0 < len(sentences) < 12
    assert lines[0].startswith("This table lists")
    assert lines[1 + len(sentences) :] == [
        f"row{number} | what row {number} says" for number in range(len(sentences), 12)
    ]
    assert counter.count(chunk.embedding_content) == chunk.token_count <= limit
    assert chunk.flags == (Flag.DESCRIPTION_SHORTENED,)


@pytest.mark.parametrize("limit", [90, 60])
def test_where_not_even_a_sentence_has_room_the_cells_stay(
    embedded: Embedded, counter: TokenCounter, limit: int
) -> None:
    """The model's limit is that of the content, or less."""
    (chunk,) = embedded(table(8), limit=limit, size=400)
    assert (counter.count(chunk.counted_text) > limit) == (Flag.OVER_MODEL_LIMIT in chunk.flags)
    assert Flag.DESCRIPTION_SHORTENED in chunk.flags
    if limit == 60:
        assert chunk.embedding_content.startswith("name | value\n")


def test_without_a_limit_all_of_it_is_reported(embedded: Embedded) -> None:
    """A model whose limit nobody knows."""
    (chunk,) = embedded(table(12), limit=None, size=400)
    assert chunk.embedding_content.count("name row") == 12


def test_a_part_of_a_large_table_says_which_rows_it_has(embedded: Embedded) -> None:
    """Its header is its prefix, which stays before the sentences."""
    parts = embedded(f"# A\n\n{table(40)}", size=100, prefix="title_path")
    assert len(parts) > 3
    second = parts[1]
    header = "A\n\n| name | value |\n|---|---|\n\n"
    assert second.prefix == header.rstrip()
    assert second.embedding_content.startswith(f'{header}The table "A" lists name, value in 40 rows, here rows ')
    text = "\n".join(part.embedding_content for part in parts)
    assert all(f"name row{number}, value what row {number} says." in text for number in range(40))


def test_a_row_that_is_cut_stays_as_it_is(embedded: Embedded) -> None:
    """Whole rows are sentences, the rest is what it was."""
    text = "| a | b |\n|---|---|\n| one | two |\n| " + "long " * 60 + "| end |\n| three | four |"
    chunks = embedded(text, size=32)
    assert "a one, b two." in chunks[0].embedding_content
    assert chunks[-1].embedding_content.endswith("a three, b four.")
    assert all("a long" not in chunk.embedding_content for chunk in chunks)


def test_built_and_delimited_tables(embedded: Embedded) -> None:
    """Every format that has tables."""
    writer = Writer("a.pdf")
    writer.table([["Name", "Size"], ["Finch", "3 cm"]], meta={"caption": "Table 2. Birds"})
    (built,) = embedded(document_of(writer.finish()))
    assert built.embedding_content == 'The table "Table 2. Birds" lists Name, Size in 1 row.\nName Finch, Size 3 cm.'
    (delimited,) = embedded("Name,Size\nFinch,3 cm\n", source="birds.csv")
    assert delimited.embedding_content == "This table lists Name, Size in 1 row.\nName Finch, Size 3 cm."
    assert delimited.content == "Name,Size\nFinch,3 cm"


def test_a_large_table_is_named_in_the_text_around_it(embedded: Embedded) -> None:
    """Where that is embedded, never in its content or in what full text reads; and each knows the other."""
    text = f"# Ports\n\nBefore it.\n\n{table(25)}\n\nAfter it.\n\n# Other\n\nFar away."
    before, *parts, after, far = embedded(text, size=200)
    assert before.embedding_content == "Ports\n\nBefore it.\n\n[Table: Ports, 25 rows]"
    assert after.embedding_content == "[Table: Ports, 25 rows]\n\nAfter it."
    assert not any("[Table" in chunk.content + chunk.indexed_text for chunk in (before, *parts, after, far))
    ids = tuple(part.chunk_id for part in parts)
    assert len(parts) > 1
    assert before.metadata["related_chunk_ids"] == after.metadata["related_chunk_ids"] == ids
    assert all(part.metadata["related_chunk_ids"] == (before.chunk_id, after.chunk_id) for part in parts)
    assert "related_chunk_ids" not in far.metadata
    assert chunk_record(before)["metadata"]["related_chunk_ids"] == ids


def test_the_word_for_a_table_is_in_the_documents_language(embedded: Embedded) -> None:
    """Chinese here."""
    text = "# 端口\n\n" + "下面是所有端口的说明，请在安装之前仔细阅读。" * 20 + f"\n\n{table(25)}\n"
    assert embedded(text, size=800, limit=800)[0].embedding_content.endswith("\n\n[表格：端口，共25行]")


def test_text_of_another_section_is_not_around_a_table(embedded: Embedded) -> None:
    """A table that is all of its section has no text."""
    chunks = embedded(f"# A\n\nText of A.\n\n# B\n\n{table(25)}\n\n# C\n\nText of C.", size=400)
    assert len(chunks) == 3
    assert not any("related_chunk_ids" in chunk.metadata or "[Table" in chunk.embedding_content for chunk in chunks)


def test_tables_one_after_the_other_share_their_text(embedded: Embedded) -> None:
    """Over each other."""
    before, one, two, after = embedded(f"Before.\n\n{table(22)}\n\n{table(23)}\n\nAfter.", size=400)
    assert before.embedding_content == "Before.\n\n[Table: 22 rows]\n\n[Table: 23 rows]"
    assert before.metadata["related_chunk_ids"] == (one.chunk_id, two.chunk_id)
    assert one.metadata["related_chunk_ids"] == two.metadata["related_chunk_ids"] == (before.chunk_id, after.chunk_id)


def test_a_word_for_a_table_needs_room_too(embedded: Embedded) -> None:
    """A text that fills the model's limit keeps all of it."""
    text = "word " * 40 + "\n\n" + table(25)
    assert "[Table" not in embedded(text, limit=40, size=40)[0].embedding_content
    assert "[Table" in embedded(text, limit=60, size=40)[0].embedding_content


def test_a_description_over_the_size_is_counted_and_flagged(embedded: Embedded, counter: TokenCounter) -> None:
    """Prefix and content fit; what is embedded does not, and `token_count` says so. As cells nothing is over it."""
    size = counter.count(table(8))
    (chunk,) = embedded(table(8), size=size)
    assert counter.count(chunk.counted_text) == size < chunk.token_count == counter.count(chunk.embedding_content)
    assert chunk.flags == (Flag.DESCRIPTION_OVER_SIZE,)
    (cells,) = embedded(table(8), size=size, table_text="cells")
    assert cells.flags == ()
    assert cells.token_count == counter.count(cells.embedding_content) < chunk.token_count


def test_a_placeholder_over_the_size_is_counted_and_flagged(embedded: Embedded, counter: TokenCounter) -> None:
    """Also where tables are embedded as cells: a large one is named beside its text in any case."""
    full, *_ = embedded("word " * 40 + "\n\n" + table(25), size=40, table_text="cells")
    assert counter.count(full.counted_text) == 40 < full.token_count
    assert full.flags == (Flag.DESCRIPTION_OVER_SIZE,)


def test_in_characters_the_embedded_characters_are_over_the_size(embedded: Embedded) -> None:
    """The unit of the size is that of what is compared with it."""
    (chunk,) = embedded(table(4), size=160, unit="characters")
    assert len(chunk.counted_text) <= 160 < len(chunk.embedding_content)
    assert Flag.DESCRIPTION_OVER_SIZE in chunk.flags


def test_the_boundaries_know_what_is_embedded(counter: TokenCounter) -> None:
    """The page tells the flags and counts of chunks before it makes their texts."""
    text = f"# Ports\n\nBefore it.\n\n{table(25)}\n\nAfter it.\n\n## More\n\n{table(6)}"
    chunker, config = Chunker(parse(text.encode(), "a.md"), counter, max_tokens=254), ChunkConfig(size=100)
    boundaries, chunks = chunker.boundaries(config), chunker.chunks(config)
    over = [chunk for chunk in chunks if Flag.DESCRIPTION_OVER_SIZE in chunk.flags]
    assert boundaries.achieved.description_over_size == len(over) > 0
    assert boundaries.achieved.embedded_max == max(chunk.token_count for chunk in over)
    for chunk, tokens in zip(chunks, boundaries.embedded_tokens.tolist(), strict=True):
        assert tokens == chunk.token_count or not (chunk.description or "[Table" in chunk.embedding_content)


def test_what_stays_where_it_is_is_not_counted_again(counter: TokenCounter, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the size changes; a known size is that of the chunk as it is now: with another prefix, limit, or neighbour
    it is another.
    """
    counted: list[int] = []
    really = EmbeddedTexts._size

    def count(self: EmbeddedTexts, number: int, *beside: Sequence[Block]) -> EmbeddedSize:
        counted.append(number)
        return really(self, number, *beside)

    monkeypatch.setattr(EmbeddedTexts, "_size", count)
    document = parse(
        "\n\n".join(f"# Part {number}\n\nSome text.\n\n{table(number)}" for number in range(1, 9)).encode(), "a.md"
    )
    one = Chunker(document, counter, max_tokens=254)
    one.boundaries(ChunkConfig(size=120))
    first = len(counted)
    counted.clear()
    one.boundaries(ChunkConfig(size=121))
    assert 0 <= len(counted) < first / 2
    for config in (
        ChunkConfig(size=size, prefix=prefix) for prefix in ("none", "title_path") for size in (40, 119, 120, 240)
    ):
        reused, fresh = one.boundaries(config), Chunker(document, counter, max_tokens=254).boundaries(config)
        assert reused.embedded_tokens.tolist() == fresh.embedded_tokens.tolist()
        assert (reused.flags.tolist(), reused.achieved) == (fresh.flags.tolist(), fresh.achieved)


def test_remembered_sizes_are_bounded() -> None:
    """When the memo is full it is emptied: the first size is measured again, the last one is not."""
    memo, measured = Memo(most=2), list[int]()
    for number in (0, 1, 2, 2, 0):
        memo.of(number, lambda number=number: measured.append(number) or number)  # type: ignore[misc]
    assert measured == [0, 1, 2, 0]


def test_one_chunk_is_made_as_all_are(embedded: Embedded, counter: TokenCounter) -> None:
    """The page shows one, the index holds all."""
    text = f"# Ports\n\nBefore it.\n\n{table(25)}\n\nAfter it."
    split = Chunker(parse(text.encode(), "a.md"), counter, max_tokens=254).split(ChunkConfig(size=100))
    singly = [split.chunk(number) for number in range(len(split.boundaries))]
    assert singly == split.chunks()
