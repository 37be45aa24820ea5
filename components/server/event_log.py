"""What happens on the server, as events with plain facts; the host decides in which form they are written."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping
from contextvars import ContextVar

__all__ = ["REQUEST", "log", "new_id"]

REQUEST: ContextVar[str] = ContextVar("request", default="")
"""Id of what this thread does for somebody, a run of a page or a request; empty for the server's own work."""
_LOGGER = logging.getLogger("chunkscope")


def new_id() -> str:
    """Id of a request or a fault: 8 hexadecimal digits, which a person can read to somebody."""
    return secrets.token_hex(4)


def log(event: str, facts: Mapping[str, object], error: Exception | None = None) -> None:
    """Log an event, with plain values that hold nothing of a document; written if the log is made of objects.

    An error is written in every form of the log.

    Args:
        event: such as `run` or `job ended`.
        facts: such as `page` or `ms`; empty ones are left out.
        error: what went wrong.
    """
    level = logging.INFO if error is None else logging.ERROR
    _LOGGER.log(
        level,
        event if error is None else f"{event}: {dict(facts)}",
        exc_info=error,
        extra={"event": event, "facts": facts},
    )
