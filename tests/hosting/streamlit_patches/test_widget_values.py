"""What a program that speaks the browser's protocol by itself puts in the place of a widget's value."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.state.session_state import WStates
from streamlit.testing.v1 import AppTest

from hosting.streamlit_patches import widget_values
from hosting.streamlit_patches.widget_values import check_values

FORGED: dict[str, Callable[[WidgetState], object]] = {
    "a text": lambda state: setattr(state, "string_value", "x" * 100_000),
    "texts": lambda state: state.string_array_value.data.extend(["a", "b"]),
    "no texts": lambda state: state.string_array_value.SetInParent(),
    "no number": lambda state: setattr(state, "double_value", math.nan),
    "numbers": lambda state: state.double_array_value.data.extend([math.inf, -1, 1e300]),
    "a whole number": lambda state: setattr(state, "int_value", 2**62),
    "yes": lambda state: setattr(state, "bool_value", True),
    "bytes": lambda state: setattr(state, "bytes_value", b"\xff"),
    "no JSON": lambda state: setattr(state, "json_value", "{{"),
    "deep JSON": lambda state: setattr(state, "json_value", "[" * 100_000),
    "a click": lambda state: setattr(state, "json_trigger_value", "[["),
    "a message": lambda state: setattr(state.chat_input_value, "data", "x"),
    "a file": lambda state: state.file_uploader_state_value.uploaded_file_info.add(
        file_id="../x", name="x", size=2**60
    ),
    "nothing": lambda state: None,
}


def page() -> None:
    """A widget of each kind of value, and one whose callback reads it."""
    import streamlit as st

    st.session_state.heard = []
    st.selectbox("One", ["a", "b"], key="one", on_change=lambda: st.session_state.heard.append(st.session_state.one))
    st.multiselect("Some", ["a", "b"], key="some")
    st.text_input("Text", key="text")
    st.number_input("Number", 1, 9, key="number", value=None)
    st.slider("Range", 1.0, 9.0, (2.0, 3.0), key="range")
    st.date_input("Day", key="day", value=None)
    st.checkbox("Yes", key="yes")
    st.file_uploader("File", key="file")
    st.dataframe({"a": [1]}, key="table", on_select="rerun")
    st.segmented_control("Kind", ["a", "b"], key="kind")
    st.markdown(f"drawn: {st.session_state.one} {len(st.session_state.text or '')}")


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check, which is taken back afterwards."""
    monkeypatch.setattr(WStates, "__getitem__", WStates.__getitem__)
    check_values()


def ids(app: AppTest) -> dict[str, str]:
    """Key to id of the widgets."""
    found = (getattr(getattr(one, "proto", None), "id", "") for one in app.main)
    return {id.split("-", 2)[2]: id for id in found if id.startswith("$$ID-")}


def told(log: pytest.LogCaptureFixture) -> list[str]:
    """What the check said."""
    found = [record for record in log.records if record.name == widget_values.__name__]
    assert all(record.exc_info is None and "\n" not in record.getMessage() for record in found)
    return [record.getMessage() for record in found]


@pytest.mark.parametrize("what", FORGED)
def test_a_forged_value_counts_as_none(checked: None, what: str, caplog: pytest.LogCaptureFixture) -> None:
    """The page is drawn, then and afterwards, and the log has a line for each and no traceback."""
    app = AppTest.from_function(page).run()
    known = ids(app)
    assert set(known) == {"one", "some", "text", "number", "range", "day", "yes", "file", "table", "kind"}
    caplog.clear()
    states = [WidgetState(id=id) for id in known.values()]
    for state in states:
        FORGED[what](state)
    app._run(WidgetStates(widgets=states))
    assert not app.exception
    assert app.markdown[-1].value.startswith("drawn: ")
    assert isinstance(app.session_state.number, float | None)
    lines = told(caplog)
    assert (what == "nothing") == (not lines)
    assert len(lines) == len(set(lines)) <= len(known)
    assert not app.run().exception


def test_honest_values_are_read_as_ever(checked: None, caplog: pytest.LogCaptureFixture) -> None:
    """Also of a field that was cleared in between, where Streamlit forgets which kind it is of."""
    app = AppTest.from_function(page).run()
    for number in (3, None, 4):
        app.number_input(key="number").set_value(number)
        app.selectbox(key="one").set_value("b")
        app.multiselect(key="some").set_value(["b"])
        app.text_input(key="text").set_value("abc")
        app.run()
        assert (app.session_state.number, app.session_state.one, app.session_state.some) == (number, "b", ["b"])
    assert not told(caplog)


def test_a_list_does_not_follow_on_a_cleared_field(checked: None) -> None:
    """The kind that a widget was made with counts, not the one that came last."""
    app = AppTest.from_function(page).run()
    id = ids(app)["number"]
    for forge in (FORGED["nothing"], FORGED["texts"]):
        state = WidgetState(id=id)
        forge(state)
        app._run(WidgetStates(widgets=[state]))
        assert not app.exception
    assert app.session_state.number is None


def test_a_browser_sends_a_number_as_what_it_is(checked: None, caplog: pytest.LogCaptureFixture) -> None:
    """A field of whole numbers is registered with fractions, and sends whole ones; nothing is said of it."""
    app = AppTest.from_function(page).run()
    for number, value in ((3, {"int_value": 3}), (4, {"double_value": 4.0})):
        app._run(WidgetStates(widgets=[WidgetState(id=ids(app)["number"], **value)]))
        assert app.session_state.number == number
    assert not told(caplog)
