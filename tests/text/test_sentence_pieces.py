"""The SentencePiece tokenizer gives the ids of XLM-RoBERTa, with the characters of each token."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.embedding.packaged.e5_model import e5_folder
from chunking.errors import ModelError
from chunking.text.sentence_pieces import MODEL_FILE, SPECIAL, SentencePieceTokenizer
from tests.support.packaged_e5 import needs_e5

pytestmark = needs_e5

PUBLISHED = {
    "Hello world": [0, 35378, 8999, 2],
    "": [0, 2],
}
"""Ids that the documentation of XLM-RoBERTa's tokenizers shows."""
TEXTS = (
    "The pump must be switched off before the filter is changed.",
    "请在更换滤芯之前关闭电源。",
    "สวัสดีครับ ผมชื่อสมชาย",
    "مرحبا بالعالم، كيف حالك؟",
    "| Key | Default |\n| --- | --- |\n| timeout | 30 s |",
    "two  spaces\t\ttab \n\n line",
)


@pytest.fixture(scope="module")
def tokenizer() -> SentencePieceTokenizer:
    return SentencePieceTokenizer(e5_folder() / MODEL_FILE)


def test_ids_are_the_published_ones(tokenizer: SentencePieceTokenizer) -> None:
    assert {text: tokenizer.encode(text).ids for text in PUBLISHED} == PUBLISHED


@pytest.mark.parametrize("text", TEXTS)
def test_tokens_cover_every_letter_in_order(tokenizer: SentencePieceTokenizer, text: str) -> None:
    """Their characters follow each other, and no letter is in none."""
    encoded = tokenizer.encode(text, add_special_tokens=False)
    assert encoded.offsets == sorted(encoded.offsets)
    covered = {at for start, end in encoded.offsets for at in range(start, end)}
    assert [char for at, char in enumerate(text) if at not in covered and not char.isspace()] == []
    assert len(encoded) == len(encoded.ids) == len(encoded.special_tokens_mask)


@pytest.mark.parametrize("text", TEXTS)
def test_counts_of_words_add_up(tokenizer: SentencePieceTokenizer, text: str) -> None:
    """No token crosses white space."""
    words = tokenizer.encode_batch_fast(text.split(), add_special_tokens=False)
    assert sum(map(len, words)) == len(tokenizer.encode(text, add_special_tokens=False))


@pytest.mark.parametrize("text", ["", "\n", "a\x00b", "</s>", *TEXTS])
def test_a_count_is_the_number_of_tokens(tokenizer: SentencePieceTokenizer, text: str) -> None:
    """Also in a tokenizer that cuts its rows."""
    number = len(tokenizer.encode(text, add_special_tokens=False))
    assert tokenizer.count(text) == tokenizer.cut_at(4).count(text) == number


def test_many_texts_give_what_each_gives(tokenizer: SentencePieceTokenizer) -> None:
    many = list(TEXTS) * 20
    singly = [tokenizer.encode(text) for text in many]
    assert tokenizer.encode_batch(many) == singly
    assert [row.ids for row in tokenizer.encode_batch_fast(many)] == [row.ids for row in singly]


def test_a_long_text_is_truncated_with_its_ends_kept(tokenizer: SentencePieceTokenizer) -> None:
    """The other tokenizer still cuts nothing."""
    text = "pump " * 50
    cut = tokenizer.cut_at(10).encode(text)
    full = tokenizer.encode(text)
    assert cut.ids == [*full.ids[:9], full.ids[-1]]
    assert len(full) == 52


def test_a_special_token_in_a_text_is_plain_letters(tokenizer: SentencePieceTokenizer) -> None:
    """Nobody ends a passage by writing its end."""
    ids = tokenizer.encode("a </s> b", add_special_tokens=False).ids
    assert min(ids) >= len(SPECIAL)
    assert tokenizer.decode_batch([ids]) == ["a </s> b"]


def test_pieces_are_found_by_their_letters(tokenizer: SentencePieceTokenizer) -> None:
    vocabulary = tokenizer.get_vocab()
    assert [tokenizer.token_to_id(name) for name in SPECIAL] == [0, 1, 2, 3]
    assert tokenizer.token_to_id("▁pump") == vocabulary["▁pump"]
    assert tokenizer.token_to_id("no such piece") is None
    assert len(vocabulary) == 250_002


def test_a_damaged_file_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / MODEL_FILE
    file.write_bytes(b"no model")
    with pytest.raises(ModelError) as raised:
        SentencePieceTokenizer(file)
    assert raised.value.where == str(file)
