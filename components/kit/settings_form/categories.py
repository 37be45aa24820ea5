"""Settings that differ for a kind of document, as lines of text: a category, a setting and its value on each."""

from __future__ import annotations

import streamlit as st

from chunking.config import Config
from chunking.errors import ConfigError
from components.kit.wording import plain

__all__ = ["CATEGORIES", "categories_field", "lines_of", "settings_of"]

CATEGORIES = "categories"
"""Key of the lines among the form's values and errors."""
_MOST = 20_000
_SHOWN = 200
_HELP = (
    "One setting per line: the category of documents (api, doc, demo, faq or your own), a dot, the setting's name as "
    "on the command line, and its value. Documents of that category are split that way, all others as set above."
)


def lines_of(config: Config) -> str:
    """The settings of categories as the field shows them.

    >>> lines_of(Config.from_settings({"category.api.size": "400"}))
    'api.size=400'
    """
    return "\n".join(f"{category}.{name}={value}" for category, changes in config.categories for name, value in changes)


def settings_of(lines: str) -> dict[str, str]:
    """What the lines say, under the keys of the command line.

    Raises:
        ConfigError: a line is of another form; `where` is `CATEGORIES`.
    """
    found: dict[str, str] = {}
    for line in filter(None, map(str.strip, lines.splitlines())):
        key, equals, value = line.partition("=")
        category, dot, name = key.strip().rpartition(".")
        if not (equals and dot and category and name):
            raise ConfigError(
                f"'{line[:80]}' is not of the form category.setting=value; write for example api.size=400.",
                where=CATEGORIES,
            )
        found[f"category.{category.strip()}.{name.strip()}"] = value.strip()
    return found


def categories_field(config: Config, lines: str, *, name: str) -> None:
    """An expander with the lines, and the names of the categories that differ.

    Args:
        name: session key of the field.
    """
    more = st.expander("Settings by category", key=f"{name}.more", on_change="rerun")
    if more.open:
        with more:
            st.session_state.setdefault(name, lines)
            st.text_area(
                "Settings by category",
                key=name,
                placeholder="api.size=400\nfaq.prefix=none",
                help=_HELP,
                max_chars=_MOST,
            )
    if config.categories:
        st.caption(
            f"With settings of their own: {plain(', '.join((category for category, _ in config.categories))[:_SHOWN])}."
        )
