"""The server's log: its form, a line for each file that comes or goes, and the number of a fault."""

from __future__ import annotations

import io
import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from streamlit.testing.v1 import AppTest

from chunking.errors import StoreError
from components.server.event_log import REQUEST, log, new_id
from hosting.server.request_log import JsonLines, RequestLog
from tests.support.event_loop import run_in_thread

ROOT = Path(__file__).parents[3]
MARK = "a sentence of somebody's document"
LIBRARIES = """
import logging, sys
from streamlit.logger import get_logger
before = get_logger("streamlit.before")
import serve
get_logger("streamlit.later").error("%s", sys.argv[1])
before.error("%s", sys.argv[1])
logging.getLogger("other").error(sys.argv[1])
"""

LOG_MARK = "a sentence of somebody's document"


def requests(path: str, caplog: pytest.LogCaptureFixture) -> tuple[dict[str, str], list[dict[str, object]]]:
    """The headers of an answer, and the facts that were logged."""
    sent: list[dict[str, object]] = []

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b""}

    async def send(message: object) -> None:
        sent.append(dict(message))  # type: ignore[call-overload]

    scope = {"type": "http", "path": path, "method": "PUT", "headers": []}
    with caplog.at_level(logging.INFO, "chunkscope"):
        run_in_thread(lambda: RequestLog(PlainTextResponse("no", 403))(scope, receive, send))
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}  # type: ignore[attr-defined]
    return headers, [record.facts for record in caplog.records]


def test_an_upload_has_a_line_and_an_id(caplog: pytest.LogCaptureFixture) -> None:
    """Not what its address names; other requests have neither."""
    headers, (facts,) = requests(f"/_stcore/upload_file/session/{MARK}", caplog)
    assert re.fullmatch(r"[0-9a-f]{8}", headers["x-request-id"])
    assert (facts["method"], facts["at"], facts["status"]) == ("PUT", "/_stcore/upload_file", 403)
    caplog.clear()
    headers, lines = requests("/static/index.js", caplog)
    assert ("x-request-id" in headers, lines) == (False, [])


@pytest.mark.parametrize("form", ["json", "plain"])
def test_every_logger_has_the_form_of_the_server(form: str, tmp_path: Path) -> None:
    """Those of Streamlit and of libraries, made before and after the start; plain lines are as they were."""
    environment = {**os.environ, "CHUNKSCOPE_LOG": form, "CHUNKSCOPE_HOME": str(tmp_path)}
    command = [sys.executable, "-c", LIBRARIES, MARK]
    output = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    ).stderr.splitlines()
    if form == "json":
        assert [json.loads(line)["logger"] for line in output] == ["streamlit.later", "streamlit.before", "other"]
        assert not any(MARK in line for line in output)
    else:
        assert sum(MARK in line for line in output) == 3


def test_a_fault_is_reported_by_a_number_that_stands_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """One sentence, and nothing of the error."""

    def script() -> None:
        from contextlib import suppress

        from components.session.page.run_log import begin_run, logged, show_fault

        begin_run("chunks")
        error = ValueError("a sentence of somebody's document")
        with suppress(ValueError), logged():
            raise error
        show_fault(error)

    with caplog.at_level(logging.INFO, "chunkscope"):
        page = AppTest.from_function(script).run()
    (box,) = page.error
    run, fault = [record.facts for record in caplog.records if record.name == "chunkscope"]
    assert fault["fault"] in box.value
    assert MARK not in box.value
    assert (run["outcome"], run["page"], fault["page"]) == ("fault", "chunks", "chunks")


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
        raise ValueError(LOG_MARK)
    except ValueError as error:
        log("fault", {"fault": "1"}, error)
        logging.getLogger("chunking.parsing").warning(
            "%r was not read. %s", LOG_MARK, StoreError(LOG_MARK), exc_info=error
        )
        logging.getLogger("some.library").warning(f"{LOG_MARK} could not be drawn")
        logging.getLogger("some.library").warning("%s could not be drawn", LOG_MARK)
    first, second, third, fourth = lines(written)
    assert LOG_MARK not in written.getvalue()
    assert first["error"][0]["class"] == "ValueError"
    assert test_neither_values_nor_what_errors_say_are_kept.__name__ in first["error"][0]["at"][-1]
    assert [one["class"] for one in second["error"]] == ["ValueError", "StoreError"]
    assert (second["event"], fourth["event"]) == ("%r was not read. %s", "%s could not be drawn")
    assert third["event"].startswith("test_request_log:")
