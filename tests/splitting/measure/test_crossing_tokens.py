"""Tokenizers whose tokens cross white space (BPE, SentencePiece): an upper bound first, exact counts in the chunks."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from chunking.config import ChunkConfig, Prefix, Strategy
from chunking.model import Flag
from chunking.parsing import parse
from chunking.splitting import Chunker, TokenCounter

WORDS = "the measure of a chunk is what it holds when nobody looks 安装 说明 系统 配置".split()  # noqa: SIM905


def text() -> str:
    chance = random.Random(3)
    parts = ["# Guide"]
    for number in range(30):
        parts.append(f"## Part {number}")
        parts.append(" ".join(chance.choices(WORDS, k=80)).replace("说明", "说明。") + ".")
        parts.append("```python\nx = 1\n    y = 2\n```")
    return "\n\n".join(parts)


def byte_level() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator([text()], trainer)
    return tokenizer


def metaspace() -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.train_from_iterator(
        [text()],
        trainers.UnigramTrainer(vocab_size=300, show_progress=False, unk_token="<unk>", special_tokens=["<unk>"]),
    )
    return tokenizer


@pytest.mark.parametrize("make", [byte_level, metaspace])
@pytest.mark.parametrize("strategy", list(Strategy))
def test_bound_before_exact_after(tmp_path: Path, make: object, strategy: Strategy) -> None:
    """The preview never says less than the chunk has; the chunk's count is the tokenizer's; all fit."""
    tokenizer = make()  # type: ignore[operator]
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    document = parse(text().encode(), "guide.md")
    chunker = Chunker(document, TokenCounter(tmp_path), max_tokens=60)
    for prefix in (Prefix.NONE, Prefix.TITLE_PATH):
        config = ChunkConfig(strategy=strategy, size=64, overlap="16", prefix=prefix)
        boundaries, chunks = chunker.boundaries(config), chunker.chunks(config)
        assert [chunk.start for chunk in chunks] == boundaries.starts.tolist()
        for chunk, bound in zip(chunks, boundaries.tokens.tolist(), strict=True):
            exact = len(tokenizer.encode(chunk.counted_text, add_special_tokens=False))
            assert chunk.token_count == len(tokenizer.encode(chunk.embedding_content, add_special_tokens=False))
            assert exact <= bound
            assert exact <= config.size
            assert Flag.OVER_SIZE not in chunk.flags
            assert (Flag.OVER_MODEL_LIMIT in chunk.flags) == (exact > 60)
