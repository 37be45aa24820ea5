"""`token_count` is what is embedded: over the samples, one of them Chinese, by the tokenizer itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from tokenizers import Tokenizer

from chunking.config import ChunkConfig, Prefix, Strategy, TableText
from chunking.embedding.model_folder import find_model
from chunking.model import Chunk, Document, Flag
from chunking.parsing import parse
from chunking.splitting import Chunker, TokenCounter
from tests.support.strategies import meaning

SAMPLES = Path(__file__).parents[2] / "sample_data"
FILES = ("api/rest-api-reference.md", "handbook/operations-handbook.md", "manual-zh/产品使用手册.md", "faq/faq.txt")
LIMIT = 254


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    """Of the default model, with nothing cut off."""
    raw = Tokenizer.from_file(str(find_model("all-MiniLM-L6-v2").path / "tokenizer.json"))
    raw.no_truncation()
    raw.no_padding()
    return raw


@pytest.fixture(scope="module")
def samples() -> list[Document]:
    """Markdown with tables, in two languages, and plain text."""
    return [parse((SAMPLES / name).read_bytes(), name) for name in FILES]


def tokens_of(tokenizer: Tokenizer, texts: list[str]) -> list[int]:
    return [len(one) for one in tokenizer.encode_batch(texts, add_special_tokens=False)]


@pytest.mark.parametrize("table_text", list(TableText))
@pytest.mark.parametrize("strategy", list(Strategy))
def test_every_row_is_counted_as_it_is_embedded(
    samples: list[Document], counter: TokenCounter, tokenizer: Tokenizer, strategy: Strategy, table_text: TableText
) -> None:
    """Chunks, parents and larger sizes; what only a description makes longer than the size, or the limit shorter, is flagged."""
    config = ChunkConfig(strategy=strategy, table_text=table_text, size=128, parent_size=300, prefix=Prefix.TITLE_PATH, splitter="windows")
    over = shortened = 0
    for document in samples:
        levels = Chunker(document, counter, max_tokens=LIMIT, sentences=meaning).levels(config)
        rows: list[Chunk] = [*levels.chunks, *levels.parents, *levels.larger[2]]
        embedded = tokens_of(tokenizer, [row.embedding_content for row in rows])
        counted = tokens_of(tokenizer, [row.counted_text for row in rows])
        assert [row.token_count for row in rows] == embedded
        for row, tokens, size in zip(rows[: len(levels.chunks)], embedded, counted, strict=False):
            assert (tokens > config.size >= size) == (Flag.DESCRIPTION_OVER_SIZE in row.flags)
            assert tokens <= LIMIT or Flag.OVER_MODEL_LIMIT in row.flags
            over += Flag.DESCRIPTION_OVER_SIZE in row.flags
            if table_text is TableText.CELLS and Flag.DESCRIPTION_OVER_SIZE in row.flags:
                assert "[Table: " in row.embedding_content or "[表格：" in row.embedding_content  # only placeholders are left
        for row, tokens in zip(rows, embedded, strict=True):
            assert tokens <= LIMIT or {Flag.OVER_MODEL_LIMIT, Flag.MEAN_OF_WINDOWS} & {*row.flags} or row in levels.parents
            shortened += Flag.DESCRIPTION_SHORTENED in row.flags
    if table_text is TableText.SENTENCES and strategy in (Strategy.STRUCTURE, Strategy.RECURSIVE):
        assert over > 10
        assert shortened
