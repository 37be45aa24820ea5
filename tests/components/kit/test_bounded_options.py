"""Select boxes over long lists: at most 500 options, and the chosen one among them."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from components.kit.bounded_options import MOST_OPTIONS


def many_app(count: int) -> None:
    """A select box over so many names."""
    import streamlit as st

    from components.kit.bounded_options import find_options

    names = {f"d{n}": f"Manual {n} (shelf/{n}.md)" for n in range(count)}
    options = find_options(names, key="pick", chosen=["d1999", "gone"])
    st.selectbox("Document", options, key="pick", format_func=names.__getitem__)


def test_a_short_list_is_sent_as_it_is() -> None:
    """No field, every option, in order."""
    app = AppTest.from_function(many_app, args=(MOST_OPTIONS,)).run()
    assert not app.text_input
    assert len(app.selectbox[0].options) == MOST_OPTIONS


def test_of_a_long_list_the_chosen_and_the_first_are_sent() -> None:
    """The rest comes by words of the name, in any order and letter case."""
    app = AppTest.from_function(many_app, args=(2_000,)).run()
    assert app.selectbox[0].options[:2] == ["Manual 1999 (shelf/1999.md)", "Manual 0 (shelf/0.md)"]
    assert len(app.selectbox[0].options) == MOST_OPTIONS + 1
    app.text_input[0].set_value("SHELF/77 manual").run()
    names = app.selectbox[0].options[1:]
    assert names
    assert all("shelf/77" in name for name in names)
    app.text_input[0].set_value("no such name").run()
    assert len(app.selectbox[0].options) == 1
    assert not app.exception
