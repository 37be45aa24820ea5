"""Results of the current settings in a document: sizes, overlap, warnings, pattern matches."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from chunking.config import ChunkConfig, Config
from chunking.glossary import term
from chunking.splitting import Achieved, Boundaries, Patterned
from components.kit.charts import CHART_CONFIG, size_histogram
from components.kit.viewer import TextMark, ViewMarks
from components.kit.wording import plain, quantity
from components.session.measured_documents import StoredSplit

__all__ = ["achieved_facts", "index_fact", "pattern_counts", "pattern_marks", "size_chart"]

MOST_MARKED = 3_000
"""Most matches marked in the text; all are counted."""


def achieved_facts(boundaries: Boundaries, config: ChunkConfig) -> None:
    """Draw a document's chunk count, median size and overlap, and warnings such as split tables."""
    achieved, unit = boundaries.achieved, config.unit.value
    facts = (
        (
            "Chunks",
            f"{achieved.chunks:,}",
            f"{term('Chunk').line} These are the chunks of this document with the current settings.",
        ),
        (
            f"Median ({unit})",
            f"{achieved.size_median:,.1f}".removesuffix(".0"),
            f"The median size of a chunk, prefix included. Requested: at most {config.size:,} {unit}. "
            f"From {achieved.size_min:,} to {achieved.size_max:,}.",
        ),
        (
            f"Overlap ({unit})",
            f"{achieved.overlap_mean:,.0f}"
            + (f" of {achieved.overlap_requested:,}" if achieved.overlap_requested else ""),
            (
                f"What neighbouring chunks share: {achieved.overlap_mean:,.0f} on average, {achieved.overlap_max:,} at "
                f"most. Requested: at most {achieved.overlap_requested:,}. An overlap starts at a sentence where "
                f"possible, and never crosses a heading that splits. Its cost: {achieved.overlap_share:.0%} of the "
                "text is in two chunks."
            ),
        ),
    )
    with st.container(gap=None, key="chunks-facts"):
        with st.container(horizontal=True, gap="small", key="chunks-figures"):
            for label, value, how in facts:
                st.metric(label, value, help=how, width="content")
        _problems(achieved, config)


def _problems(achieved: Achieved, config: ChunkConfig) -> None:
    """Draw the warnings in one line, each explained in its tooltip."""
    rows = (
        (achieved.fences_cut, "code block split", "code blocks split", "Code blocks that are not whole in any chunk."),
        (
            achieved.tables_cut,
            ("table split"),
            "tables split",
            "Tables that are not whole in any chunk; later parts repeat the header row as prefix.",
        ),
        (
            achieved.qa_cut,
            "question split from its answer",
            "questions split from their answers",
            "Pairs that are not whole in any chunk.",
        ),
        (
            achieved.over_size,
            "chunk over the size",
            "chunks over the size",
            "There is nowhere to split them, or a pin keeps them together.",
        ),
        (
            achieved.description_over_size,
            "chunk embedded over the size",
            "chunks embedded over the size",
            (
                "Their prefix and content fit the size. Table descriptions and placeholders, which are embedded with "
                f"them, make the text longer: up to {achieved.embedded_max:,} {config.unit.value}. The model still "
                "reads all of it."
            ),
        ),
        (
            achieved.description_shortened,
            "table description shortened",
            "table descriptions shortened",
            (
                "The model's limit left no room for the whole table description in these chunks: rows without a "
                "sentence are embedded as they are written."
            ),
        ),
        (
            achieved.over_model_limit,
            "chunk over the model's limit",
            "chunks over the model's limit",
            "Truncated: the model reads only their beginning; full-text search still sees all of them.",
        ),
        (
            achieved.small,
            "small chunk",
            "small chunks",
            f"Their content is under the minimum size of {config.min_amount:,} {config.unit.value}.",
        ),
    )
    shown = [(number, one if number == 1 else many, why) for number, one, many, why in rows if number]
    if shown:
        st.caption(
            f"⚠ {' · '.join(f'{number:,} {noun}' for number, noun, _ in shown)}",
            help="  \n".join(f"**{noun.capitalize()}**: {why}" for _, noun, why in shown),
        )
    else:
        st.caption(
            "✓ No warnings",
            help=(
                "Code blocks, tables and question-answer pairs are whole, and no chunk is over a limit or "
                "smaller than the minimum."
            ),
        )


