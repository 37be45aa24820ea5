"""The counter against the tokenizer itself."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from chunking.embedding.model_folder import find_model
from chunking.errors import ModelError
from chunking.splitting.measure.token_counter import Letter, TokenCounter, token_counter
from tests.support.examples import law
from tests.support.strategies import markdown, words

FOLDER = find_model("all-MiniLM-L6-v2").path


@pytest.fixture(scope="module")
def raw() -> Tokenizer:
    """The tokenizer without the limits of its file."""
    tokenizer = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def exact(raw: Tokenizer, text: str) -> int:
    return len(raw.encode(text, add_special_tokens=False))


@law(80)
@given(st.one_of(markdown(), st.lists(words()).map(" ".join), st.text().filter(lambda text: "\x00" not in text)))
def test_count_is_the_tokenizers(raw: Tokenizer, text: str) -> None:
    """Sums over words are what the tokenizer says of the whole."""
    assert token_counter(FOLDER).count(text) == exact(raw, text)


@pytest.mark.parametrize(
    "text",
    [
        "x[SEP]y [CLS] [UNK][PAD] [MASK]ed",
        "a\u200bb a\x0cb a\x85b \u2028 \xa0 \u3000 \u2003x",
        "a" * 100 + " " + "a" * 101 + " " + "ab" * 2500,
        "≠ ≯ \u1fef 한국어 안녕하세요 これはペンです 𠮷野家",
        "\ufeffword \ufffd word",
        "",
        "   \n\t ",
    ],
)
def test_awkward_texts_are_counted_exactly(raw: Tokenizer, text: str) -> None:
    """Special tokens written out, characters the normaliser drops or parts words at, words over 100 letters."""
    assert TokenCounter(FOLDER).count(text) == exact(raw, text)


def test_nothing_is_cut_off_or_filled(raw: Tokenizer) -> None:
    """The file truncates and pads to 128; the counter does not."""
    counter = TokenCounter(FOLDER)
    assert counter.count("word " * 500) == 500
    assert counter.count("word") == 1


def test_each_character_is_taken_as_the_tokenizer_takes_it() -> None:
    """Letters join, punctuation and Chinese stand alone, spaces part, accents and control characters vanish."""
    counter = TokenCounter(FOLDER)
    assert counter.letter("x") == Letter(False, False, 1)
    assert counter.letter("中") == counter.letter(".") == Letter(False, True, 0)
    assert counter.letter("\u2003") == Letter(True, False, 0)
    assert counter.letter("\u0301") == counter.letter("\x0c") == Letter(False, False, 0)
    assert counter.letter("한") == Letter(False, False, 3)


def test_a_word_is_asked_for_once() -> None:
    """A second count of known words makes no call; a thousand new words make a few."""
    counter = TokenCounter(FOLDER)
    first = counter.count_words(["one", "two", "one"])
    calls = counter.calls
    assert first.tolist() == [1, 1, 1]
    assert counter.count("two one two") == 3
    assert counter.calls == calls
    counter.count_words([f"new{number}" for number in range(1000)])
    assert counter.calls - calls <= 3


def test_count_each_is_count() -> None:
    """Many texts at once give what each gives alone."""
    counter = TokenCounter(FOLDER)
    texts = ["Install", "", "On Linux > 选项", " "]
    assert counter.count_each(texts).tolist() == [counter.count(text) for text in texts]


def test_one_folder_shares_one_counter() -> None:
    """What one document taught the counter is there for the next."""
    assert token_counter(FOLDER) is token_counter(FOLDER)


@pytest.mark.parametrize("content", [None, "not json", "{}", '{"model": {"type": "WordPiece"}}'])
def test_no_tokenizer_is_one_sentence(tmp_path: Path, content: str | None) -> None:
    """A folder without a usable tokenizer.json is a ModelError that names the file."""
    if content is not None:
        (tmp_path / "tokenizer.json").write_text(content)
    with pytest.raises(ModelError, match=r"tokenizer\.json cannot be read"):
        TokenCounter(tmp_path)


def test_an_added_token_that_depends_on_its_neighbours_is_not_summed(tmp_path: Path) -> None:
    """`single_word` looks at what stands around a token: then counts of words do not add up."""
    description = json.loads((FOLDER / "tokenizer.json").read_text())
    description["added_tokens"][0]["single_word"] = True
    (tmp_path / "tokenizer.json").write_text(json.dumps(description))
    assert TokenCounter(tmp_path).crosses_space
    assert not TokenCounter(FOLDER).crosses_space


def test_token_ends_ascend() -> None:
    """Places of tokens, for tokenizers that cross white space."""
    (ends,) = TokenCounter(FOLDER).token_ends(["one two"])
    assert ends.tolist() == [3, 7]
    assert ends.dtype == np.int32


def test_sessions_that_meet_new_words_at_once_get_the_right_counts(raw: Tokenizer) -> None:
    """One counter serves every session of the app."""
    counter = TokenCounter(FOLDER)
    texts = [" ".join(f"wörd{number * 7919 % 5000}x{worker}" for number in range(2000)) for worker in range(8)]
    with ThreadPoolExecutor(8) as pool:
        counted = list(pool.map(counter.count, texts))
    assert counted == [exact(raw, text) for text in texts]
    assert [counter.count(text) for text in texts] == counted


def test_threads_may_share_a_counter() -> None:
    """Sessions of the app do: counts stay with their words."""
    from concurrent.futures import ThreadPoolExecutor

    counter = TokenCounter(FOLDER)
    texts = [" ".join(f"w{number}x{step}" for number in range(300)) for step in range(24)]
    with ThreadPoolExecutor(4) as pool:
        counts = list(pool.map(counter.count, texts))
    assert counts == [TokenCounter(FOLDER).count(text) for text in texts]
