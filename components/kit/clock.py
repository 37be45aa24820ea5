"""Times as the reader's own clock shows them."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

import streamlit as st

__all__ = ["clock_time", "local", "said", "zone"]


def zone() -> tzinfo:
    """The reader's time zone, as the browser says; UTC where it says none that is known here."""
    try:
        return ZoneInfo(st.context.timezone or "UTC")
    except (OSError, ValueError, KeyError):  # ZoneInfoNotFoundError is a KeyError
        return UTC


def clock_time(seconds: float) -> datetime:
    """Seconds since 1970 on the reader's clock."""
    return datetime.fromtimestamp(seconds, zone())


def local(moment: str) -> datetime | None:
    """An ISO 8601 time on the reader's clock; one without a zone is UTC. None where it is no time."""
    try:
        read = datetime.fromisoformat(moment)
    except ValueError:
        return None
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(zone())


def said(moment: str | float) -> str:
    """Such as `21 Nov 2026, 08:12`, of an ISO 8601 time or of seconds since 1970; other text as it is."""
    read = local(moment) if isinstance(moment, str) else clock_time(moment)
    return f"{read.day} {read:%b %Y, %H:%M}" if read else str(moment)
