"""Settings as widgets, and widgets as a configuration."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from chunking.config import Config, settings
from chunking.errors import ConfigError
from chunking.settings import Setting
from components.settings_form.number import Number, live_number, read_live_number
from components.words import plain

__all__ = ["settings_form"]


@dataclass(frozen=True, slots=True)
class _Form:
    """What the form remembers from run to run, under a session key of its own: widget state is lost on a page switch."""

    config: Config
    """The one it returned last."""
    values: Mapping[str, Any]
    """Setting key to what its widget shows, faulty ones too."""
    turn: int = 0
    """Counts how often a configuration came from outside; widgets of an earlier turn no longer count."""
    errors: Mapping[str, str] = field(default_factory=dict)
    """Setting key to the sentence beside it."""


def settings_form(config: Config, parts: Sequence[str] = ("chunk",), *, key: str = "settings", hide: Collection[str] = ()) -> Config:
    """Widgets for the settings of some parts of the configuration.

    Args:
        config: the configuration in force: what this returned last, or another one that the form then takes over.
        parts: of the configuration, such as "chunk" and "search".
        key: prefix of the session keys.
        hide: keys of settings that are not shown.
    Returns:
        The configuration as set; `config` itself as long as a setting is faulty. The sentence then stands beside it.
    """
    shown = [setting for setting in settings() if setting.part in parts and setting.key not in hide]
    form = _read(_remembered(key, config, shown), shown, key)
    st.session_state[f"{key}.form"] = form
    everyday = [setting for setting in shown if not setting.detail]
    details = [setting for setting in shown if setting.detail]
    for setting in everyday:
        _draw(setting, form, key)
    if not everyday or not details:
        for setting in details:
            _draw(setting, form, key)
        return form.config
    for setting in details:
        _sentence(form.errors.get(setting.key))
    more = st.expander("More settings", key=f"{key}.more", on_change="rerun")
    if more.open:  # closed, its widgets would cost a third of the time between two steps of a slider
        with more:
            for setting in details:
                _draw(setting, form, key)
    return form.config


def _remembered(key: str, config: Config, shown: Sequence[Setting]) -> _Form:
    form: _Form | None = st.session_state.get(f"{key}.form")
    if form is None or form.config != config or any(setting.key not in form.values for setting in shown):
        return _Form(config, {setting.key: _shown(setting, config) for setting in shown}, turn=form.turn + 1 if form else 0)
    return form


def _read(form: _Form, shown: Sequence[Setting], key: str) -> _Form:
    """The form with what the user has changed since the last run. Read before anything is drawn, so that errors stand in their places."""
    values = {setting.key: _value(setting, form, key) for setting in shown}
    try:
        config = Config.from_settings({name: _text(value) for name, value in values.items()}, base=form.config)
    except ConfigError as error:
        where = error.where if error.where in values else shown[0].key
        return replace(form, values=values, errors={str(where): str(error)})
    return replace(form, config=config, values=values, errors={})


def _shown(setting: Setting, config: Config) -> Any:
    """A setting's value as its widget takes it."""
    value = setting.value(config)
    if setting.many:
        return [str(item) for item in value]
    if setting.choices:
        return str(value)
    return setting.text(config) if setting.type is str or _kind(setting) is _live else value


def _value(setting: Setting, form: _Form, key: str) -> Any:
    name = _widget_key(setting, form, key)
    if _kind(setting) is _live:
        text = read_live_number(name, form.turn)
        return form.values[setting.key] if text is None else text
    return st.session_state.get(name, form.values[setting.key])


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return ",".join(value) or "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _widget_key(setting: Setting, form: _Form, key: str) -> str:
    # A live input keeps its key over turns: made anew under the user's hand, it would lose the focus.
    return f"{key}.{setting.key}" if _kind(setting) is _live else f"{key}.{form.turn}.{setting.key}"


def _draw(setting: Setting, form: _Form, key: str) -> None:
    name, kind, value = _widget_key(setting, form, key), _kind(setting), form.values[setting.key]
    if kind is _live:
        _live(setting, form, name)
        return
    if setting.part == "chunk":
        st.session_state.setdefault(name, value)
    else:  # told in every run: in a popover the browser makes the widget only when it is opened, and would begin with an empty one
        st.session_state[name] = value
    kind(setting, name)
    _sentence(form.errors.get(setting.key))


def _sentence(error: str | None) -> None:
    if error:
        st.caption(f":red[{plain(error)}]")


def _live(setting: Setting, form: _Form, name: str) -> None:
    whole = form.config.chunk.size if _is_share(setting) else None
    share = setting.type is float
    unit = str(form.config.chunk.unit) if setting.unit.startswith("of unit") else setting.unit
    number = Number(
        label=setting.title,
        help=setting.help,
        text=str(form.values[setting.key]),
        unit=unit,
        minimum=setting.minimum or 0,
        maximum=whole - 1 if whole else setting.maximum or 0,
        step=0.05 if share else 1,
        live=setting.part == "chunk",
        whole=whole,
        error=form.errors.get(setting.key, ""),
    )
    live_number(number, key=name, turn=form.turn)


def _choice(setting: Setting, name: str) -> None:
    st.selectbox(setting.title, setting.choices, key=name, format_func=_words, help=_help(setting))


def _few_choices(setting: Setting, name: str) -> None:
    st.segmented_control(setting.title, setting.choices, key=name, format_func=_words, help=_help(setting), required=True, width="stretch")


def _several(setting: Setting, name: str) -> None:
    st.pills(setting.title, setting.choices, key=name, selection_mode="multi", format_func=_words, help=_help(setting))


def _switch(setting: Setting, name: str) -> None:
    st.toggle(setting.title, key=name, help=_help(setting))


def _count(setting: Setting, name: str) -> None:
    label = f"{setting.title} ({setting.unit})" if setting.unit and setting.unit != "of unit" else setting.title
    low, high = int(setting.minimum or 0), int(setting.maximum or 0)
    st.number_input(label, low, high, value=None, step=1, key=name, placeholder="automatic", help=_help(setting))


def _fraction(setting: Setting, name: str) -> None:
    st.number_input(setting.title, setting.minimum, setting.maximum, value=None, step=0.05, key=name, help=_help(setting))


def _line(setting: Setting, name: str) -> None:
    st.text_input(setting.title, key=name, placeholder="automatic" if setting.default is None else "", help=_help(setting))


def _is_share(setting: Setting) -> bool:
    return setting.unit.endswith("or %")


_KINDS: tuple[tuple[Callable[[Setting], bool], Callable[..., None]], ...] = (
    (lambda s: s.many, _several),
    (lambda s: 0 < len(s.choices) <= 2, _few_choices),
    (lambda s: bool(s.choices), _choice),
    (lambda s: s.type is bool, _switch),
    (lambda s: _is_share(s) or (s.type in (int, float) and not s.detail), _live),
    (lambda s: s.type is int, _count),
    (lambda s: s.type is float, _fraction),
    (lambda s: True, _line),
)
"""The first row whose test holds draws the setting."""


def _kind(setting: Setting) -> Callable[..., None]:
    return next(draw for test, draw in _KINDS if test(setting))


_NAMES = {"qa": "Q&A"}


def _words(value: str) -> str:
    return _NAMES.get(value) or value.replace("_", " ").capitalize()


def _help(setting: Setting) -> str:
    return plain(setting.help)
