"""Words for the contents of an index: levels, generated texts and fallback level."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import streamlit as st

from chunking.indexing.run.fallback_levels import LEVEL_DESCRIPTIONS
from chunking.model import CHUNK, CLUSTER, DOCUMENT, PARENT, SECTION
from chunking.store.index.build_record import BuildReport, FallbackLevel
from chunking.viewing.colours import COLOURS

__all__ = ["FALLBACK_HELP", "fallback_row", "generated_texts_line", "level_word", "levels_line", "reasons"]

FALLBACK_HELP = (
    "If the language model fails, or a time or memory limit is reached, the run continues at a lower fallback "
    "level instead of stopping. An index has one level throughout. Generated texts and embeddings are cached: "
    "the next run starts at the top level again."
)
_LEVELS = {PARENT: "parent", SECTION: "section summary", DOCUMENT: "document summary", CLUSTER: "cluster summary"}
_WRITERS = {"llm": "the language model", "rules": "rule", "rule": "rule"}


def level_word(level: str, number: int = 2) -> str:
    """Return the noun of a level's rows.

    >>> level_word("parent"), level_word("x4"), level_word("section", 1)
    ('parents', 'chunks at ×4', 'section summary')
    """
    if level.startswith("x"):
        return f"{'chunk' if number == 1 else 'chunks'} at ×{level[1:]}"
    return _plural(_LEVELS.get(level, level), number)


def _plural(word: str, number: int) -> str:
    return word if number == 1 else f"{word.removesuffix('y')}ies" if word.endswith("y") else f"{word}s"


def levels_line(levels: Mapping[str, int]) -> str:
    """Return the number of rows per level, chunks first.

    >>> levels_line({"document": 1, "chunk": 1200, "x2": 610})
    '1,200 chunks · 610 chunks at ×2 · 1 document summary'
    """
    order = [CHUNK, *sorted(level for level in levels if level.startswith("x")), *_LEVELS]
    shown = sorted(
        (level for level in levels if levels[level]),
        key=lambda level: (order.index(level) if level in order else 99, level),
    )
    return " · ".join(f"{levels[level]:,} {level_word(level, levels[level])}" for level in shown)


def generated_texts_line(built: BuildReport) -> str:
    """Return the number of generated texts by kind and writer.

    >>> generated_texts_line(BuildReport(written={"context by llm": 40, "summary by rules": 1}, writer_model="small"))
    '40 contexts by the language model small, 1 summary by rule'
    """
    parts = []
    for what, number in sorted(built.written.items()):
        kind, _, writer = what.partition(" by ")
        by = _WRITERS.get(writer, writer)
        by += f" {built.writer_model}" if writer == "llm" and built.writer_model else ""
        parts.append(f"{number:,} {_plural(kind, number)} by {by}")
    return ", ".join(parts)


def reasons(ran: FallbackLevel, sentences: Sequence[str]) -> list[str]:
    """Rewrite sentences about a fallback level so that they name its place, such as `2 of 4`.

    Also rewrites sentences stored by earlier versions.

    >>> reasons(FallbackLevel.CONTEXTUAL, ["Built on the rung contextual instead of full (…): no answer."])
    ['Built at fallback level 2 of 4, contextual, instead of full (…): no answer.']
    """
    place = f"Built at fallback level {ran.place + 1} of {len(FallbackLevel)}, {ran},"
    return [
        re.sub(f"Built (at the fallback level|on the rung) {ran}", place, sentence, count=1) for sentence in sentences
    ]


def fallback_row(requested: FallbackLevel, ran: FallbackLevel | None = None, *, key: str = "fallback.plan") -> None:
    """Draw the four fallback levels, with the requested and the built one marked.

    Contains no user text, as it is drawn as HTML.

    Args:
        ran: the built level; None before the run.
        key: unique key on the page.
    """
    dark = st.context.theme.type == "dark"
    steps = "".join(_step(fallback, requested, ran, dark=dark) for fallback in FallbackLevel)
    said = f"Fallback levels: requested {requested}" + (f", built on {ran}" if ran else "")
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=key):
        st.caption("Fallback levels", help=FALLBACK_HELP, width="content")
        st.html(
            f'<div role="img" aria-label="{said}" style="display:flex;flex-wrap:wrap;gap:5px">{steps}</div>',
            width="content",
        )


def _step(fallback: FallbackLevel, requested: FallbackLevel, ran: FallbackLevel | None, *, dark: bool) -> str:
    """Return a fallback level as HTML: filled if built, framed if requested, otherwise dotted."""
    here = fallback is (ran or requested)
    line = COLOURS["chunk_a" if ran in (None, requested) else "warning"].on(dark=dark)
    quiet = COLOURS["section"].on(dark=dark)
    word = " · built" if ran and here else " · requested" if fallback is requested else ""
    dress = (
        f"border:1px {'solid' if here or fallback is requested else 'dotted'} "
        f"{line if here else quiet};opacity:{1 if word else 0.75};"
    )
    dress += f"background:color-mix(in srgb, {line} 18%, transparent);font-weight:600;" if here else ""
    return (
        f'<span title="Fallback level {fallback.place + 1}: {LEVEL_DESCRIPTIONS[fallback]}" '
        f'style="{dress}border-radius:999px;padding:1px 10px;font-size:12.5px;white-space:nowrap">'
        f"{fallback.place + 1} {fallback.capitalize()}{word}</span>"
    )
