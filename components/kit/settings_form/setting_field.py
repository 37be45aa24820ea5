"""A setting as a widget of its own, outside of the form: the same value, range and help."""

from __future__ import annotations

import logging

import streamlit as st

from chunking.config import Config, settings
from chunking.config.settings import Setting
from chunking.errors import ConfigError
from components.session import share

__all__ = ["change_setting", "number_field", "setting_of"]


def setting_of(key: str) -> Setting:
    """The setting with this key."""
    return next(setting for setting in settings() if setting.key == key)


def change_setting(name: str, widget: str) -> None:
    """The widget of the setting `name` has changed.

    It offers what the setting may be, so that what is none of it comes from no browser: the setting stays as it is.
    """
    try:
        share.keep_config(Config.from_settings({name: st.session_state[widget]}, share.config()))
    except ConfigError:
        logging.getLogger(__name__).warning("The setting %s was given an invalid value.", name)


def number_field(name: str, *, key: str, label: str = "", step: int = 1, width: int = 130) -> None:
    """A whole number of the configuration; what is typed is in force at once.

    Args:
        name: the setting's key.
        key: of the widget.
        label: in the place of the setting's title, with its unit.
        step: of its buttons.
        width: in pixels.
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
