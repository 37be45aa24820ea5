"""The settings form, generated from `chunking.config.settings()`: a new setting is a new widget."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chunking.config import Config, settings
from chunking.config.settings import Setting
from chunking.deployment.forbidden_settings import check_names
from chunking.errors import ConfigError
from chunking.glossary import term
from components.kit.settings_form.groups import SPOKEN, TERMS, Group, applies, grouped, technique
from components.kit.settings_form.typed_settings import (
    CATEGORIES,
    categories_field,
    check_form_prompts,
    draw_live_patterns,
    is_pattern_setting,
    is_prompt_setting,
    lines_of,
    prompt_text,
    read_live_patterns,
    settings_of,
)
from components.kit.settings_form.widgets import (
    ROWS,
    as_text,
    draw_live_number,
    is_live_slider,
    number_of,
    read_live_number,
    shown_value,
    widget_of,
)
from components.kit.wording import plain

__all__ = ["Form", "draw_form", "read_form", "settings_form"]


@dataclass(frozen=True, slots=True)
class Form:
    """Values, errors and configuration of a settings form; kept over page switches."""

    config: Config
    """Configuration that it returned last."""
    values: Mapping[str, Any]
    """Setting key to its widget's value, invalid ones too."""
    turn: int = 0
    """Number of configurations taken over from outside; widgets of an earlier turn are ignored."""
    errors: Mapping[str, str] = field(default_factory=dict)
    """Setting key to its error."""
    key: str = "settings"
    """Prefix of the session keys."""
    shown: Sequence[Setting] = ()
    """Settings of the form."""
    with_categories: bool = True
    """True to include the settings of categories."""


def settings_form(
    config: Config,
    parts: Sequence[str] = ("chunk",),
    *,
    key: str = "settings",
    hide: Collection[str] = (),
    groups: DeltaGenerator | None = None,
    below: Callable[[str, Config], None] | None = None,
) -> Config:
    """Draw widgets for `parts` of the configuration, and return the configuration as set.

    The most important settings are always in sight, the others in groups that open.

    Args:
        config, parts, key, hide: see `read_form`.
        groups, below: see `draw_form`.
    Returns:
        The configuration as set; `config` itself as long as a setting is invalid. Its error is drawn under it.
    """
    form = read_form(config, parts, key=key, hide=hide)
    draw_form(form, groups=groups, below=below)
    return form.config


def read_form(
    config: Config, parts: Sequence[str] = ("chunk",), *, key: str = "settings", hide: Collection[str] = ()
) -> Form:
    """Return the form with its widgets' current values and errors, before anything is drawn.

    Its effects need not wait for `draw_form`. The form is kept in the session.

    Args:
        config: current configuration; one that the form did not return last is taken over.
        parts: parts of the configuration, such as "chunk" and "search".
        key: prefix of the session keys.
        hide: keys of settings to leave out.
    """
    shown = [setting for setting in settings() if setting.part in parts and setting.key not in hide]
    remembered = replace(
        _remembered(key, config, shown), key=key, shown=shown, with_categories="chunk" in parts and not hide
    )
    form = _read(remembered)
    st.session_state[f"{key}.form"] = form
    return form


def draw_form(
    form: Form,
    *,
    groups: DeltaGenerator | None = None,
    below: Callable[[str, Config], None] | None = None,
    drawer: Callable[[], None] | None = None,
) -> None:
    """Draw the widgets of a form: main settings in sight, others in groups that open.

    Args:
        form: result of `read_form` in this run.
        groups: container of the groups; None: under the settings in sight.
        below: draws additions under a setting in sight, or under patterns; called with its key and the configuration
            as set.
        drawer: makes the form slim: techniques are in the tooltips, and all groups in one drawer that opens, under what
            this draws.
    """
    rows = grouped(form.shown)
    if len(rows) == 1:  # a part of the form: nothing to choose from
        rows = [(Group("", ()), rows[0][1])]
    for group, members in rows:
        if not group.title:
            for setting in members:
                _draw(setting, form, below, slim=drawer is not None)
    titled = [(group, members) for group, members in rows if group.title]
    if drawer is None:
        with groups or st.container(gap="xsmall"):
            _groups(form, titled, below)
        return
    kept = [setting for _, members in titled for setting in members]
    with st.expander(
        f"Advanced{changed_note(form.config, kept)}", key=f"{form.key}.advanced", on_change="rerun"
    ) as more:
        if more.open:
            drawer()
            _groups(form, titled, below)
    if not more.open:
        for key in (*(setting.key for setting in kept), CATEGORIES):
            _sentence(form.errors.get(key))


def changed_note(config: Config, kept: Sequence[Setting]) -> str:
    """Return how many of these settings differ from the defaults, those of categories counted as one.

    >>> changed_note(Config(), settings()), changed_note(Config.from_settings({"min_size": "0"}), settings())
    ('', ' · 1 changed')
    """
    usual = Config()
    number = sum(one.text(config) != one.text(usual) for one in kept) + bool(config.categories)
    return f" · {number:,} changed" if number else ""


def _groups(
    form: Form, rows: Sequence[tuple[Group, Sequence[Setting]]], below: Callable[[str, Config], None] | None
) -> None:
    for group, members in rows:
        _group(group, members, form, below)
    if form.with_categories:
        categories_field(form.config, str(form.values[CATEGORIES]), name=_lines_key(form))
        _sentence(form.errors.get(CATEGORIES))


