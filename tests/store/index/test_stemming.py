"""Stems by script and language, and that nothing but an ending is lost on the way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.config import FullTextTokenizer
from chunking.store.engine.store_opening import import_lancedb
from chunking.store.index.full_text import indexed_words, query_stems, tokens_of_each, words
from chunking.store.index.stemming import LATIN_LANGUAGES, latin_language, stems


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "running", "runs"),
        ("de", "Häuser", "Haus"),
        ("de-AT", "Kündigungen", "Kündigung"),
        ("fr", "continuellement", "continuelle"),
        ("es", "bibliotecas", "biblioteca"),
        ("it", "gatti", "gatto"),
        ("pt", "livros", "livro"),
        ("nl", "katten", "kat"),
        ("en", "библиотеками", "библиотека"),
        ("ru", "ёлки", "елка"),
        ("zh", "running", "runs"),
        ("und", "running", "runs"),
        ("de", "المدينة", "مدينة"),
        ("ar", "والكتاب", "كتاب"),
        ("ar", "المكتبات", "مكتبة"),
        ("el", "δρόμοι", "δρόμος"),
        ("ta", "நகரங்கள்", "நகரம்"),
    ],
)
def test_forms_of_a_word_have_one_stem(language: str, one: str, other: str) -> None:
    """Latin words in the language of their document, others in that of their script."""
    assert words(one, language=language) == words(other, language=language)


@pytest.mark.parametrize("language", ["", *LATIN_LANGUAGES, "ru", "zh", "und", "xx-Latn"])
@pytest.mark.parametrize(
    "text",
    ["安装手册在这里，更换滤芯", "東京都に行きました", "จะไปไหนมา", "한국어로 번역하기", "שלום לכולם", "नमस्ते दुनिया"],
)
def test_scripts_without_a_stemmer_keep_the_words_of_the_dictionary(text: str, language: str) -> None:
    """As the engine divides them, whatever the language of the document: no word is divided again or joined."""
    tokens = import_lancedb().tokenize(text, base_tokenizer="icu", stem=False, remove_stop_words=False)
    assert words(text, language=language) == [token.text for token in tokens]


@pytest.mark.parametrize("language", LATIN_LANGUAGES)
def test_identifiers_and_codes_stay_whole(language: str) -> None:
    """A part number is found by itself alone, and by nothing that resembles it."""
    for code in ("e-404", "HG4-CN", "T25-90417", "0x1f", "a1b2c3", "v2.10.3"):
        assert words(code, language=language)
        assert words(code, language=language) != words(f"{code}7", language=language)
    assert words("maxRetryCount", language=language) == words("max_retry_count", language=language)


def test_long_words_of_any_script_are_kept() -> None:
    """Up to 40 letters: the engine counts bytes, so that a Russian word would be lost at 20."""
    assert words("электроэнцефалографическое")
    assert words("b" * 40) == ["b" * 40]
    assert words("b" * 41) == []


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), max_size=4),
    st.sampled_from(["", *LATIN_LANGUAGES, "ru", "ar"]),
)
def test_texts_are_stored_as_each_alone(texts: list[str], language: str) -> None:
    """One tokenizer call for all texts gives what one for each gives, and a query for the text finds its words."""
    stored = indexed_words(texts, FullTextTokenizer.ICU, [language] * len(texts))
    assert stored == [" ".join(words(text, language=language)) for text in texts]
    for text, row in zip(texts, stored, strict=True):
        assert set(row.split(" ")) - {""} <= set(query_stems(text, [language]))


def test_texts_that_hold_the_mark_between_them_are_read_one_by_one() -> None:
    texts = ["running foxes", "zqxsepz", "", "foxes"]
    assert tokens_of_each(texts) == [["running", "foxes"], ["zqxsepz"], [], ["foxes"]]
    assert tokens_of_each([]) == []


def test_a_query_asks_for_each_stem_once() -> None:
    """In the languages of the index, in the order of its words; repeated words stay repeated."""
    assert query_stems("running houses", ["en", "de", "de"]) == ["run", "running", "hous"]
    assert query_stems("backup backup", ["en", "de"]) == ["backup", "backup"]
    assert query_stems("->", ["en"]) == []
    assert set(query_stems("libraries")) >= {words("libraries", language=tag)[0] for tag in LATIN_LANGUAGES}


def test_pairs_of_characters_are_not_stemmed() -> None:
    """The n-gram tokenizer indexes the normalised text in any language."""
    assert indexed_words(["Häuser"], FullTextTokenizer.NGRAM, ["de"]) == ["Hauser"]
    assert words("Häuser", FullTextTokenizer.NGRAM, "de") == ["ha", "au", "us", "se", "er"]


@given(st.lists(st.text(st.characters(categories=["Ll", "Lo"]), min_size=1, max_size=12), max_size=8))
def test_every_word_has_a_stem(some: list[str]) -> None:
    """No word becomes empty, and equal words have equal stems."""
    tokens = [token for text in some for token in tokens_of_each([text])[0]]
    stemmed = stems(tokens, "de")
    assert len(stemmed) == len(tokens)
    assert all(stemmed)
    assert len(set(zip(tokens, stemmed, strict=True))) == len(set(tokens))


def test_a_language_without_a_stemmer_counts_as_english() -> None:
    assert [latin_language(tag) for tag in ("de-CH", "vi", "", "zh")] == ["de", "en", "en", "en"]
