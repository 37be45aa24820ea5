"""Widgets of settings, chosen by the first matching test of a table."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import streamlit as st

from chunking.allowed import allowed
from chunking.config import Config, settings
from chunking.config.config import value_label
from chunking.config.pattern_settings import one_a_line
from chunking.config.settings import Setting
from chunking.embedding.model_list import available_models
from chunking.errors import ConfigError
from chunking.splitting.strategies.custom_splitters import ENVIRONMENT, splitter_names
from chunking.viewing.messages.sliders import LONGEST, Number, is_share, number_of, slider_texts
from components.kit.browser import component
from components.kit.settings_form.typed_settings import (
    is_pattern_setting,
    is_prompt_setting,
    prompt_field,
    shown_prompt,
)
from components.kit.wording import plain
from components.session import share

__all__ = [
    "ROWS",
    "Number",
    "as_text",
    "change_setting",
    "draw_live_number",
    "is_live_slider",
    "number_field",
    "number_of",
    "read_live_number",
    "setting_of",
    "shown_value",
    "slider_texts",
    "widget_of",
]

ROWS = "Good for {good_for}. Cost: {cost}."
"""Caption of a technique."""

_BESIDE_THE_TEXT = frozenset({"semantic_share", "context_size"})
"""Details shown among the settings in sight; they move boundaries as those do."""

_number = component("number")


def shown_value(setting: Setting, config: Config) -> Any:
    """Return a setting's value as its widget takes it: a text, number, bool or list of texts."""
    value = setting.value(config)
    if is_prompt_setting(setting):
        return shown_prompt(setting, str(value))
    if is_pattern_setting(setting):
        return one_a_line(str(value))
    if setting.many:
        return [str(item) for item in value]
    if setting.choices:
        return str(value)
    return setting.text(config) if setting.type is str or setting.words or is_live_slider(setting) else value


def as_text(value: Any) -> str:
    """Return a widget's value in command-line form.

    >>> as_text(["code", "table"]), as_text(True), as_text(None), as_text([])
    ('code,table', 'true', '', 'none')
    """
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return ",".join(value) or "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def is_live_slider(setting: Setting) -> bool:
    """True if a setting is a slider that reports while dragged."""
    return not (setting.choices or setting.words) and (
        is_share(setting) or setting.key in _BESIDE_THE_TEXT or (setting.type in (int, float) and not setting.detail)
    )


def widget_of(setting: Setting) -> Callable[[Setting, str], None]:
    """Return the function that draws a setting's widget; not for live sliders and patterns."""
    return next(draw for test, draw in _KINDS if test(setting))


def _choice(setting: Setting, name: str) -> None:
    st.selectbox(setting.title, setting.choices, key=name, format_func=_label_of(setting), help=_help(setting))


def _strategy(setting: Setting, name: str) -> None:
    """Draw the strategies; custom splitters only if one is registered or chosen."""
    own = bool(_splitters(sentence=False)) or st.session_state[name] == "custom"
    choices = [choice for choice in setting.choices if own or choice != "custom"]
    st.selectbox(setting.title, choices, key=name, format_func=_label_of(setting), help=_help(setting))


def _splitter(setting: Setting, name: str) -> None:
    """Draw the registered custom splitters."""
    names, value = _splitters(sentence=True), st.session_state[name]
    options = [*names, *([value] if value not in names else [])]
    st.selectbox(setting.title, options, key=name, format_func=lambda one: one or "choose one", help=_help(setting))
    if not names:
        none = f"No splitter is registered on this machine: set `{ENVIRONMENT}` or call `register_splitter`."
        st.caption(none if allowed().everything else "This server offers no splitters.")


def _splitters(*, sentence: bool) -> tuple[str, ...]:
    try:
        return splitter_names()
    except ConfigError as error:
        if sentence:
            st.caption(f":red[{plain(str(error))}]")
        return ()


def _few_choices(setting: Setting, name: str) -> None:
    choices = _allowed_choices(setting, st.session_state[name])
    st.segmented_control(
        setting.title,
        choices,
        key=name,
        format_func=_label_of(setting),
        help=_help(setting),
        required=True,
        width="stretch",
    )
    _say_missing(setting, choices)


def _model(setting: Setting, name: str) -> None:
    """Draw the installed models; other names and folders can be typed unless the operator forbids it."""
    models = {model.value: model for model in available_models()}
    value = str(st.session_state.get(name) or "")
    options = [*models, *([value] if value and value not in models else [])]

    def label(one: str) -> str:
        return models[one].name if one in models else one  # no room for its facts, which follow below

    free = allowed().everything
    note = " Type a name or a folder to use another one." if free else ""
    st.selectbox(
        setting.title, options, key=name, format_func=label, accept_new_options=free, help=f"{_help(setting)}{note}"
    )
    if value in models:
        st.caption(plain(models[value].facts))
    if not free:
        st.caption("Whoever runs this server decides which models are available.")


def _cross_encoder(setting: Setting, name: str) -> None:
    """Draw a field for a name or a folder; on a restricted server, the operator's list."""
    if allowed().everything:
        _line(setting, name)
        return
    value = str(st.session_state[name])
    st.selectbox(
        setting.title, list(dict.fromkeys([*_listed_models(), *filter(None, [value])])), key=name, help=_help(setting)
    )
    st.caption("Whoever runs this server decides which models are available.")


def _listed_models() -> list[str]:
    """Return the models of the operator's list that may be cross-encoders."""
    embedding = {model.value for model in available_models()}
    return [one for one in allowed().model_names if one not in embedding]


