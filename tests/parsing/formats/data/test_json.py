"""JSON and JSON Lines: a path is a section, a value a line, like objects a table."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.errors import ParseError, TooLargeError
from chunking.model import BlockType, Document
from chunking.parsing import parse
from chunking.parsing.formats.data import data_writer
from tests.support.laws_chunks import check_cutting
from tests.support.laws_documents import check


def read(text: str | bytes, name: str = "a.json") -> Document:
    """A lawful document."""
    document = parse(text.encode() if isinstance(text, str) else text, name)
    check(document)
    assert document.format == "json"
    return document


def path_of(document: Document, words: str) -> tuple[str, ...]:
    """The section in which some words stand."""
    return document.section_at(document.text.index(words)).title_path


_API = {
    "openapi": "3.0.1",
    "info": {"title": "Birds API", "version": 1.50, "description": "Café.\n\nSecond paragraph."},
    "servers": [{"url": "https://a.example", "description": "Prod"}, {"url": "https://b.example"}],
    "paths": {"/birds": {"get": {"summary": "List birds"}}},
    "tags": ["birds", "nests"],
}


@pytest.mark.parametrize("form", [{}, {"indent": 2}, {"ensure_ascii": False}, {"separators": (",", ":")}])
def test_paths_are_sections(form: dict[str, object]) -> None:
    """However the file is set; escapes are read; values come before the sections beside them."""
    document = read(json.dumps(_API, **form))  # type: ignore[arg-type]
    assert path_of(document, "https://b.example") == ("servers", "1")
    assert path_of(document, "List birds") == ("paths", "/birds", "get")
    assert path_of(document, "openapi: 3.0.1") == path_of(document, "tags: birds, nests") == ()
    assert "description: Café." in document.text
    assert document.title == "Birds API"


def test_like_objects_are_a_table() -> None:
    """With the keys as its header; objects that differ, or hold long texts, are sections."""
    birds = [
        {"name": "finch", "count": 3, "seen": True},
        {"name": "bittern", "count": 1},
        {"name": "rail", "count": 2.50, "seen": None},
    ]
    document = read(
        '{"birds": [{"name": "finch", "count": 3, "seen": true}, {"name": "bittern", "count": 1}, {"name": "rail", '
        '"count": 2.50, "seen": null}]}'
    )
    (table,) = (block for block in document.blocks if block.type is BlockType.TABLE)
    assert (table.meta["rows"], table.meta["caption"]) == (3, "birds")
    assert "| rail | 2.50 | null |" in document.text
    assert path_of(document, "finch") == ("birds",)
    long = read(json.dumps([{**bird, "text": "word " * 100} for bird in birds]))
    assert path_of(long, "bittern") == ("1",)


def test_values_are_kept_as_written() -> None:
    """Numbers as they are written, keys that come twice, empty things, NaN, odd keys, line ends, marks at the
    beginning.
    """
    document = read('\ufeff{"a": 1e400, "a": 0, "b": NaN}\n')
    assert document.text.split("\n") == ["a: 1e400", "a: 0", "b: NaN"]
    document = read(json.dumps({"": "x", "e": {}, "l": [], "n": None, "k\nk": "y"}))
    assert "e: {}" in document.text
    assert "l: []" in document.text
    digits = "7" * 6_000
    assert digits in read(f'{{"n": {digits}}}').text


def test_encoded_data_is_only_counted() -> None:
    """A picture in base64 is no text, and neither is a data URI."""
    document = read(
        json.dumps(
            {
                "icon": "iVBORw0KGgoAAAANSUhEUg" * 300,
                "logo": "data:image/png;base64," + "QUJDREVGR0hJSks" * 200,
                "a": "b",
            }
        )
    )
    assert len(document.text) < 200
    assert "encoded data" in document.text


@pytest.mark.parametrize(
    "text",
    [
        '// a comment\n{"a": 1, /* another */ "b": "http://x // no comment",}\n',
        '{"a": [1, 2, ], "b": "a,]", } // end',
        '{"a": "tab\there"}',
    ],
)
def test_comments_and_trailing_commas_are_read(text: str) -> None:
    """Comments, trailing commas and control characters, none of them inside a text."""
    assert "a" in read(text).text
    if "no comment" in text:
        assert "http://x // no comment" in read(text).text


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.json"])
def test_a_value_a_line(name: str) -> None:
    """Each record is a section by its number, or all are a table; values may also follow one another on a line."""
    records = [{"id": 1, "text": "one"}, {"id": 2, "meta": {"by": "Ann"}}]
    document = read("\n".join(map(json.dumps, records)) + "\n\n", name)
    assert path_of(document, "Ann") == ("2", "meta")
    assert document.title == "a"
    rows = read("\r\n".join(json.dumps({"id": n, "text": f"t{n}"}) for n in range(4)), name)
    assert [block.type for block in rows.blocks] == [BlockType.TABLE]
    assert path_of(read('{"a": {"b": 1}}{"a": {"b": 2}}', name), "b: 2") == ("2", "a")


def test_a_few_bad_lines() -> None:
    """Are read as text, and named."""
    document = read('{"a": 1}\nnot json\n{"a": 2}\n{"a": 3}\n{"a": 4}\n{"a": 5}\n', "a.jsonl")
    assert "not json" in document.text
    assert len(document.warnings) == 1
    assert "2" in document.warnings[0]


@pytest.mark.parametrize(
    "data", [b"{", b'{"a" 1}', b"[1, 2", b"hello", b"{]", b'{"a": 1}}', b"\x00\x01\x02", b"{}", b"[]", b"", b"  "]
)
def test_damaged_json_is_one_sentence(data: bytes) -> None:
    """One sentence that names the file."""
    with pytest.raises(ParseError) as caught:
        parse(data, "a.json")
    assert "a.json" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("bracket", ["[", '{"a":', '[{"a":'])
def test_a_hundred_thousand_levels(bracket: str) -> None:
    """Closed or not: a sentence."""
    for text in (
        bracket * 100_000,
        bracket * 100_000 + "1" + "".join({"[": "]", "{": "}"}.get(c, "") for c in reversed(bracket)) * 100_000,
    ):
        with pytest.raises(ParseError):
            parse(text.encode(), "a.json")


def test_deep_levels_of_json_become_path_lines() -> None:
    """Below the sixth a path stands before each value; no level is too deep for that."""
    document = read('{"a":' * 300 + '{"x": 1, "y": [2]}' + "}" * 300)
    assert "x: 1" in document.text
    assert max(section.level for section in document.sections) == 6


def test_more_objects_than_sections(monkeypatch: pytest.MonkeyPatch) -> None:
    """The deeper ones become lines with their path."""
    monkeypatch.setattr(data_writer, "MAX_SECTIONS", 10)
    document = read(json.dumps({"list": [{"a": {"b": n}} for n in range(20)]}))
    assert [section.title for section in document.sections] == ["list"]
    assert "7 › a › b: 7" in document.text


def test_too_large_json_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sentence."""
    monkeypatch.setattr("chunking.parsing.builder.text_builder.MAX_CHARACTERS", 1_000)
    with pytest.raises(TooLargeError):
        parse(json.dumps({"a": "word " * 1_000}).encode(), "a.json")


def test_what_others_read_stays_theirs() -> None:
    """Output of MinerU and of unstructured is read by its own reader; a page that is called .json is a page."""
    assert parse(b'[{"type": "text", "text": "a", "page_idx": 0}]', "x.json").format == "mineru"
    assert parse(b'[{"type": "Title", "element_id": "1", "text": "a", "metadata": {}}]', "x.json").format == "elements"
    assert parse(b"<!doctype html><p>text", "x.json").format == "html"


_json = st.recursive(
    st.none()
    | st.booleans()
    | st.floats()
    | st.integers()
    | st.text(st.sampled_from("ab \n#|*中\x00\ud800"), max_size=6),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.sampled_from("ab\n 中"), max_size=3), inner, max_size=4)
    ),
    max_leaves=25,
)


@given(_json, st.sampled_from([None, 1]))
def test_any_value_makes_a_lawful_document(value: object, indent: int | None) -> None:
    """Or is empty."""
    try:
        document = parse(
            json.dumps({"word": value, "b": "c"}, indent=indent).encode("utf-8", "surrogatepass"), "a.json"
        )
    except ParseError:
        return
    check(document)
    check_cutting(document)
