"""Queries of every kind: phrases, languages, and what people and programs type by mistake."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.config import QuerySyntax
from chunking.errors import QueryError
from chunking.retrieval.query.query_parts import MAX_CHARACTERS, has_operators, understand, without_operators
from tests.support.facts import tells


@pytest.mark.parametrize(
    ("query", "phrases", "words"),
    [
        ('restore "from a backup" now', ("from a backup",), "restore now"),
        ("恢复“数据 备份”方法", ("数据 备份",), "恢复 方法"),
        ("打开「电源指示灯」", ("电源指示灯",), "打开"),
        ('"one" and "two" and "one"', ("one", "two"), "and and"),
        ('an "unbalanced phrase', (), "an unbalanced phrase"),
        ('"" empty “ ” ones', (), "empty ones"),
        ('"only a phrase"', ("only a phrase",), ""),
        ("it's 5 o'clock", (), "it's 5 o'clock"),
        ('"***" stars', (), "stars"),
        ('a 19" rack and a 21" rack', (), "a 19 rack and a 21 rack"),
        ('19" rack "blade 2" x', ("blade 2",), "19 rack x"),
    ],
)
def test_quoted_text_is_a_phrase(query: str, phrases: tuple[str, ...], words: str) -> None:
    """Straight, curly and corner marks; one without a partner is left out; a phrase needs a letter or digit."""
    understood = understand(query)
    assert (understood.phrases, understood.words) == (phrases, words)


MARKS = '"“”„「」『』«»'
QUOTED = st.text(alphabet=f"{MARKS}ab 9怎\u00a0\n", max_size=40)


@given(QUOTED | st.text(max_size=60))
def test_plain_language_has_no_conditions(query: str) -> None:
    """The model reads the same text in every syntax; only a typed search has phrases, and the text leg all words of a
    plain one.
    """
    try:
        typed, plain = understand(query), understand(query, QuerySyntax.PLAIN)
    except QueryError:
        return
    assert (plain.text, plain.language, plain.notes) == (typed.text, typed.language, typed.notes)
    assert (plain.words, plain.phrases) == (plain.text, ())
    assert has_operators(query) == bool(typed.phrases)


@given(QUOTED | st.text(max_size=60))
def test_a_text_without_operators_reads_alike_in_every_syntax(query: str) -> None:
    """No mark is left, and no word is lost or joined to its neighbour."""
    text = without_operators(query)
    assert not set(MARKS) & set(text)
    assert not has_operators(text)
    assert "".join(text.split()) == "".join("".join(char for char in query if char not in MARKS).split())


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("What is “main fuse” in 「手册」里?", "What is main fuse in 手册里?"),
        ('a"b', "a b"),
        ('the 5" disk', "the 5 disk"),
        ("关于“锂电池”，文档是怎么说的？", "关于锂电池，文档是怎么说的？"),
    ],
)
def test_quotation_marks_are_taken_out_as_a_writer_would(query: str, said: str) -> None:
    """A blank stays between Latin words, and none is put between Chinese ones."""
    assert without_operators(query) == said


@pytest.mark.parametrize(
    ("query", "language"),
    [
        ("How do I restore a backup?", "en"),
        ("怎么恢复备份？", "zh"),
        ("怎么配置 nginx 反向代理", "mixed"),
        ("ディスクの空き容量", "ja"),
        ("디스크 용량", "ko"),
        ("42 🙂 *", "und"),
        ("Überprüfung der Größe", "en"),
    ],
)
def test_the_language_is_reported_by_script(query: str, language: str) -> None:
    """Kana make Chinese characters Japanese; both scripts in earnest are mixed."""
    assert understand(query).language == language


@pytest.mark.parametrize("query", ["", "   ", "\n\t", "\x00", "\ud800", '""', "“”", "\u3000"])
def test_an_empty_query_is_one_clear_sentence(query: str) -> None:
    """White space, control characters and bare quotation marks say nothing."""
    with pytest.raises(QueryError, match="query is empty"):
        understand(query)


def test_a_long_query_is_cut_and_says_so() -> None:
    """Ten thousand characters, with spaces and without."""
    for query in ("word " * 2_000, "字" * 10_000):
        understood = understand(query)
        assert MAX_CHARACTERS - 100 <= len(understood.text) <= MAX_CHARACTERS
        assert tells(understood.notes, "query 2,000 characters beginning")


@given(st.text(st.characters(codec=None) | st.sampled_from(list('"“”「」*\x00\ud800🙂')), max_size=300))
def test_any_string_is_safe(query: str) -> None:
    """Whatever is typed is either empty or becomes text that every engine takes."""
    try:
        understood = understand(query)
    except QueryError:
        return
    full = " ".join((understood.text, understood.words, *understood.phrases))
    full.encode("utf-8")
    assert "\x00" not in full
    assert not set('"“”「」') & set(full)
    assert understood.text.strip()
