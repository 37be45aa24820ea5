"""The texts that a language model is asked with: in sight, to be changed, and to be put back as they were shipped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import streamlit as st

from chunking.config import Config
from chunking.config.settings import Setting
from components.kit.wording import plain

if TYPE_CHECKING:
    from chunking.enrichment import Prompt

__all__ = ["prompt_fault", "prompt_field", "prompt_setting", "prompt_text", "shown_prompt"]

_END = "_prompt"
_PART = "enrich"
_HEIGHT = 340  # pixels
_MOST = 4_000


def prompt_setting(setting: Setting) -> bool:
    """It is the text of a prompt."""
    return setting.part == _PART and setting.name.endswith(_END)


def shown_prompt(setting: Setting, own: str) -> str:
    """The text in force: the setting's, else the shipped one."""
    return own if own.strip() else _shipped(setting).user


def prompt_text(setting: Setting, text: str) -> str:
    """The setting's value for a text in the field: nothing where that is the shipped one, which then may get better
    with a new version.
    """
    return "" if text.strip() == _shipped(setting).user.strip() else text


def prompt_fault(config: Config, changed: Mapping[str, str]) -> None:
    """Look for placeholders that a prompt needs, or that stand for nothing.

    Args:
        changed: keys of the settings that are shown; where there is no prompt among them, nothing is looked at.
    Raises:
        ConfigError: a prompt cannot be filled; `where` is its key.
    """
    if any(key.startswith(f"{_PART}.") and key.endswith(_END) for key in changed):
        from chunking.enrichment import check_prompts

        check_prompts(config.enrich)


def prompt_field(setting: Setting, name: str) -> None:
    """A button that says whether the text is the shipped one; behind it the text with its placeholders, and the way
    back.
    """
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
