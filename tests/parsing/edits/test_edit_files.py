"""Edits as plain values and as files, there and back; bad ones get a sentence."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.errors import ChangeError
from chunking.parsing import parse
from chunking.parsing.edits import EditedDocument, LeaveOut, edit_of, edits_of, read_edits, write_edits
from chunking.text.anchors import Anchor
from tests.support.edited import edits
from tests.support.examples import law
from tests.support.strategies import built

GOOD = LeaveOut(anchor=Anchor(0, 4, "Text")).as_record()


@law(10)
@given(st.data())
def test_there_and_back(data: st.DataObject) -> None:
    """Every kind of edit, and a file of them; JSON changes nothing."""
    document = data.draw(built(4))
    some = tuple(data.draw(edits(document)))
    records = json.loads(json.dumps([one.as_record() for one in some]))
    assert edits_of(records) == some
    file = EditedDocument(document.doc_id, document.source, some)
    assert read_edits(write_edits([file])) == ((file,) if some else ())
    assert file.is_about(document)
    assert not EditedDocument(document.doc_id, "other.md", some).is_about(document)
    assert EditedDocument(document.doc_id, "", some).is_about(document)


@pytest.mark.parametrize(
    "changed",
    [
        {"kind": "explode"},
        {"kind": None},
        {"kind": ["type"]},
        {"anchor": 7},
        {"kind": "type"},
        {"kind": "type", "type": "heading"},
        {"kind": "type", "type": "heading", "level": 9},
        {"kind": "type", "type": "paragraph", "level": 2},
        {"kind": "type", "type": "novel"},
        {"kind": "type", "type": "heading", "level": 2, "below": 1},
        {"kind": "leave_out_box", "page": 0, "box": [0, 0, 1, 1]},
        {"kind": "leave_out_box", "page": 1, "box": [0, 0, 1]},
        {"kind": "leave_out_box", "page": 1, "box": [0.5, 0, 0.2, 1]},
        {"kind": "leave_out_box", "page": 1, "box": [0, 0, float("nan"), 1]},
        {"kind": "header_rows", "rows": True},
        {"kind": "header_rows", "rows": -1},
        {"kind": "swap"},
        {"reason": ""},
        {"id": 3},
    ],
    ids=str,
)
def test_an_invalid_edit_is_one_sentence(changed: dict[str, Any]) -> None:
    """Also in a file, where it says which one it is."""
    with pytest.raises(ChangeError):
        edit_of(GOOD | changed)
    file = {"chunkscope_edits": 1, "documents": [{"source": "a.md", "edits": [GOOD, GOOD | changed]}]}
    with pytest.raises(ChangeError, match=r"list\.json.* 2 .*a\.md"):
        read_edits(json.dumps(file), "list.json")


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"{", b"\xff\xfe", b"[]", b"{}", b"[" * 5_000),
        *(b'{"chunkscope_edits": 2, "documents": []}', b'{"chunkscope_edits": 1}'),
        *(b'{"chunkscope_edits": 1, "documents": [7]}', b'{"chunkscope_edits": 1, "documents": [{"edits": 3}]}'),
    ],
)
def test_an_invalid_edit_file_is_one_sentence(data: bytes) -> None:
    with pytest.raises(ChangeError, match=r"list\.json"):
        read_edits(data, "list.json")


def test_what_was_read_can_be_applied() -> None:
    """An edit without words of its own is found where it was."""
    document = parse(b"Text and more.\n\nMore.", "a.txt")
    assert edit_of(GOOD | {"anchor": Anchor.of(document.text, 0, 4).as_record()}).anchor.find(document.text) == (
        0,
        4,
        False,
    )
