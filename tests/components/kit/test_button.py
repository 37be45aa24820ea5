"""Buttons whose clicks survive a run that is cut short."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.support.product import app_sources

ROOT = Path(__file__).parents[3]
SOURCES = [*app_sources()]


def value_is_used(call: ast.Call, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether something is done with what a call returns."""
    return not isinstance(parents[call], ast.Expr)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_click_is_read_where_a_run_may_not_come(path: Path) -> None:
    """`if st.button(…)` loses clicks; a callback does not, nor does `components.kit.button`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    read = [
        call.lineno
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr == "button" and value_is_used(call, parents)
    ]
    assert not read, f"lines {read}: use components.kit.button, or on_click"


def _script() -> None:
    import streamlit as st

    from components.kit.button import button

    if st.session_state.get("cut"):  # as a newer request does
        st.session_state["cut"] = False
        st.rerun()
    if button("Go", key="go", about=st.session_state.get("about")):
        st.session_state["gone"] = st.session_state.get("gone", 0) + 1


def gone(page: AppTest) -> int:
    """How often the click was acted on."""
    return int(page.session_state["gone"]) if "gone" in page.session_state else 0


def test_a_click_is_acted_on_once() -> None:
    """Also when its run does not come to the button; and in no run after that."""
    page = AppTest.from_function(_script, default_timeout=120).run()
    page.button(key="go").click().run()
    assert gone(page) == 1
    page.session_state["cut"] = True
    page.button(key="go").click().run()
    assert gone(page) == 2
    page.run()
    assert gone(page) == 2


def test_a_click_is_meant_for_what_was_shown() -> None:
    """Not for what stands there when the next run comes."""
    page = AppTest.from_function(_script, default_timeout=120).run()
    page.session_state["about"] = "another"
    page.button(key="go").click().run()
    assert gone(page) == 0
