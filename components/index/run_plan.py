"""Plan of an index run: new, reused and removed vectors in numbers and bars, and expected time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chunking.allowed import allowed
from chunking.config import MULTILINGUAL_MODEL, Config, SearchConfig, remote_name
from chunking.embedding.language_check import can_read
from chunking.embedding.packaged.e5_model import E5_SIZE, e5_is_available, install_command
from chunking.errors import ConfigError, EndpointError, ModelError, QuotaError
from chunking.indexing import Plan, PlanEstimate
from chunking.indexing.run.failures import merged_failures
from chunking.indexing.run.run_records import rounded
from chunking.model import PARENT
from chunking.store import Workspace
from chunking.viewing.colours import COLOURS
from components.index.built_levels import fallback_row, levels_line
from components.kit.button import button
from components.kit.notes import notes_box
from components.kit.run_cost import draw_needs
from components.kit.wording import duration, plain, quantity
from components.session import measured_documents, share
from components.session.document_caches import clear_when_unused
from components.session.endpoint_status import server_name
from components.session.jobs import jobs
from components.session.workspace import workspace

__all__ = [
    "BarPart",
    "draw_bars",
    "draw_failures",
    "draw_plan",
    "expected_time",
    "is_up_to_date",
    "offer_multilingual_model",
    "plan_bar",
    "plan_of",
    "vectors_line",
]

_HOW = (
    "Vector search compares vectors: each chunk has one, as does each larger chunk and each summary. Parents "
    "have none: they are returned instead of the chunks that were found. New and reused vectors add up to "
    "the new index; of rows with the same text, one is new and the others are reused. Removed vectors are "
    "those of the current index whose text will be gone."
)
_GAIN = (
    "With vector search it finds 99 % of the answers in Chinese; all-MiniLM-L6-v2 finds 33 %. Embedding takes about "
    "twice as long."
)
_GAIN_HOW = "Recall at 5 results, vectors only, on the report half of XQuAD in Chinese (99 questions)."
_CHANGES = (
    f"Changes the setting Model, and nothing else: all new vectors are computed when you build. The first use unpacks "
    f"{E5_SIZE / 1e6:.0f} MB, once."
)
_ESTIMATED = (
    "Splitting all documents at each change of a setting would take too long. Short and long documents are sampled "
    "apart, always the same ones. The interval contains the exact number of chunks with 95 % confidence. Texts that "
    "different documents share are embedded once, so there may be fewer new vectors."
)
_STRIPES = "background-image:repeating-linear-gradient(45deg,rgba(255,255,255,.35) 0 3px,transparent 3px 6px)"


class BarPart(NamedTuple):
    """A segment of a bar."""

    number: int
    role: str
    """Colour role."""
    words: str
    striped: bool = False
    """True for removed vectors, so that colour is not the only sign."""


def vectors_line(plan: Plan) -> str:
    """Return the vectors of the next index by origin and level, and those removed, as Markdown."""
    about, rough, number = "about " if plan.about else "", "about " if plan.estimate else "", plan.rounded
    own = {level: number(rows) for level, rows in plan.levels.items() if level != PARENT}
    levels = f" ({levels_line(own)})" if len(own) > 1 else ""
    line = f"{rough.capitalize()}**{quantity(number(plan.vectors), 'vector')}**{levels} = "
    line += f"{about}**{number(plan.new):,} new** + {about}**{number(plan.reused):,} reused**."
    if plan.removed:
        vectors = quantity(plan.held, "vector")
        line += f" The current index has {vectors}, of which {rough}**{number(plan.removed):,}** will be **removed**."
    if plan.levels.get(PARENT):
        line += f" {rough.capitalize()}{quantity(number(plan.levels[PARENT]), 'parent')} without a vector."
    if plan.config.enrich.raptor:
        line += " The summary tree comes on top; its size is unknown in advance."
    return line


def plan_bar(plan: Plan) -> None:
    """Draw the vectors of the plan as a line and bars; contains no user text."""
    st.markdown(vectors_line(plan), help=_HOW)
    if not (plan.vectors or plan.held):
        return
    number = plan.rounded
    next_one = (
        BarPart(number(plan.reused), "section", "reused: no model needed"),
        BarPart(number(plan.new), "chunk_a", "new: to be embedded"),
    )
    present = (
        BarPart(number(plan.held - plan.removed), "section", "kept: also in the next index"),
        BarPart(number(plan.removed), "warning", "removed", striped=True),
    )
    rows = [("Next index", next_one), *([("Present index", present)] if plan.removed else [])]
    draw_bars(rows)


def draw_bars(rows: Sequence[tuple[str, tuple[BarPart, ...]]]) -> None:
    """Draw named bars of parts on one scale, each with its legend; contains no user text."""
    scale = max(1, *(sum(part.number for part in parts) for _, parts in rows))
    dark = st.context.theme.type == "dark"
    st.html("".join(_row(name, [part for part in parts if part.number], scale, dark=dark) for name, parts in rows))


def _row(name: str, parts: list[BarPart], scale: int, *, dark: bool) -> str:
    """Return a bar with its name and legend as HTML."""
    said = f"{name}: {', '.join(f'{part.number:,} {part.words}' for part in parts) or 'nothing'}"
    bar = "".join(f'<span style="flex:{part.number} 0 4px;{_dress(part, dark=dark)}"></span>' for part in parts)
    legend = " ".join(
        f'<span style="margin-right:1.2em;white-space:nowrap"><i '
        f'style="display:inline-block;width:.8em;height:.8em;border-radius:2px;'
        f'margin-right:.4em;{_dress(part, dark=dark)}"></i>{part.number:,} {part.words}</span>'
        for part in parts
    )
    width = 100 * sum(part.number for part in parts) / scale
    return (
        f'<div role="img" aria-label="{said}" style="display:grid;grid-template-columns:6.5em 1fr;align-items:center;'
        f'gap:.1em .6em;margin-bottom:.35em;font-size:.85em"><span>{name}</span>'
        f"<div "
        f'style="display:flex;gap:2px;height:14px;width:{width:.2f}%;border-radius:7px;overflow:hidden">{bar}</div>'
        f'<span></span><div style="opacity:.85">{legend}</div></div>'
    )


def _dress(part: BarPart, *, dark: bool) -> str:
    return f"background-color:{COLOURS[part.role].on(dark=dark)};{_STRIPES if part.striped else ''}"


@clear_when_unused
@st.cache_data(show_spinner="Counting new chunks …", max_entries=16)
def _planned(address: str, version: str, run: int, config: Config, name: str, servers: tuple[str, str]) -> Plan:
    """Return the plan; cached until documents, indexes, settings or servers change, or a run ends."""
    return measured_documents.plan_of(workspace(), config, name)


def plan_of(target: Workspace, name: str, below_model: DeltaGenerator) -> Plan | None:
    """Return the plan of a run with the current settings; None, with the error drawn, on failure.

    Args:
        name: index to build.
        below_model: place under the model's field, for an error of the model.
    """
    job = jobs().of(target.uri)
    config = share.config().model_copy(update={"search": SearchConfig()})
    servers = server_name("llm"), server_name("embedding")
    try:
        return _planned(target.uri, target.version(), job.number if job else 0, config, name, servers)
    except ModelError as error:
        below_model.caption(f":red[{plain(str(error))}]")
        st.error(f"{plain(str(error))} Choose another one in the **Model** field.", icon=":material/error:")
    except (ConfigError, EndpointError, QuotaError) as error:
        st.error(plain(str(error)), icon=":material/error:")
    return None


def draw_plan(plan: Plan, known_note: str = "") -> None:
    """Draw a run's plan: new, reused and removed vectors, model requests, levels, warnings, errors.

    Args:
        known_note: language note that the index's card already shows.
    """
    facts = (
        ("Documents", plan.documents, "Documents of the workspace that the index will cover."),
        ("Chunks", plan.chunks, "Chunks the index will hold, at the size that is set."),
        (
            "Vectors",
            plan.vectors,
            "Vectors the index will hold: of its chunks, of chunks at larger granularities and of summaries.",
        ),
        (
            "New",
            plan.new,
            "Vectors to compute: their text is not in the embedding cache yet. These take time.",
        ),
        (
            "Reused",
            plan.reused,
            "Vectors that need no model: their text is in the embedding cache, or in the index twice.",
        ),
        (
            "Removed",
            plan.removed,
            "Vectors of the current index that the next one will not have, because their text is gone.",
        ),
    )
    with st.container(horizontal=True, gap="medium", key="index.plan"):
        for label, number, how in facts:
            rough = plan.estimate is not None and label != "Documents"
            about = "≈ " if rough or (plan.about and label in ("New", "Reused")) else ""
            st.metric(
                label,
                f"{about}{(plan.rounded(number) if rough else number):,}",
                help=how,
                width=150 if plan.estimate else 110,
            )
    if plan.estimate is not None:
        _draw_estimate(plan.estimate)
    plan_bar(plan)
    draw_needs(plan)
    fallback_row(plan.asked)
    notes_box((warning for warning in plan.warnings if warning != known_note), key="index.notes")
    draw_failures((failure.source, failure.error) for failure in merged_failures(plan.failed))


def _draw_estimate(estimate: PlanEstimate) -> None:
    """Draw how many documents the plan's numbers were estimated from, and the interval of the chunks."""
    least, most = rounded(estimate.least_chunks), rounded(estimate.most_chunks)
    chunks = f"{least:,} to {most:,} chunks" if least < most else f"about {most:,} chunks"
    st.caption(
        f":material/query_stats: Estimated from {estimate.sampled:,} of {quantity(estimate.documents, 'document')}: "
        f"{chunks}. The run counts exactly.",
        help=_ESTIMATED,
    )


