"""`token_count` is what is embedded: over the samples, one of them Chinese, by the tokenizer itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.config import ChunkConfig, Prefix, Strategy, TableText
from chunking.embedding.model_folder import find_model
from chunking.model import Chunk, Flag
from chunking.parsing import parse
from chunking.splitting import Chunker, TokenCounter
from tests.support.strategies import meaning
from tests.support.token_lengths import TokenLengths

SAMPLES = Path(__file__).parents[3] / "sample_data"
FILES = ("api/rest-api-reference.md", "handbook/operations-handbook.md", "manual-zh/产品使用手册.md", "faq/faq.txt")
LIMIT = 254


@pytest.fixture(scope="module")
def tokenizer() -> TokenLengths:
    """Of the default model."""
    return TokenLengths(find_model("all-MiniLM-L6-v2").path)


@pytest.fixture(scope="module")
def chunkers(counter: TokenCounter) -> list[Chunker]:
    """Markdown with tables, in two languages, and plain text, each measured once for all settings."""
    samples = [parse((SAMPLES / name).read_bytes(), name) for name in FILES]
    return [Chunker(document, counter, max_tokens=LIMIT, sentences=meaning) for document in samples]


@pytest.mark.parametrize("table_text", list(TableText))
@pytest.mark.parametrize("strategy", list(Strategy))
def test_every_row_is_counted_as_it_is_embedded(
    chunkers: list[Chunker], tokenizer: TokenLengths, strategy: Strategy, table_text: TableText
) -> None:
    """Chunks, parents and larger sizes; what only a description makes longer than the size, or the limit shorter, is
    flagged.
    """
    config = ChunkConfig(
        strategy=strategy,
        table_text=table_text,
        size=128,
        parent_size=300,
        prefix=Prefix.TITLE_PATH,
        splitter="windows",
    )
    over = shortened = 0
    for chunker in chunkers:
        levels = chunker.split(config).levels()
        rows: list[Chunk] = [*levels.chunks, *levels.parents, *levels.larger[2]]
        embedded = tokenizer.of_each([row.embedding_content for row in rows])
        counted = tokenizer.of_each([row.counted_text for row in rows])
        assert [row.token_count for row in rows] == embedded
        for row, tokens, size in zip(rows[: len(levels.chunks)], embedded, counted, strict=False):
            assert (tokens > config.size >= size) == (Flag.DESCRIPTION_OVER_SIZE in row.flags)
            assert tokens <= LIMIT or Flag.OVER_MODEL_LIMIT in row.flags
            over += Flag.DESCRIPTION_OVER_SIZE in row.flags
            if table_text is TableText.CELLS and Flag.DESCRIPTION_OVER_SIZE in row.flags:
                assert (
                    "[Table: " in row.embedding_content or "[表格：" in row.embedding_content
                )  # only placeholders are left
        for row, tokens in zip(rows, embedded, strict=True):
            assert (
                tokens <= LIMIT or {Flag.OVER_MODEL_LIMIT, Flag.MEAN_OF_WINDOWS} & {*row.flags} or row in levels.parents
            )
            shortened += Flag.DESCRIPTION_SHORTENED in row.flags
    if table_text is TableText.SENTENCES and strategy in (Strategy.STRUCTURE, Strategy.RECURSIVE):
        assert over > 10
        assert shortened
