"""Events of the browser components: applied once and in order, even if sent twice, late or forged."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.kit.browser.events import MOST, Event, LastEvents, apply_events, confirmed, read_events

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=6), inner),
)
ONE, TWO = "5f" * 16, "0a" * 16


def sent(*numbers: int, nonce: str = ONE, kind: str = "pick") -> list[dict[str, Any]]:
    """Events as the browser sends them, each with its number for a value."""
    return [{"nonce": nonce, "number": number, "kind": kind, "value": number} for number in numbers]


class Cut(BaseException):
    """As Streamlit cuts a run short."""


class TestOnce:
    @given(st.lists(st.tuples(st.integers(0, 8), st.integers(1, 9)), max_size=20))
    def test_each_is_applied_once_in_order(self, windows: list[tuple[int, int]]) -> None:
        """Each message is what waits at its time; those before may have been lost, come twice, or come late."""
        done: list[int] = []
        last_events = LastEvents()
        for first, many in [*windows, (0, 20)]:
            apply_events({"list": sent(*range(first + 1, first + many + 1))}, {"pick": done.append}, last_events)
        assert done == sorted(set(done))
        assert done[-1] == 20

    def test_two_tabs_do_not_share_numbers(self) -> None:
        """And a page loaded anew sends what its earlier life could not, before its own."""
        done: list[int] = []
        last_events = LastEvents()
        apply_events(sent(1, 2), {"pick": done.append}, last_events)
        apply_events([*sent(2, 3), *sent(1, nonce=TWO)], {"pick": done.append}, last_events)
        assert done == [1, 2, 3, 1]
        assert confirmed([*sent(3), *sent(1, nonce=TWO)], last_events) == {ONE: 3, TWO: 1}

    def test_what_a_new_run_cut_short_comes_again(self) -> None:
        """It is not confirmed, nor is what follows it, so that the order stays."""
        done: list[int] = []
        last_events = LastEvents()

        def cut(_: int) -> None:
            raise Cut

        with pytest.raises(Cut):
            apply_events(sent(1, 2), {"pick": cut}, last_events)
        assert confirmed(sent(1, 2), last_events) == {ONE: 0}
        apply_events(sent(1, 2), {"pick": done.append}, last_events)
        assert done == [1, 2]

    def test_a_fault_of_a_handler_does_not_come_for_ever(self) -> None:
        """It is confirmed."""
        last_events = LastEvents()

        def fails(_: int) -> None:
            raise ValueError(7)

        with pytest.raises(ValueError, match="7"):
            apply_events(sent(1), {"pick": fails}, last_events)
        assert confirmed(sent(1), last_events) == {ONE: 1}

    def test_another_kind_does_nothing_and_is_confirmed(self) -> None:
        """As from a component of another version."""
        last_events = LastEvents()
        apply_events(sent(1, kind="other"), {}, last_events)
        assert confirmed(sent(1), last_events) == {ONE: 1}

    def test_memory_is_bounded(self) -> None:
        """Who was not heard of for longest is forgotten."""
        last_events = LastEvents(most=2)
        for nonce in ("aa" * 16, "bb" * 16, "aa" * 16, "cc" * 16):
            with last_events.claim(Event(nonce, 1 + last_events.last(nonce), "pick", None)):
                pass
        assert [last_events.last(nonce * 16) for nonce in ("aa", "bb", "cc")] == [2, 0, 1]


class TestHostile:
    @settings(max_examples=40)
    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=5),
            lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
            max_leaves=12,
        )
    )
    def test_any_json_is_no_fault(self, said: object) -> None:
        """It holds no events."""
        assert read_events(said) == []
        assert confirmed(said, LastEvents()) == {}

    @pytest.mark.parametrize(
        "wrong",
        [
            {"nonce": "x" * 32},
            {"nonce": ONE + "0"},
            {"nonce": 3},
            {"number": 0},
            {"number": True},
            {"number": 1.5},
            {"number": 2**60},
            {"kind": []},
        ],
    )
    def test_an_invalid_event_is_left_out(self, wrong: dict[str, object]) -> None:
        """The others are not."""
        assert [event.number for event in read_events([{**sent(1)[0], **wrong}, *sent(2)])] == [2]

    def test_a_message_is_bounded(self) -> None:
        """The rest comes when these are confirmed."""
        assert len(read_events(sent(*range(1, 2 * MOST)))) == MOST