def _group(group: Group, members: Sequence[Setting], form: Form, below: Callable[[str, Config], None] | None) -> None:
    """Draw a group as an expander; the settings of a closed one are not drawn.

    They would cost a third of the time between two steps of a slider.
    """
    if not any(applies(setting, form.config) for setting in members):
        return
    for setting in members:
        if not is_pattern_setting(setting) or not st.session_state.get(
            f"{form.key}.{group.slug}"
        ):  # an open field draws its own error
            _sentence(form.errors.get(setting.key))
    more = st.expander(group.title, key=f"{form.key}.{group.slug}", on_change="rerun")
    if more.open:
        with more:
            if group.line:
                st.caption(group.line)
            for setting in members:
                _draw(setting, form, below if is_pattern_setting(setting) else None)


def _remembered(key: str, config: Config, shown: Sequence[Setting]) -> Form:
    form: Form | None = st.session_state.get(f"{key}.form")
    if form is None or form.config != config or any(setting.key not in form.values for setting in shown):
        values = {setting.key: shown_value(setting, config) for setting in shown} | {CATEGORIES: lines_of(config)}
        return Form(config, values, turn=form.turn + 1 if form else 0)
    return form


def _read(form: Form) -> Form:
    """Update the form with the widgets' values, before anything is drawn, so that errors appear in place."""
    values = {setting.key: _value(setting, form) for setting in form.shown}
    lines = st.session_state.get(_lines_key(form), form.values[CATEGORIES])
    general = form.config.model_copy(update={"categories": ()})
    everything = values | {CATEGORIES: lines}
    try:
        texts = {setting.key: _text(setting, values[setting.key]) for setting in form.shown}
        config = Config.from_settings(texts | settings_of(lines), base=general)
        check_form_prompts(config, texts)
        check_names(config, texts)
    except ConfigError as error:
        return replace(form, values=everything, errors={_field(error, values, form.shown): str(error)})
    return replace(form, config=config, values=everything, errors={})


def _field(error: ConfigError, values: Mapping[str, Any], shown: Sequence[Setting]) -> str:
    """Return the key of the setting under which to draw an error."""
    where = str(error.where)
    return (
        where
        if where in values
        else CATEGORIES
        if where.startswith(("category.", CATEGORIES)) or not shown
        else shown[0].key
    )


def _lines_key(form: Form) -> str:
    return f"{form.key}.{form.turn}.{CATEGORIES}"


def _value(setting: Setting, form: Form) -> Any:
    name = _widget_key(setting, form)
    if is_pattern_setting(setting):
        typed = read_live_patterns(name, form.turn)
        return form.values[setting.key] if typed is None else typed
    if is_live_slider(setting):
        text = read_live_number(name, form.turn)
        return form.values[setting.key] if text is None else text
    return st.session_state.get(name, form.values[setting.key])


def _text(setting: Setting, value: Any) -> str:
    """Return a widget's value in command-line form."""
    return prompt_text(setting, value) if is_prompt_setting(setting) else as_text(value)


def _widget_key(setting: Setting, form: Form) -> str:
    # A live input keeps its key over turns: made anew under the user's hand, it would lose the focus.
    return (
        f"{form.key}.{setting.key}"
        if is_live_slider(setting) or is_pattern_setting(setting)
        else f"{form.key}.{form.turn}.{setting.key}"
    )


def _draw(
    setting: Setting, form: Form, below: Callable[[str, Config], None] | None = None, *, slim: bool = False
) -> None:
    """Draw a setting's widget, its technique or plain line, and the additions below; nothing if it does not apply."""
    if not applies(setting, form.config) and setting.key not in form.errors:
        return
    if slim:
        lines = [ROWS.format(good_for=row.good_for, cost=row.cost) for row in technique(setting, form.config)]
        with st.container(gap="xsmall"):
            _widget(replace(setting, text_of_help=" ".join([setting.text_of_help, *lines])), form)
            if setting.key in TERMS:
                st.caption(term(TERMS[setting.key]).line)
    elif setting.key in SPOKEN:
        with st.container(gap="xsmall"):
            _widget(setting, form)
            for row in technique(setting, form.config):
                st.caption(ROWS.format(good_for=row.good_for, cost=row.cost))
    else:
        _widget(setting, form)
    if below:
        below(setting.key, form.config)


def _widget(setting: Setting, form: Form) -> None:
    name, value = _widget_key(setting, form), form.values[setting.key]
    if is_pattern_setting(setting):
        draw_live_patterns(setting, str(value), form.errors.get(setting.key, ""), key=name, turn=form.turn)
    elif is_live_slider(setting):
        number = number_of(setting, form.config, str(value), form.errors.get(setting.key, ""))
        draw_live_number(number, key=name, turn=form.turn)
    else:
        # Set in every run. The browser may create the widget later than in the first one, in a popover, or never hear
        # of a run that was cut short; it would then begin with the first choice, and report it as its user's.
        st.session_state[name] = value
        widget_of(setting)(setting, name)
        _sentence(form.errors.get(setting.key))


def _sentence(error: str | None) -> None:
    if error:
        st.caption(f":red[{plain(error)}]")
