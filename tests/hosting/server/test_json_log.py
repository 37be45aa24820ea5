"""The log as objects: what is in a line, and that nothing of a document ever is."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from chunking.errors import StoreError
from components.server.event_log import REQUEST, log, new_id
from hosting.server.request_log import JsonLines

MARK = "a sentence of somebody's document"


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """What the loggers of the program and of a library write."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    loggers = [logging.getLogger(name) for name in ("chunkscope", "chunking.parsing", "some.library")]
    for one in loggers:
        one.addHandler(handler)
        one.setLevel(logging.INFO)
    yield stream
    for one in loggers:
        one.removeHandler(handler)
        one.setLevel(logging.NOTSET)


def lines(written: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in written.getvalue().splitlines()]


def test_a_line_has_its_facts_and_the_request(written: io.StringIO) -> None:
    """Facts that are empty are left out."""
    token = REQUEST.set(new_id())
    log("run", {"page": "chunks", "part": "", "ms": 12.5})
    (line,) = lines(written)
    assert {name: line[name] for name in ("event", "page", "ms", "level")} == {
        "event": "run",
        "page": "chunks",
        "ms": 12.5,
        "level": "info",
    }
    assert (line["request"], "part" in line) == (REQUEST.get(), False)
    REQUEST.reset(token)


def test_neither_values_nor_what_errors_say_are_kept(written: io.StringIO) -> None:
    """Of a message the program's words, of an error its class and places, of what a library has put together only
    where.
    """
    try:
        raise ValueError(MARK)
    except ValueError as error:
        log("fault", {"fault": "1"}, error)
        logging.getLogger("chunking.parsing").warning("%r was not read. %s", MARK, StoreError(MARK), exc_info=error)
        logging.getLogger("some.library").warning(f"{MARK} could not be drawn")
        logging.getLogger("some.library").warning("%s could not be drawn", MARK)
    first, second, third, fourth = lines(written)
    assert MARK not in written.getvalue()
    assert first["error"][0]["class"] == "ValueError"
    assert test_neither_values_nor_what_errors_say_are_kept.__name__ in first["error"][0]["at"][-1]
    assert [one["class"] for one in second["error"]] == ["ValueError", "StoreError"]
    assert (second["event"], fourth["event"]) == ("%r was not read. %s", "%s could not be drawn")
    assert third["event"].startswith("test_json_log:")
