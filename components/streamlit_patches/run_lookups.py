"""Four things that Streamlit (1.67) finds out anew in every run of a page, found out once or known.

To be dropped when it keeps them itself. Nothing that a page draws changes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from types import CodeType
from typing import Any

from streamlit import config, type_util
from streamlit.components.v2.bidi_component import serialization
from streamlit.proto.NewSession_pb2 import CustomThemeConfig, NewSession
from streamlit.runtime import app_session
from streamlit.runtime.state.common import is_element_id
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.state.session_state import _is_internal_key

__all__ = ["reuse_lookups"]

_populate_theme = app_session._populate_theme_msg
_func_parameters = type_util.get_func_parameters
_serialization: Any = serialization
_is_table = _serialization.is_dataframe_like
_parameters: dict[CodeType, list[inspect.Parameter]] = {}
_themes: dict[str, NewSession] = {}


def reuse_lookups() -> None:
    """Have Streamlit keep them, in this process; again is the same."""
    SafeSessionState.filtered_state = property(_StateByKey)  # type: ignore[method-assign, assignment]
    type_util.get_func_parameters = _kept_parameters
    app_session._populate_theme_msg = _kept_theme
    _serialization.is_dataframe_like = _is_table_but_plain
    config.on_config_parsed(_themes.clear, force_connect=True)


class _StateByKey(Mapping[str, Any]):
    """A session's state by the keys of its widgets and values. A field looks one key up; Streamlit puts all of them
    together for it.
    """

    def __init__(self, state: SafeSessionState) -> None:
        self._state = state

    def __getitem__(self, key: str) -> Any:
        if is_element_id(key) or _is_internal_key(key):
            raise KeyError(key)
        with self._state._lock:
            return self._state._state[key]

    def __iter__(self) -> Iterator[str]:
        with self._state._lock:
            return iter(self._state._state.filtered_state)

    def __len__(self) -> int:
        with self._state._lock:
            return len(self._state._state.filtered_state)


def _kept_parameters(func: Callable[..., Any]) -> list[inspect.Parameter]:
    """Names and kinds of a function's parameters, which each call of a cached function asks for.

    Kept by the function's code, of which there is one however often a page's script runs; without defaults, which may
    be anything.
    """
    code = getattr(func, "__code__", None)
    if code is None or hasattr(func, "__wrapped__") or hasattr(func, "__signature__"):
        return _func_parameters(func)
    if code not in _parameters:
        _parameters[code] = [one.replace(default=inspect.Parameter.empty) for one in _func_parameters(func)]
    return _parameters[code]


def _kept_theme(msg: CustomThemeConfig, section: str = "theme") -> None:
    """What the options say of a part of the theme, which every run tells the browser; made anew when the options are
    read again.
    """
    theme = _themes.get(section)
    if theme is None:
        theme = _themes[section] = NewSession()
        _populate_theme(theme.custom_theme, section)
    if theme.HasField("custom_theme"):  # it is said where an option is set, and left out where none is
        msg.SetInParent()
        msg.MergeFrom(theme.custom_theme)


def _is_table_but_plain(value: object) -> bool:
    """Whether a part of a component's data is sent as a table. Lists and dicts of ours never are: Streamlit asks a
    dozen libraries.
    """
    return not isinstance(value, (list, dict)) and bool(_is_table(value))