def _allowed_choices(setting: Setting, present: object) -> list[str]:
    """Return the choices of a setting that are allowed here, and the current one."""
    here = allowed()
    missing = set()
    if not here.everything:
        missing |= {"llm"} if setting.key == "enrich.generator" and not here.endpoints else set()
        missing |= {"cross_encoder"} if setting.key == "search.rerank" and not _listed_models() else set()
    chosen = present if isinstance(present, (list, tuple)) else [present]
    return [choice for choice in setting.choices if choice not in missing or choice in chosen]


def _several(setting: Setting, name: str) -> None:
    choices = _allowed_choices(setting, st.session_state[name])
    st.pills(
        setting.title, choices, key=name, selection_mode="multi", format_func=_label_of(setting), help=_help(setting)
    )
    _say_missing(setting, choices)


def _multiples(setting: Setting, name: str) -> None:
    st.pills(
        setting.title, setting.choices, key=name, selection_mode="multi", format_func="× {}".format, help=_help(setting)
    )


def _say_missing(setting: Setting, choices: list[str]) -> None:
    """Draw the names of choices that this server does not offer."""
    missing = [_label_of(setting)(choice) for choice in setting.choices if choice not in choices]
    if missing:
        st.caption(f"Not offered on this server: {', '.join(missing)}.")


def _switch(setting: Setting, name: str) -> None:
    st.toggle(setting.title, key=name, help=_help(setting))


def _count(setting: Setting, name: str) -> None:
    label = f"{setting.title} ({setting.unit})" if setting.unit and setting.unit != "of unit" else setting.title
    low, high = int(setting.minimum or 0), int(setting.maximum or 0)
    st.number_input(label, low, high, value=None, step=1, key=name, placeholder="automatic", help=_help(setting))


def _count_or_word(setting: Setting, name: str) -> None:
    """Draw a choice of the setting's words, such as automatic, and of its numbers."""
    numbers = map(str, range(int(setting.minimum or 0), int(setting.maximum or 0) + 1))
    label = f"{setting.title} ({setting.unit})" if setting.unit else setting.title
    st.selectbox(label, [*setting.words, *numbers], key=name, format_func=_label_of(setting), help=_help(setting))


def _fraction(setting: Setting, name: str) -> None:
    st.number_input(
        setting.title, setting.minimum, setting.maximum, value=None, step=0.05, key=name, help=_help(setting)
    )


def _line(setting: Setting, name: str) -> None:
    st.text_input(
        setting.title, key=name, placeholder="automatic" if setting.default is None else "", help=_help(setting)
    )


_KINDS: tuple[tuple[Callable[[Setting], bool], Callable[[Setting, str], None]], ...] = (
    (is_prompt_setting, prompt_field),
    (lambda s: s.key == "strategy", _strategy),
    (lambda s: s.key == "splitter", _splitter),
    (lambda s: s.key == "embedding.model", _model),
    (lambda s: s.key == "search.rerank_model", _cross_encoder),
    (lambda s: s.key == "granularities", _multiples),
    (lambda s: s.many, _several),
    (lambda s: 0 < len(s.choices) <= 2, _few_choices),
    (lambda s: bool(s.choices), _choice),
    (lambda s: s.type is bool, _switch),
    (lambda s: bool(s.words), _count_or_word),
    (lambda s: s.type is int, _count),
    (lambda s: s.type is float, _fraction),
    (lambda s: True, _line),
)


def _label_of(setting: Setting) -> Callable[[str], str]:
    """Return a function that labels the values of a setting, capitalised."""

    def label(value: str) -> str:
        text = value_label(setting.key, value)
        return f"{text[0].upper()}{text[1:]}"

    return label


def _help(setting: Setting) -> str:
    return plain(setting.help)


def draw_live_number(number: Number, *, key: str, turn: int) -> None:
    """Draw a slider that reports while dragged; `read_live_number` returns its text.

    A new `turn` makes the browser take over `number.text`; otherwise it keeps what its user is doing.
    """

    def remember(value: Any) -> None:
        if isinstance(value, dict):
            st.session_state[f"{key}.value"] = (str(value.get("text"))[:LONGEST], value.get("turn"))

    _number(key=key, data={**asdict(number), "turn": turn}, on={"value": remember})


def read_live_number(key: str, turn: int) -> str | None:
    """Return the text set by the user since `turn`; None before that."""
    text, of = st.session_state.get(f"{key}.value", (None, None))
    return text if of == turn else None


def setting_of(key: str) -> Setting:
    """Return the setting with this key, which must exist."""
    return next(setting for setting in settings() if setting.key == key)


def change_setting(name: str, widget: str) -> None:
    """Set `name` in the current configuration to the widget's value, as a callback.

    The widget offers only valid values, so an invalid one comes from no browser and is ignored.
    """
    try:
        share.keep_config(Config.from_settings({name: st.session_state[widget]}, share.config()))
    except ConfigError:
        logging.getLogger(__name__).warning("The setting %s was given an invalid value.", name)


def number_field(name: str, *, key: str, label: str = "", step: int = 1, width: int = 130) -> None:
    """Draw a number field that changes a setting at once.

    Args:
        name: the setting's key.
        key: key of the widget.
        label: replaces the setting's title and unit.
        step: step of its buttons.
        width: pixels.
    """
    setting = setting_of(name)
    st.session_state[key] = setting.value(share.config())
    st.number_input(
        label or (f"{setting.title} ({setting.unit})" if setting.unit else setting.title),
        min_value=int(setting.minimum or 0),
        max_value=int(setting.maximum or 0),
        step=step,
        key=key,
        help=f"The setting `{setting.key}`. {setting.help}",
        width=width,
        on_change=change_setting,
        args=(name, key),
    )
