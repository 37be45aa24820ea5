"""The configuration and the view in the address, so that a link restores both in another session.

Settings stand in the address under their command-line names, only where they differ from the defaults:
`?doc=handbook&size=300&search.k=10`. What a page shows (document, chunk, query, index) stands beside them.
"""

from __future__ import annotations

import streamlit as st

from chunking.config import Config, settings
from chunking.errors import ConfigError
from components.words import plain

__all__ = ["config", "keep_config", "keep_view", "read_address", "view", "write_address"]

VIEW_KEYS = ("doc", "chunk", "index", "q", "where")
"""What a link restores besides settings: document id, chunk number, index name, query, filters."""

_CONFIG = "share.config"
_VIEW = "share.view"


def config() -> Config:
    """The configuration of this session."""
    kept: Config = st.session_state.get(_CONFIG) or Config()
    return kept


def keep_config(new: Config) -> None:
    """Make `new` the configuration of this session."""
    st.session_state[_CONFIG] = new


def view(key: str) -> str | None:
    """What the session looks at: one of VIEW_KEYS, or None."""
    kept: dict[str, str] = st.session_state.get(_VIEW, {})
    return kept.get(key)


def keep_view(**changes: str | int | None) -> None:
    """Remember what is looked at; None forgets."""
    kept = dict(st.session_state.get(_VIEW, {}))
    for key, value in changes.items():
        if value is None:
            kept.pop(key, None)
        else:
            kept[key] = str(value)
    st.session_state[_VIEW] = kept


def read_address() -> None:
    """At the start of a session, take over what the link says; a setting it has wrong keeps its default, and the page says so."""
    if _CONFIG in st.session_state:
        return
    given = dict(st.query_params)
    known = {setting.key for setting in settings()}
    keep_view(**{key: value for key, value in given.items() if key in VIEW_KEYS})
    keep_config(_from_link({key: value for key, value in given.items() if key in known}))


def _from_link(given: dict[str, str]) -> Config:
    """All settings at once, since some depend on others; where that fails, those that can be used one by one."""
    try:
        return Config.from_settings(given)
    except ConfigError:
        kept = Config()
    for key, value in given.items():
        try:
            kept = Config.from_settings({key: value}, kept)
        except ConfigError as error:
            st.warning(plain(f"The link has a setting that cannot be used. {error}"))
    return kept


def write_address() -> None:
    """Put the configuration and the view into the address."""
    wanted = {key: value for key in VIEW_KEYS if (value := view(key)) is not None} | config().changed()
    if dict(st.query_params) != wanted:
        st.query_params.from_dict(wanted)
