"""What Streamlit makes anew in every run is made once, and is the same as before."""

from __future__ import annotations

import inspect
from functools import wraps
from typing import Any

import pandas as pd
import pytest
from streamlit import config, type_util
from streamlit.components.v2.bidi_component import serialization
from streamlit.proto.NewSession_pb2 import NewSession
from streamlit.runtime import app_session
from streamlit.runtime.state import SafeSessionState, SessionState

from components.streamlit_patches import run_lookups
from components.streamlit_patches.run_lookups import reuse_lookups

SECTIONS = ("theme", "theme.light", "theme.dark", "theme.sidebar", "theme.light.sidebar", "theme.dark.sidebar")


@pytest.fixture(autouse=True)
def as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit is left as it was found."""
    monkeypatch.setattr(SafeSessionState, "filtered_state", SafeSessionState.__dict__["filtered_state"])
    monkeypatch.setattr(type_util, "get_func_parameters", type_util.get_func_parameters)
    monkeypatch.setattr(app_session, "_populate_theme_msg", app_session._populate_theme_msg)
    monkeypatch.setattr(serialization, "is_dataframe_like", serialization.is_dataframe_like)
    monkeypatch.setattr(config, "on_config_parsed", lambda *_, **__: None)
    run_lookups._themes.clear()


def test_a_field_finds_its_value_without_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same keys and values; those of Streamlit's own are not among them."""
    state = SessionState()
    state["size"], state["$$STREAMLIT_INTERNAL_KEY_x"], state["none"] = 7, 1, None
    safe = SafeSessionState(state, lambda: None)
    before = dict(safe.filtered_state)
    reuse_lookups()
    assert dict(safe.filtered_state) == before == {"size": 7, "none": None}
    assert len(safe.filtered_state) == 2
    monkeypatch.setattr(SessionState, "_keys", lambda _: pytest.fail("all keys were looked at"))
    assert safe.filtered_state["size"] == 7
    assert "missing" not in safe.filtered_state
    assert "$$STREAMLIT_INTERNAL_KEY_x" not in safe.filtered_state


def test_lists_and_dicts_of_a_component_are_no_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are not looked at; a table is one as before, and travels as one."""
    table = pd.DataFrame({"a": [1]})
    plain = {"rows": [1, "two"], "row": {"a": 1}, "text": "a", "none": None}
    before = serialization._extract_dataframes_from_dict({**plain, "table": table}, blobs := {})
    reuse_lookups()
    assert serialization._extract_dataframes_from_dict({**plain, "table": table}, again := {}) == before
    assert len(again) == len(blobs) == 1
    monkeypatch.setattr(run_lookups, "_is_table", lambda value: pytest.fail(f"{value} was looked at"))
    assert serialization._extract_dataframes_from_dict({"rows": [1], "row": {"a": 1}}) == {"rows": [1], "row": {"a": 1}}


def test_parameters_are_read_once_a_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once for all functions of a page's script, which makes them anew in every run; a wrapper has those of what it
    wraps.
    """
    read: list[Any] = []
    whole = run_lookups._func_parameters

    def reading(func: Any) -> list[inspect.Parameter]:
        read.append(func)
        return whole(func)

    monkeypatch.setattr(run_lookups, "_func_parameters", reading)
    reuse_lookups()

    def made(default: int) -> Any:
        def function(address: str, _hidden: object, *rest: str, named: int = default) -> None:
            """Of a page."""

        return function

    found = [[(one.name, one.kind) for one in type_util.get_func_parameters(made(number))] for number in range(3)]
    assert found == [[(one.name, one.kind) for one in whole(made(0))]] * 3
    assert len(read) == 1

    @wraps(made(0))
    def wrapper(*args: Any, **kwargs: Any) -> None:
        """Around it."""

    assert [one.name for one in type_util.get_func_parameters(wrapper)] == ["address", "_hidden", "rest", "named"]


def test_the_theme_is_the_one_of_the_options() -> None:
    """In each part, the first time and from then on; where nothing is set, nothing is said."""
    said = []
    for round in range(3):
        made = NewSession()
        for section in SECTIONS:
            part = made.custom_theme
            for name in section.split(".")[1:]:
                part = getattr(part, name)
            app_session._populate_theme_msg(part, section)
        said.append(made.SerializeToString(deterministic=True))
        if round == 0:
            reuse_lookups()
    assert said[0] == said[1] == said[2]
    assert said[0]
