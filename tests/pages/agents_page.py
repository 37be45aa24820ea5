"""The page for agents as its tests see it."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from tests.pages.opened import ran


def codes(app: AppTest) -> list[str]:
    """What can be copied."""
    return [str(one.value) for one in app.code]


def on_tab(name: str, page: AppTest) -> AppTest:
    """The page with another of its tabs open."""
    page.session_state["agents.view"] = name
    return ran(page)