def offer_multilingual_model(plan: Plan) -> None:
    """Draw a button for the multilingual model if the present one cannot read the documents.

    Draws the command that installs it where it is missing. Only the setting of the model changes.
    """
    model = plan.config.embedding.model
    if model == MULTILINGUAL_MODEL or remote_name(model) is not None or all(map(can_read, plan.unread.values())):
        return
    is_here = e5_is_available()
    if not (is_here or allowed().everything):
        return  # the operator decides what is installed
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="index.multilingual"):
        with st.container(gap="xsmall"):
            st.markdown(f":material/translate: **{MULTILINGUAL_MODEL}** reads a hundred languages")
            how = "" if is_here else f" Install it with `{install_command()}`."
            st.caption(f"{_GAIN}{how}", help=_GAIN_HOW)
        if is_here and button("Use this model", key="index.multilingual.use", help=_CHANGES, width="content"):
            config = share.config()
            embedding = config.embedding.model_copy(update={"model": MULTILINGUAL_MODEL})
            share.keep_config(config.model_copy(update={"embedding": embedding}))
            st.rerun()


def draw_failures(failed: Iterable[tuple[str, str]]) -> None:
    """Draw the documents that cannot be indexed, with their errors; nothing if there are none."""
    lines = [plain(f"{source}: {error}") for source, error in failed]
    if lines:
        st.error("\n\n".join(lines), icon=":material/error:")


def is_up_to_date(plan: Plan) -> bool:
    """True if a run would change nothing."""
    return _keeps_all_rows(plan) and not plan.other_vector_index


def _keeps_all_rows(plan: Plan) -> bool:
    return plan.chunks > 0 and plan.unchanged == plan.documents and not (plan.rebuild or plan.removed)


def expected_time(plan: Plan) -> str:
    """Return the expected duration as a sentence, or that little or nothing is to be done."""
    if not _keeps_all_rows(plan):
        return f"Expected to take {duration(plan.seconds_expected)}"
    return "All chunks stay: only the vector index is built again" if plan.other_vector_index else "Up to date"
