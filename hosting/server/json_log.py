"""The server's log as objects, one a line, for whoever collects the logs of many servers.

No line names or quotes a document, file or person: a message is logged as its format string without arguments, one that
a library has
filled in already as the place it came from, an error as its class and where it came from.
"""

from __future__ import annotations

import json
import logging
import traceback
from datetime import UTC, datetime
from typing import Any

from chunking.errors import ChunkscopeError
from components.server.event_log import REQUEST

__all__ = ["JsonLines"]

_PLACES = 8
"""Places in the program that are told of an error, the last ones."""


class JsonLines(logging.Formatter):
    """A record as one line of JSON: `time` (UTC), `level`, `logger`, `event`; `request`, `error` and facts where there
    are any.
    """

    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": getattr(record, "event", "") or _words(record),
        }
        if request := REQUEST.get():
            entry["request"] = request
        entry |= {name: value for name, value in getattr(record, "facts", {}).items() if value not in ("", None)}
        if errors := _errors(record):
            entry["error"] = errors
        return json.dumps(entry, ensure_ascii=False, default=lambda value: type(value).__name__)


def _words(record: logging.LogRecord) -> str:
    """The program's own words. What a library has put together before it came here may hold anything: only its place is
    told.
    """
    if record.args or record.name.split(".")[0] in ("chunking", "components", "hosting", "uvicorn"):
        return str(record.msg)
    return f"{record.module}:{record.lineno}"


def _errors(record: logging.LogRecord) -> list[dict[str, Any]]:
    """Classes of the errors that a record has, with where each came from, the innermost place last; never what they
    say.
    """
    errors = [record.exc_info[1]] if record.exc_info else []
    errors += (
        [one for one in record.args or () if isinstance(one, ChunkscopeError)] if isinstance(record.args, tuple) else []
    )
    return [{"class": type(one).__name__, "at": _places(one)} for one in errors if one is not None]


def _places(error: BaseException) -> list[str]:
    frames = traceback.extract_tb(error.__traceback__)[-_PLACES:]
    return [
        f"{'/'.join(frame.filename.replace(chr(92), '/').split('/')[-3:])}:{frame.lineno} {frame.name}"
        for frame in frames
    ]
