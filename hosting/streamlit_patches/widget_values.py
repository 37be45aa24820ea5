"""A widget takes values of its own kind and no others.

A browser sends what the page's own scripts let it send; a program that speaks the protocol by itself sends anything.
Streamlit (1.67)
hands a list to a text field, and each run of that session fails from then on, with a traceback in the log each time.
What is no value
of the widget counts as none, as if the field had been cleared, and is one line of the log.
"""

from __future__ import annotations

import logging
from functools import wraps
from typing import Any

from streamlit.errors import StreamlitAPIException
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.state.session_state import Serialized, WStates

__all__ = ["check_values"]

_NAMED = 80
"""Characters of a widget's name in the log."""
_UNREADABLE = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
    StreamlitAPIException,
)
"""What a widget raises over a value that makes no sense."""
_NUMBERS = frozenset({"int_value", "double_value"})
"""One kind: a number field is registered with fractions, and sends whole numbers as such."""
_read = WStates.__getitem__


def check_values() -> None:
    """Look at each value before a widget reads it, from now on, in this process; again is the same."""
    WStates.__getitem__ = _read_own  # type: ignore[method-assign]


@wraps(_read)
def _read_own(self: WStates, k: str) -> Any:
    state, widget = self.states.get(k), self.widget_metadata.get(k)
    if not isinstance(state, Serialized) or widget is None:
        return _read(self, k)
    kind = state.value.WhichOneof("value")
    try:
        if kind not in (None, widget.value_type) and not {kind, widget.value_type} <= _NUMBERS:
            raise TypeError(f"{kind} in the place of {widget.value_type}")
        return _read(self, k)
    except _UNREADABLE as error:
        logging.getLogger(__name__).warning(
            "An invalid value of the widget %r was ignored: %s", _name(k), type(error).__name__
        )
        # Not taken out: Streamlit goes through all values while it reads one.
        self.states[k] = Serialized(WidgetState(id=k))
        return _read(self, k)
    finally:
        if (
            self.widget_metadata[k].value_type is None
        ):  # Streamlit notes the kind of what it has read: a cleared field has none
            self.widget_metadata[k] = widget


def _name(id: str) -> str:
    """The key of a widget, without the hash of what it is."""
    return id.split("-", 2)[-1][:_NAMED]
