"""The page for agents as its tests see it."""

from __future__ import annotations

from typing import Any

from streamlit.testing.v1 import AppTest

from chunking.deployment import LOCAL
from components.server.agents.call_log import RecordedCall
from tests.pages.app_session import run_app


def codes(app: AppTest) -> list[str]:
    """What can be copied."""
    return [str(one.value) for one in app.code]


def on_tab(name: str, page: AppTest) -> AppTest:
    """The page with another of its tabs open."""
    page.session_state["agents.view"] = name
    return run_app(page)


def call(number: int, **facts: Any) -> RecordedCall:
    """A search that has ended."""
    return RecordedCall(
        "search", "done", 12.3, 812, 0.0, returned="5 results", number=number, **{"person": LOCAL.id, **facts}
    )
