"""JSON that nests too deep is told before it is read, at the same depth for whoever reads it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from chunking.errors import QuestionError
from chunking.evaluation.labelling.queue import Queue
from chunking.evaluation.questions.question import QuestionSet
from chunking.evaluation.runs.loaded_chunks import LoadedChunks
from chunking.evaluation.runs.run import EvaluationRun
from chunking.evaluation.sweep.sweep import Sweep
from chunking.text.bounded_json import DEEPEST, read_json


def nested(levels: int) -> str:
    """A list in a list in a list."""
    return "[" * levels + "]" * levels


@pytest.mark.parametrize("text", [nested(DEEPEST), f'{{"a": "{"[" * 500}"}}', '"\\"[[["', "7", "null"])
@pytest.mark.parametrize("form", [str, str.encode, lambda text: text.encode("utf-16")])
def test_json_of_bounded_depth_is_read_unchanged(text: str, form: Callable[[str], str | bytes]) -> None:
    """Brackets in a string are no depth; bytes may be of any encoding of JSON."""
    assert read_json(form(text)) == json.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        nested(DEEPEST + 1),
        nested(100_000),
        '{"a":' * 101 + "1" + "}" * 101,
        "[" * 100_000,
        b"\xff\xfe",
        "[",
        "1e999",
        "[-Infinity]",
    ],
)
def test_what_is_too_deep_or_no_json_is_a_value_error(text: str | bytes) -> None:
    """No reader has another error to catch."""
    with pytest.raises(ValueError, match=r"nests|decode|Expecting|infinite"):
        read_json(text)


@pytest.mark.parametrize("of", [LoadedChunks, Queue, QuestionSet, EvaluationRun, Sweep])
@pytest.mark.parametrize("levels", [300, 100_000])
def test_a_record_of_a_workspace_that_nests_too_deep_is_said_to_be_none(of: Any, levels: int) -> None:
    """It came with a workspace's file: whoever opens the page is told in a sentence."""
    for text in (
        "1e999",
        nested(levels),
        f'{{"name": {nested(levels)}, "spans": {{}}, "documents": {{}}, "report": {nested(levels)}}}',
    ):
        with pytest.raises(QuestionError):
            of.from_json(text)


def test_spans_that_end_nowhere_are_none() -> None:
    """Every page of the workspace reads its loaded chunks first: one such row was the end of all of them."""
    with pytest.raises(QuestionError):
        LoadedChunks.from_json('{"name": "x", "spans": {"a": [[0, 1e999]]}, "documents": {}}')
