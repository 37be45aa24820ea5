"""Hypothesis generators of texts as the views get them: made safe, in every width."""

from __future__ import annotations

from hypothesis import strategies as st

from chunking.cli.terminal.terminal_text import safe_text

__all__ = ["LINES", "TEXTS"]

_LETTERS = st.sampled_from(
    [*"ab \n-", "分", "块", "안", "ﾊ", "Ａ", "é", "e\u0301", "👍🏽", "👩‍👩‍👧", "\u200b", "ก็", "ᄒ", "ᅡ"]
)
TEXTS = st.one_of(st.lists(_LETTERS, max_size=60).map("".join), st.text(max_size=60)).map(safe_text)
LINES = TEXTS.map(lambda text: text.replace("\n", " "))
"""Without line ends."""
