"""JSON that is not to be trusted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.errors import ParseError, TooLargeError
from chunking.parsing.safe_input.safe_json import as_list, as_mapping, as_number, as_text, as_texts, as_whole, load_json

anything = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.just(10**4000) | st.text() | st.just("\ud800"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@given(anything)
def test_no_value_is_trusted(value: object) -> None:
    """Every function takes everything, and gives what its name says."""
    assert isinstance(as_mapping(value), dict)
    assert isinstance(as_list(value), (list, tuple))
    as_text(value).encode("utf-8")
    assert all(text.strip() for text in as_texts(value))
    number, integer = as_number(value), as_whole(value)
    assert number is None or number - number == 0
    assert integer is None or integer == number


def test_numbers_without_end_and_without_value() -> None:
    """They become None; the rest of the file is read."""
    data = b"[1" + b"0" * 10_000 + b", NaN, -Infinity, 1e999, 7]"
    value = load_json(data, "x.json").value
    assert value[:3] == [None, None, None]
    assert as_number(value[3]) is None
    assert value[4] == 7


def test_json_is_read_in_many_encodings() -> None:
    """As of any text: a byte order mark, UTF-16."""
    assert load_json('{"a": "中"}'.encode("utf-16"), "x.json").value == {"a": "中"}
    assert load_json(b"\xef\xbb\xbf[1]", "x.json").value == [1]


@pytest.mark.parametrize(
    ("data", "error"),
    [(b"[1,", ParseError), (b"{'a': 1}", ParseError), (b"[" * 10**5, TooLargeError), (b"\x00\x01\x02", ParseError)],
)
def test_invalid_json_is_one_sentence_with_its_place(data: bytes, error: type[ParseError]) -> None:
    """One sentence, with the place where it breaks."""
    with pytest.raises(error, match=r"^x\.json ") as caught:
        load_json(data, "x.json")
    assert "\n" not in str(caught.value)
