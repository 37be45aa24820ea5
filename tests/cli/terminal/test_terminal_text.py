"""Widths of text in columns, and texts made safe: laws over any text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.cli.terminal.terminal_text import (
    UNSAFE_IN_JSON,
    clip,
    clip_front,
    encodable,
    line_spans,
    pad,
    safe_record,
    safe_text,
    width,
)
from tests.cli.terminal.safe_lines import LINES, TEXTS

COLUMNS = st.integers(2, 40)


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("chunk", 5),
        ("分块", 4),
        ("ﾊﾝ", 2),
        ("ＡＢ", 4),
        ("e\u0301", 1),
        ("👍", 2),
        ("각", 2),
        ("\u1112\u1161\u11ab", 2),
        ("a\u200bb", 2),
        ("–…·", 3),
    ],
)
def test_wide_characters_take_two_columns_and_marks_none(text: str, columns: int) -> None:
    """East Asian wide and fullwidth take two, marks and joiners none, halfwidth and ambiguous one."""
    assert width(text) == columns


@given(LINES, COLUMNS)
def test_a_clipped_line_fits_and_keeps_its_side(text: str, columns: int) -> None:
    """At most as wide as asked; a prefix, or a suffix, of the text."""
    front, end = clip(text, columns), clip_front(text, columns)
    assert width(front) <= columns
    assert width(end) <= columns
    assert text.startswith(front.removesuffix("…") if front != text else front)
    assert text.endswith(end.removeprefix("…") if end != text else end)


@given(LINES, COLUMNS, st.booleans())
def test_a_filled_line_is_as_wide_as_asked(text: str, columns: int, right: bool) -> None:
    """Nothing but spaces is added; what is too wide stays."""
    padded = pad(text, columns, right=right)
    assert width(padded) == max(width(text), columns)
    assert padded.strip() == text.strip()


@given(TEXTS, COLUMNS)
def test_wrapped_lines_fit_and_lose_spaces_only(text: str, columns: int) -> None:
    """Spans go forward, none is wider than asked, and between them is white space alone."""
    spans = list(line_spans(text, columns))
    assert all(width(text[start:end]) <= columns for start, end in spans)
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(text)]
    assert all(end <= start for end, start in zip(ends, starts, strict=True))
    assert not "".join(text[end:start] for end, start in zip(ends, starts, strict=True)).strip(" \n")


@given(st.text(max_size=80))
def test_safe_text_holds_nothing_that_a_terminal_acts_on(text: str) -> None:
    """Of the same length, so that offsets hold; it can be encoded; done twice it stays."""
    safe = safe_text(text)
    assert len(safe) == len(text)
    assert not [letter for letter in safe if (ord(letter) < 32 and letter != "\n") or 0x7F <= ord(letter) < 0xA0]
    assert not {*"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"} & {*safe}
    assert safe.encode().decode() == safe == safe_text(safe)


def test_a_record_is_safe_in_all_its_parts() -> None:
    """Keys, lists and maps; numbers and None stay."""
    row = {"a\x1b": ["\x9b2J", {"b": "\x07"}], "n": 1.5, "none": None, "flag": True}
    safe = safe_record(row)
    assert "\x1b" not in json.dumps(safe, ensure_ascii=False)
    assert [safe["n"], safe["none"], safe["flag"]] == [1.5, None, True]


@given(st.text(max_size=40))
def test_escaped_json_is_the_same_data(text: str) -> None:
    """What a terminal may act on is an escape in JSON."""
    escaped = json.dumps(text, ensure_ascii=False).translate(UNSAFE_IN_JSON)
    assert json.loads(escaped) == text
    assert not [letter for letter in escaped if ord(letter) < 32 or 0x7F <= ord(letter) < 0xA0]


@given(TEXTS, st.sampled_from(["utf-8", "latin-1", "cp437", "cp932"]))
def test_what_an_encoding_lacks_is_replaced(text: str, encoding: str) -> None:
    """It can be written, and what the encoding has stays."""
    encoded = encodable(text, encoding)
    assert encoded.encode(encoding).decode(encoding) == encoded
    assert encodable("plain", encoding) == "plain"
