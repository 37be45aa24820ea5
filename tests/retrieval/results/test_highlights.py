"""Highlights: the right words, at exact offsets of the document."""

from __future__ import annotations

import itertools
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chunking.config import FullTextTokenizer
from chunking.retrieval.query.query_parts import understand
from chunking.retrieval.query.query_terms import search_terms, word_stem
from chunking.retrieval.results.result_items import highlights, match_spans, matched_fields
from chunking.store.engine.lance_tables import Tables
from chunking.store.engine.store_opening import import_lancedb
from chunking.store.index.full_text import indexed_words, query_stems, words_config
from tests.retrieval.cut_texts import LETTERS, make_chunks


@pytest.mark.parametrize(
    ("query", "text", "shown"),
    [
        ("how to install it", "Installing the tool: an installation takes a minute.", ["Installing", "installation"]),
        ("running backups", "The backup runs at night.", ["backup", "runs"]),
        ("policies", "A retention policy applies.", ["policy"]),
        ('"night run"', "A Night\nrun, a run at night.", ["Night\nrun"]),
        ("保修期限是多少", "整机的保修期为两年，期限从购买日起算。", ["保修期", "期限"]),
        ("怎么更换滤芯？", "更换滤芯前请断电。怎么办", ["更换滤芯"]),
        ("nginx 反向代理", "用 Nginx做反向代理。", ["Nginx", "反向代理"]),
        ("水", "水箱与净水", ["水", "水"]),
        ("the", "Neither the one nor The other", ["the", "The"]),
        ("E-404", "Error E-404 means not found.", ["E-404"]),
        ("Straße", "Die STRASSE und die STRAßE", ["STRASSE", "STRAßE"]),
        ("🙂", "nothing 🙂", []),
    ],
)
def test_words_of_the_query_are_shown(query: str, text: str, shown: list[str]) -> None:
    """English endings do not matter, fillers are left out, Chinese is matched by runs of characters."""
    assert [text[start:end] for start, end in match_spans(text, search_terms(understand(query)))] == shown


@pytest.mark.parametrize(
    ("language", "query", "text", "shown"),
    [
        ("de", "altes Haus", "Die alten Häuser und das Haus.", ["alten", "Häuser", "Haus"]),
        ("fr", "cheval noir", "Les chevaux noirs.", ["chevaux", "noirs"]),
        ("zh", "installing", "Installed 安装", ["Installed"]),
        ("und", "installing", "Installed.", ["Installed"]),
        ("en", "книга", "Читал книги, книгой доволен.", ["книги", "книгой"]),
        ("de", "книга", "Читал книги.", ["книги"]),
        ("ar", "مكتبة", "هذه المكتبات هنا", ["المكتبات"]),
        ("ar", "المدينة", "والمدينة ومدينة", ["والمدينة", "ومدينة"]),
        ("el", "δρόμος", "Οι δρόμοι της πόλης.", ["δρόμοι"]),
        ("he", "בית", "הבית בית", ["בית"]),
        ("th", "แมวกินอะไร", "แมวกินปลาทุกวัน", ["แมวกิน"]),
        ("ko", "출장비", "출장비는 내일", ["출장비"]),
        ("ja", "更新の方法", "更新方法を説明する", ["更新方法"]),
    ],
)
def test_words_are_compared_in_the_language_of_the_text(language: str, query: str, text: str, shown: list[str]) -> None:
    """Latin words by their document's stemmer, others by their script's; the text's own characters are shown."""
    spans = match_spans(text, search_terms(understand(query)), language)
    assert [text[start:end] for start, end in spans] == shown


@given(text=st.text(LETTERS + "xyz的理", max_size=80), query=st.text(LETTERS + "xyz的理", min_size=1, max_size=20))
def test_spans_are_in_order_inside_the_text_and_apart(text: str, query: str) -> None:
    """Whatever the texts: no span is empty, touches another, or leaves the text."""
    assume(query.strip())
    spans = match_spans(text, search_terms(understand(query)))
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(left.end < right.start for left, right in itertools.pairwise(spans))


def test_highlights_are_spans_of_the_document() -> None:
    """Offsets count from the document's first character, not from the chunk's."""
    text = "🙂 First part. Backups run nightly."
    chunk = make_chunks(text, [(0, 14), (14, len(text))])[1]
    assert [text[start:end] for start, end in highlights(chunk, search_terms(understand("backup")))] == ["Backups"]


def test_matched_fields_name_where_a_word_stands() -> None:
    """The content, the headings above it, both, or neither."""
    chunk = make_chunks("backups run", [(0, 11)], ["Nightly"])[0]
    fields = {
        query: matched_fields(chunk, search_terms(understand(query)))
        for query in ("backup", "nightly", "nightly backup", "disk")
    }
    assert fields == {
        "backup": ("content",),
        "nightly": ("heading",),
        "nightly backup": ("content", "heading"),
        "disk": (),
    }


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("configuration", "configure", True),
        ("stopped", "stopping", True),
        ("restore", "restored", True),
        ("power", "powered", True),
        ("order", "ordered", True),
        ("filter", "Filtering", True),
        ("server", "serve", False),
        ("station", "state", False),
        ("cat", "category", False),
    ],
)
def test_stems_compare_forms_of_a_word(one: str, other: str, same: bool) -> None:
    """Forms of one word agree, different words do not."""
    assert (word_stem(one) == word_stem(other)) is same


PROBED = """power powers powered order ordered ordering server servers serve served station stations state states stated
general generally generation generate university universe organization organize policy policies police news new running
runner runs ran dying dies die skis sky proceed exceed inning outing café naïve user's x86 2nd"""


def test_words_agree_where_the_index_finds_them(tmp_path: Path) -> None:
    """Asked of an index of the engine with a row a word: it finds the rows that have the same stem, and no others."""
    words = PROBED.split()
    stored = indexed_words(words, FullTextTokenizer.ICU, ["en"] * len(words))
    query = import_lancedb().query
    tables = Tables(str(tmp_path / "w"), create=True)
    table = tables.table("probed", pa.schema([("word", pa.string()), ("stem", pa.string())]))
    assert table is not None
    table.add(pa.table({"word": words, "stem": stored}))
    table.create_index("stem", config=words_config(FullTextTokenizer.ICU))
    for word in words:
        request = query.MatchQuery(" ".join(query_stems(word, ["en"])), "stem")
        rows = table.search(request).select(["word", "_score"]).limit(len(words)).to_list()
        assert {row["word"] for row in rows} == {other for other in words if word_stem(other) == word_stem(word)}, word
