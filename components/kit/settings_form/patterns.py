"""Settings that are regular expressions: a pattern a line, in force while it is typed, and ready-made sets to begin
with.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from chunking.config.pattern_sets import PATTERN_SETS, PatternSet
from chunking.config.pattern_settings import one_a_line
from chunking.config.settings import Setting
from chunking.config.value_labels import value_label
from components.kit.browser import component

__all__ = ["PATTERNS", "live_patterns", "pattern_setting", "read_live_patterns"]

PATTERNS = ("headings_from", "split_before")
"""Keys of the settings."""
_PLACEHOLDERS = {"headings_from": "2: ^Article \\d+\n3: ^Section \\d+\\.\\d+", "split_before": "^\\d{4}-\\d{2}-\\d{2}"}
_LONGEST = 8_000
_draw = component("patterns")


def pattern_setting(setting: Setting) -> bool:
    """It holds patterns."""
    return setting.key in PATTERNS


def live_patterns(setting: Setting, text: str, error: str, *, key: str, turn: int) -> None:
    """Draw the field with its ready-made sets. A new turn makes the browser take `text` over; else it keeps what its
    user types.
    """

    def remember(said: Any) -> None:
        if isinstance(said, dict):
            st.session_state[f"{key}.value"] = (str(said.get("text"))[:_LONGEST], said.get("turn"))

    taken = (turn, st.session_state.get(f"{key}.set", 0))
    facts = {
        "label": setting.title,
        "help": setting.help,
        "text": text,
        "error": error,
        "placeholder": _PLACEHOLDERS[setting.key],
    }
    _draw(key=key, data={**facts, "turn": f"{taken[0]}.{taken[1]}"}, on={"value": remember})
    rows = [row for row in PATTERN_SETS.values() if getattr(row, setting.key)]
    with st.popover("Ready-made sets", type="tertiary", key=f"{key}.sets"):
        for row in rows:
            taking = (row, setting.key, key, turn)
            st.button(
                row.label, key=f"{key}.{row.name}", type="tertiary", help=_about(row), on_click=_take, args=taking
            )


def read_live_patterns(key: str, turn: int) -> str | None:
    """What the user has typed or taken since `turn`, a pattern a line; None before that."""
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
