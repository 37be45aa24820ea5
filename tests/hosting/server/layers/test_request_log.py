"""The server's log: its form, a line for each file that comes or goes, and the number of a fault."""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from starlette.responses import PlainTextResponse
from streamlit.testing.v1 import AppTest

from hosting.server.layers.request_log import RequestLog
from tests.support.event_loop import run_in_thread

ROOT = Path(__file__).parents[4]
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


def asked(path: str, caplog: pytest.LogCaptureFixture) -> tuple[dict[str, str], list[dict[str, object]]]:
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
    headers, (facts,) = asked(f"/_stcore/upload_file/session/{MARK}", caplog)
    assert re.fullmatch(r"[0-9a-f]{8}", headers["x-request-id"])
    assert (facts["method"], facts["at"], facts["status"]) == ("PUT", "/_stcore/upload_file", 403)
    caplog.clear()
    headers, lines = asked("/static/index.js", caplog)
    assert ("x-request-id" in headers, lines) == (False, [])


@pytest.mark.parametrize("form", ["json", "plain"])
def test_every_logger_has_the_form_of_the_server(form: str, tmp_path: Path) -> None:
    """Those of Streamlit and of libraries, made before and after the start; plain lines are as they were."""
    environment = {**os.environ, "CHUNKSCOPE_LOG": form, "CHUNKSCOPE_HOME": str(tmp_path)}
    command = [sys.executable, "-c", LIBRARIES, MARK]
    told = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    ).stderr.splitlines()
    if form == "json":
        assert [json.loads(line)["logger"] for line in told] == ["streamlit.later", "streamlit.before", "other"]
        assert not any(MARK in line for line in told)
    else:
        assert sum(MARK in line for line in told) == 3


def test_a_fault_is_reported_by_a_number_that_stands_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """One sentence, and nothing of the error."""

    def script() -> None:
        from contextlib import suppress

        from components.session.page.run_log import begin_run, logged, tell_fault

        begin_run("chunks")
        error = ValueError("a sentence of somebody's document")
        with suppress(ValueError), logged():
            raise error
        tell_fault(error)

    with caplog.at_level(logging.INFO, "chunkscope"):
        page = AppTest.from_function(script).run()
    (box,) = page.error
    run, fault = [record.facts for record in caplog.records if record.name == "chunkscope"]
    assert fault["fault"] in box.value
    assert MARK not in box.value
    assert (run["outcome"], run["page"], fault["page"]) == ("fault", "chunks", "chunks")
