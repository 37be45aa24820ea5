"""Times as the reader's own clock shows them."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

import streamlit as st

__all__ = ["local", "said", "zone"]


def zone() -> tzinfo:
    """The reader's time zone, as the browser says; UTC where it says none that is known here."""
    try:
        return ZoneInfo(st.context.timezone or "UTC")
    except (OSError, ValueError, KeyError):  # ZoneInfoNotFoundError is a KeyError
        return UTC


def local(moment: str) -> datetime | None:
    """An ISO 8601 time on the reader's clock; one without a zone is UTC. None where it is no time."""
    try:
        read = datetime.fromisoformat(moment)
    except ValueError:
        return None
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(zone())


def said(moment: str) -> str:
    """Such as `21 Nov 2026, 08:12`; the text itself where it is no time."""
    read = local(moment)
    return f"{read.day} {read:%b %Y, %H:%M}" if read else moment