def index_fact(indexes: Sequence[StoredSplit], config: Config) -> None:
    """Draw whether an index holds exactly the shown chunks (law 5), and if not, why."""
    same = next((one for one in indexes if one.same(config)), None)
    if same:
        st.caption(
            f"✓ In the index “{plain(same.index.name)}”",
            help=(
                f"It holds exactly the chunks shown here: settings, code and document are the same. Fingerprint "
                f"`{same.fingerprint}`."
            ),
        )
    elif indexes:
        why = "settings" if indexes[0].current else "document, settings or code"
        st.caption(
            "○ In no index yet",
            help=f"“{plain(indexes[0].index.name)}” was built with a different {why}. Build it again on the Index "
            f"page to search these "
            "chunks.",
        )
    else:
        st.caption("○ In no index yet", help="Build one on the Index page to search these chunks.")


def size_chart(boundaries: Boundaries, config: ChunkConfig) -> None:
    """Draw the histogram of chunk sizes, and the number that table descriptions make too large."""
    dark = st.context.theme.type == "dark"
    figure = size_histogram(boundaries.sizes, config.size, config.unit.value, dark=dark, height=190)
    figure.update_yaxes(range=[0, 1.25 * max(figure.data[0].y)])  # room for the words at the line
    st.plotly_chart(figure, theme=None, config=CHART_CONFIG, key="chunks.sizes", alt="Number of chunks of each size")
    number, longest = boundaries.achieved.description_over_size, boundaries.achieved.embedded_max
    if number:
        sentence = (
            f"{quantity(number, 'chunk is', 'chunks are')} embedded over the size, with up to {longest:,} "
            f"{config.unit.value}"
        )
        st.caption(f"Without table descriptions and placeholders; {sentence} with them.")


def pattern_marks(patterns: Patterned | None) -> ViewMarks | None:
    """Return the first `MOST_MARKED` pattern matches as marks; None without patterns or matches."""
    if patterns is None:
        return None
    spans = [(head.start, head.end) for head in patterns.headings.heads] if patterns.headings else []
    spans += [span for matches in patterns.splits for span in matches]
    return ViewMarks(highlights=[TextMark(*span) for span in sorted(set(spans))[:MOST_MARKED]]) if spans else None


def pattern_counts(patterns: Patterned | None, key: str) -> None:
    """Draw the number of matches or the error of each pattern under its field; else nothing.

    Args:
        patterns: pattern matches in the shown document.
        key: key of the setting above; only `headings_from` and `split_before` hold patterns.
    """
    if patterns is None:
        return
    if key == "headings_from" and patterns.headings is not None:
        _show_counts(patterns.headings.counts, patterns.headings.elsewhere, patterns.headings.faults, "heading")
    elif key == "split_before" and patterns.splits:
        _show_counts(
            [len(one) for one in patterns.splits],
            [0] * len(patterns.splits),
            [one.fault for one in patterns.splits],
            "match",
        )


def _show_counts(counts: Sequence[int], elsewhere: Sequence[int], faults: Sequence[str], noun: str) -> None:
    rows = enumerate(zip(counts, elsewhere, faults, strict=True), 1)
    lines = [
        f"Pattern {number}: {plain(fault or _counted(count, noun, other))}" for number, (count, other, fault) in rows
    ]
    st.caption("  \n".join(lines), help="Matches in this document; they are underlined in the text.")


def _counted(number: int, noun: str, other: int) -> str:
    if not number + other:
        return "no match here"
    words = (
        "1 match"
        if noun == "match" and number == 1
        else f"{number:,} matches"
        if noun == "match"
        else quantity(number, noun)
    )
    return (
        words
        if not other
        else f"{words}; {other:,} more inside a line, in code, in a table or contents list, or already matched"
    )
