"""Whether the model can read a corpus, and what the user is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.config import ENGLISH_MODEL
from chunking.embedding import can_read, check_language
from chunking.embedding.language_check import SAMPLE_CHARACTERS, SAMPLE_TEXTS
from chunking.embedding.model_folder import find_model
from chunking.splitting import token_counter

SAMPLES = Path(__file__).parents[2] / "sample_data"


class LetterCounter:
    """Knows ASCII letters only."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def unread_share(self, text: str) -> float:
        self.read.append(text)
        letters = [letter for letter in text if not letter.isspace()]
        return sum(not letter.isascii() for letter in letters) / len(letters)


def paragraphs(folder: str, suffix: str) -> list[str]:
    return [
        part
        for file in sorted((SAMPLES / folder).rglob(f"*{suffix}"))
        for part in file.read_text(encoding="utf-8").split("\n\n")
    ]


def test_the_default_model_reads_english_and_not_chinese() -> None:
    """On the sample documents."""
    counter = token_counter(find_model(ENGLISH_MODEL).path)
    english, chinese = paragraphs("handbook", ".md"), paragraphs("manual-zh", ".md")
    assert check_language(english, counter, ENGLISH_MODEL).share < 0.02
    check = check_language(english + chinese, counter, ENGLISH_MODEL)
    assert not check.readable
    assert check.by_language["zh"] > 0.7
    assert check.by_language["other"] < 0.05
    assert check.sentence is not None
    assert check.sentence.startswith("all-MiniLM-L6-v2 cannot read ")
    assert "of the Chinese text" in check.sentence
    assert "multilingual" in check.sentence


def test_a_readable_corpus_needs_no_sentence() -> None:
    """Nothing is said where nothing is wrong."""
    check = check_language(["some words", "more words"], LetterCounter(), "m")
    assert (check.share, check.readable, check.sentence, dict(check.by_language)) == (0.0, True, None, {"other": 0.0})


def test_each_language_is_measured_apart() -> None:
    """A few Chinese documents among many English ones are still found."""
    check = check_language([*["plain words"] * 20, "请关闭电源"], LetterCounter(), "m")
    assert check.share < 0.2
    assert check.unreadable == ("zh",)
    assert check.sentence is not None
    assert check.sentence.startswith("m cannot read 100% of the Chinese text")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Спасибо большое", "Cyrillic"),
        ("شكرا جزيلا", "Arabic"),
        ("ありがとう", "Japanese"),
        ("감사합니다", "Korean"),
        ("ⴰⵣⵓⵍ", "Tifinagh"),
    ],
)
def test_other_scripts_are_told_as_well(text: str, name: str) -> None:
    """By the script of most letters, even in few texts among many, and for scripts without a row."""
    for texts in ([text], [*["plain words"] * 20, text]):
        sentence = check_language(texts, LetterCounter(), "m").sentence
        assert sentence is not None
        assert sentence.startswith(f"m cannot read 100% of the {name} text")


def test_latin_text_that_is_not_read_has_no_name() -> None:
    """Nobody knows its language."""
    sentence = check_language(["ıııııı"], LetterCounter(), "m").sentence
    assert sentence is not None
    assert sentence.startswith("m cannot read 100% of this text")


def test_chinese_with_latin_names_in_it_is_chinese() -> None:
    """Product names and units do not make a manual English."""
    assert "zh" in check_language(["将 RS-485 接口连接到 PLC 控制器的端子。"], LetterCounter(), "m").by_language


def test_an_empty_corpus_is_readable() -> None:
    """No texts, or only blank ones: nothing to complain about, nothing is divided by zero."""
    assert check_language([], LetterCounter(), "m").readable
    assert check_language(["", " \n"], LetterCounter(), "m").share == 0.0


def test_a_large_corpus_is_sampled() -> None:
    """At most 200 texts of 2,000 characters are read, in one call a language, however large the corpus."""
    counter = LetterCounter()
    check_language(["word " * 1000] * 5003, counter, "m")
    assert len(counter.read) == 1
    assert len(counter.read[0]) <= SAMPLE_TEXTS * (SAMPLE_CHARACTERS + 1)


def test_a_text_with_a_fifth_of_unknown_words_can_still_be_read() -> None:
    """Exactly 20 % can still be read."""
    assert can_read(0.2)
    assert not can_read(0.2001)
