"""Server events with plain values; the host decides how they are written."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping
from contextvars import ContextVar

__all__ = ["REQUEST", "log", "new_id"]

REQUEST: ContextVar[str] = ContextVar("request", default="")
"""Id of the page run or request that this thread handles; empty for the server's own work."""
_LOGGER = logging.getLogger("chunkscope")


def new_id() -> str:
    """Return a random id for a request or a fault: 8 hexadecimal digits, easy to read out."""
    return secrets.token_hex(4)


def log(event: str, facts: Mapping[str, object], error: Exception | None = None) -> None:
    """Log an event with plain values; without an error, only a log of objects writes it.

    Values must hold no text of a document. An error is written in every form of the log.

    Args:
        event: such as `run` or `job ended`.
        facts: such as `page` or `ms`; empty ones are left out.
        error: the exception, if the event is a fault.
    """
    level = logging.INFO if error is None else logging.ERROR
    _LOGGER.log(
        level,
        event if error is None else f"{event}: {dict(facts)}",
        exc_info=error,
        extra={"event": event, "facts": facts},
    )
