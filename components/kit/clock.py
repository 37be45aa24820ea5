"""Times in the reader's time zone."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

import streamlit as st

__all__ = ["clock_time", "local", "moment_text", "zone"]


def zone() -> tzinfo:
    """Return the browser's time zone; UTC if it is unknown."""
    try:
        return ZoneInfo(st.context.timezone or "UTC")
    except (OSError, ValueError, KeyError):  # ZoneInfoNotFoundError is a KeyError
        return UTC


def clock_time(seconds: float) -> datetime:
    """Return seconds since 1970 as a time in the reader's zone."""
    return datetime.fromtimestamp(seconds, zone())


def local(moment: str) -> datetime | None:
    """Parse an ISO 8601 time into the reader's zone; UTC if it names none, None if it is no time."""
    try:
        read = datetime.fromisoformat(moment)
    except ValueError:
        return None
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(zone())


def moment_text(moment: str | float) -> str:
    """Format an ISO 8601 time or seconds since 1970 as `21 Nov 2026, 08:12`; other text is unchanged."""
    read = local(moment) if isinstance(moment, str) else clock_time(moment)
    return f"{read.day} {read:%b %Y, %H:%M}" if read else str(moment)
