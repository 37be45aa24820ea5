"""Documents go over the wire and come back as they were; what is no document is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from chunking.errors import ParseError
from chunking.model import Block, BlockType, Document, Location
from chunking.parsing import parse
from chunking.parsing.sandbox.wire import Frame, decode, documents_frame, encode, read_documents
from tests.support.shared_data import shared_data, shared_files
from tests.support.strategies import markdown

_PLAIN = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=5))
_META = st.dictionaries(
    st.sampled_from(["rows", "()", "{}", "depth", "row_starts", ""]),
    st.recursive(
        _PLAIN,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.lists(inner, max_size=3).map(tuple),
            st.dictionaries(
                st.one_of(st.text(max_size=3), st.integers(), st.sampled_from(["()", "{}"])), inner, max_size=3
            ),
        ),
        max_leaves=8,
    ),
)


def same(a: Any, b: Any) -> bool:
    """Equal and of the same kinds, all the way down."""
    if isinstance(a, Mapping):
        return isinstance(b, Mapping) and list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


def there_and_back(document: Document) -> Document:
    """As through a socket."""
    (back,) = read_documents(decode(b"".join(encode(*documents_frame([document])))))
    return back


@given(markdown())
def test_any_document_survives_the_wire(text: str) -> None:
    """Any document of Markdown; what is none, for its control characters, is refused before."""
    try:
        document = parse(f"# T\n\n{text}".encode("utf-8", "replace"), "a/b.md")
    except ParseError:
        reject()
    assert there_and_back(document) == document


@given(_META)
def test_metadata_of_blocks_keeps_its_types(meta: dict[str, Any]) -> None:
    """What a block knows comes back with its kinds: tuples, lists, keys that are numbers."""
    document = parse(b"text", "a.txt")
    with_meta = replace(document, blocks=(replace(document.blocks[0], meta=meta),))
    back = there_and_back(with_meta)
    assert same(back.blocks[0].meta, meta)


def test_every_field_survives_the_wire() -> None:
    """Places on pages, what is left out, warnings, characters outside the BMP: nothing is lost."""
    document = parse("# A 𠮷\n\ntext\n\n| a | b |\n|--|--|\n| 1 | 2 |\n".encode(), "x/y/a.md")
    block = Block(
        BlockType.HEADING,
        0,
        5,
        level=1,
        line=1,
        page=2,
        bbox=(0.1, 0.2, 0.30000000000000004, 1.0),
        meta={"a": (1, [2])},
    )
    places = (Location(0, 3, 1, (0.0, 0.25, 0.5, 1.0)), Location(3, 5, 2))
    full = replace(
        document, blocks=(block, *document.blocks[1:]), locations=places, page_count=2, warnings=("A sentence.",)
    )
    back = there_and_back(full)
    assert back == full
    assert isinstance(back.blocks[0].type, BlockType)
    assert isinstance(back.locations[0], Location)
    assert isinstance(back.blocks[0].bbox, tuple)
    half = replace(document, text=document.text + "\ud800")
    assert there_and_back(half) == half


def test_real_documents_survive_the_wire() -> None:
    """Pages of a manual, as they are."""
    for path in map(shared_data, shared_files("markdown_zh/*.md")):
        document = parse(path.read_bytes(), path.name)
        assert there_and_back(document) == document


@pytest.mark.parametrize(
    "change",
    [
        {"blocks": [["heading"], [0], [999], [1], [1], [None], [None], [{}]]},
        {"blocks": [["heading"], [5], [2], [1], [1], [None], [None], [{}]]},
        {"blocks": [["heading"], ["0"], ["3"], [1], [1], [None], [None], [{}]]},
        {"blocks": [["no type"], [0], [3], [1], [1], [None], [None], [{}]]},
        {"blocks": [["heading"], [0, 1], [3], [1], [1], [None], [None], [{}]]},
        {"blocks": 7},
        {"locations": [[0], [99], [1], [None]]},
        {"title": 7},
        {"no_field": 7},
    ],
)
def test_an_invalid_document_is_refused(change: dict[str, Any]) -> None:
    """Offsets outside the text, unknown types and fields: refused with an error the client knows."""
    frame = documents_frame([parse(b"# A\n\ntext", "a.md")])
    (head,) = frame.head["documents"]
    with pytest.raises((ValueError, TypeError, KeyError)):
        read_documents(Frame({**frame.head, "documents": [{**head, **change}]}, frame.body))


def test_a_file_and_those_in_it() -> None:
    """Texts of several bytes a letter are parted where they were."""
    document = parse("Über uns: 关于我们".encode(), "a.md")
    inner = [
        replace(parse(f"Größe {number} 大小".encode(), f"a.md/{number}.txt"), parent_id=document.doc_id)
        for number in range(3)
    ]
    assert read_documents(decode(b"".join(encode(*documents_frame([document, *inner]))))) == (document, *inner)


@pytest.mark.parametrize("sizes", [[], [1, 2], [5, 4], [9, -1, 1], [4, 4], ["8", "0"], [3, 5, 0]])
def test_texts_of_other_lengths(sizes: list[Any]) -> None:
    """Lengths that do not fit the bytes or the documents."""
    outer, other = parse(b"text", "a.md"), parse(b"more", "b.md")
    frame = documents_frame([outer, replace(other, parent_id=outer.doc_id)])
    if sizes == [4, 4]:
        frame.head["documents"][1]["parent_id"] = ""  # two files are no file with another in it
    with pytest.raises((ValueError, TypeError, KeyError)):
        read_documents(Frame({**frame.head, "sizes": sizes}, frame.body))


@pytest.mark.parametrize(
    "data", [bytes(16), (2).to_bytes(8) + bytes(8) + b"[]", (9).to_bytes(8) + bytes(8), (1).to_bytes(8) * 2 + b"{}"]
)
def test_an_invalid_frame_is_refused(data: bytes) -> None:
    """Wrong lengths, no JSON, no object."""
    with pytest.raises(ValueError):  # noqa: PT011 - every sentence is the same to the user
        decode(data)
    with pytest.raises(RecursionError):
        decode(b"".join([(200_000).to_bytes(8), bytes(8), b"[" * 200_000]))
