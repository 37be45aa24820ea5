"""Settings typed as text: patterns, prompts, and settings by category."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from chunking.config import Config
from chunking.config.config import value_label
from chunking.config.pattern_settings import PATTERN_SETS, PatternSet, one_a_line
from chunking.config.settings import Setting
from chunking.errors import ConfigError
from components.kit.browser import component
from components.kit.wording import plain

if TYPE_CHECKING:
    from chunking.enrichment import Prompt

__all__ = [
    "CATEGORIES",
    "PATTERNS",
    "categories_field",
    "check_form_prompts",
    "draw_live_patterns",
    "is_pattern_setting",
    "is_prompt_setting",
    "lines_of",
    "prompt_field",
    "prompt_text",
    "read_live_patterns",
    "settings_of",
    "shown_prompt",
]

PATTERNS = ("headings_from", "split_before")
"""Keys of the settings that hold patterns."""
_PLACEHOLDERS = {"headings_from": "2: ^Article \\d+\n3: ^Section \\d+\\.\\d+", "split_before": "^\\d{4}-\\d{2}-\\d{2}"}
_LONGEST = 8_000
_draw = component("patterns")

_END = "_prompt"
_PART = "enrich"
_HEIGHT = 340  # pixels
_MOST = 4_000

CATEGORIES = "categories"
"""Key of the lines among the form's values and errors."""
_MOST_LINES = 20_000
_SHOWN = 200
_HELP = (
    "One setting per line: the category of documents (api, doc, demo, faq or your own), a dot, the setting's "
    "name as on the command line, and its value. Documents of that category are split that way, all others as "
    "set above."
)


def is_pattern_setting(setting: Setting) -> bool:
    """True if a setting holds regular expressions, one a line in its field."""
    return setting.key in PATTERNS


def draw_live_patterns(setting: Setting, text: str, error: str, *, key: str, turn: int) -> None:
    """Draw a field of patterns with ready-made sets; `read_live_patterns` returns its text.

    A new turn makes the browser take over `text`; otherwise it keeps what its user types.
    """

    def remember(value: Any) -> None:
        if isinstance(value, dict):
            st.session_state[f"{key}.value"] = (str(value.get("text"))[:_LONGEST], value.get("turn"))

    facts = {
        "label": setting.title,
        "help": setting.help,
        "text": text,
        "error": error,
        "placeholder": _PLACEHOLDERS[setting.key],
    }
    _draw(key=key, data={**facts, "turn": f"{turn}.{st.session_state.get(f'{key}.set', 0)}"}, on={"value": remember})
    rows = [row for row in PATTERN_SETS.values() if getattr(row, setting.key)]
    with st.popover("Ready-made sets", type="tertiary", key=f"{key}.sets"):
        for row in rows:
            taking = (row, setting.key, key, turn)
            st.button(
                row.label, key=f"{key}.{row.name}", type="tertiary", help=_about(row), on_click=_take, args=taking
            )


def read_live_patterns(key: str, turn: int) -> str | None:
    """Return the patterns typed or chosen since `turn`, one a line; None before that."""
    text, of = st.session_state.get(f"{key}.value", (None, None))
    return text if str(of).partition(".")[0] == str(turn) else None


def _about(row: PatternSet) -> str:
    with_it = (
        f" The prefix becomes “{value_label('prefix', row.prefix)}”, which found more answers in them."
        if row.prefix
        else ""
    )
    return f"Ready-made patterns for {row.good_for}. They replace those above, where you can edit them.{with_it}"


def _take(row: PatternSet, setting: str, key: str, turn: int) -> None:
    number = st.session_state[f"{key}.set"] = st.session_state.get(f"{key}.set", 0) + 1
    st.session_state[f"{key}.value"] = (one_a_line("\n".join(getattr(row, setting))), f"{turn}.{number}")
    if row.prefix:
        st.session_state[f"{key.removesuffix(setting)}{turn}.prefix"] = str(
            row.prefix
        )  # its widget is in the same form


def is_prompt_setting(setting: Setting) -> bool:
    """True if a setting is the text of a prompt."""
    return setting.part == _PART and setting.name.endswith(_END)


def shown_prompt(setting: Setting, own: str) -> str:
    """Return the prompt in use: the user's, or the built-in one."""
    return own if own.strip() else _shipped(setting).user


def prompt_text(setting: Setting, text: str) -> str:
    """Return the value to store for a prompt's text: empty for the built-in one.

    The built-in prompt can then improve with a new version.
    """
    return "" if text.strip() == _shipped(setting).user.strip() else text


def check_form_prompts(config: Config, changed: Mapping[str, str]) -> None:
    """Check the placeholders of all prompts, if the form shows one.

    Args:
        changed: the form's settings by key; without a prompt among them, nothing is checked.
    Raises:
        ConfigError: a prompt lacks a placeholder or has an unknown one; `where` is its key.
    """
    if any(key.startswith(f"{_PART}.") and key.endswith(_END) for key in changed):
        from chunking.enrichment import check_prompts

        check_prompts(config.enrich)


def prompt_field(setting: Setting, name: str) -> None:
    """Draw a popover with the prompt's text, its placeholders and a reset button."""
    shipped = _shipped(setting)
    changed = st.session_state[name].strip() != shipped.user.strip()

    def back() -> None:
        st.session_state[name] = shipped.user

    with st.popover(f"{setting.title}: {'changed' if changed else 'built-in'}", width="stretch", key=f"{name}.open"):
        st.text_area(
            setting.title,
            key=name,
            height=_HEIGHT,
            max_chars=_MOST,
            help="Answers are cached until this prompt changes.",
        )
        st.button("Restore the built-in prompt", key=f"{name}.back", on_click=back, disabled=not changed)
        meanings = [
            f"`{{{placeholder}}}` {plain(meaning)}{' (needed)' if placeholder == shipped.needed else ''}"
            for placeholder, meaning in shipped.placeholders.items()
        ]
        st.caption(f"Filled in: {', '.join(meanings)}.")
        st.caption(f"System prompt, always sent first: {plain(shipped.system)}")


def _shipped(setting: Setting) -> Prompt:
    from chunking.enrichment import PROMPTS

    return PROMPTS[setting.name.removesuffix(_END)]


def lines_of(config: Config) -> str:
    """Return the settings of categories as lines of the field.

    >>> lines_of(Config.from_settings({"category.api.size": "400"}))
    'api.size=400'
    """
    return "\n".join(f"{category}.{name}={value}" for category, changes in config.categories for name, value in changes)


def settings_of(lines: str) -> dict[str, str]:
    """Parse the lines into settings by command-line key; blank lines are skipped.

    Raises:
        ConfigError: a line has another form; `where` is `CATEGORIES`.
    """
    settings: dict[str, str] = {}
    for line in filter(None, map(str.strip, lines.splitlines())):
        key, equals, value = line.partition("=")
        category, dot, name = key.strip().rpartition(".")
        if not (equals and dot and category and name):
            raise ConfigError(
                f"'{line[:80]}' is not of the form category.setting=value; write for example api.size=400.",
                where=CATEGORIES,
            )
        settings[f"category.{category.strip()}.{name.strip()}"] = value.strip()
    return settings


def categories_field(config: Config, lines: str, *, name: str) -> None:
    """Draw an expander to edit settings by category, and the categories that have some.

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
                max_chars=_MOST_LINES,
            )
    if config.categories:
        st.caption(
            f"With settings of their own: {plain(', '.join((category for category, _ in config.categories))[:_SHOWN])}."
        )
