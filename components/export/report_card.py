"""Report card: choice of runs, headline, preview and download."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from chunking.config import margin_setting
from chunking.display import bytes_text
from chunking.evaluation import COST, METRICS, EvaluationRun, Measure, QuestionPart, QuestionSet
from chunking.export import Material, find_export, matching_part
from chunking.export.report import contents
from chunking.export.report.report_page import contents_html
from components.export.export_cards import card
from components.kit.button import button
from components.kit.wording import plain, quantity
from components.session.document_caches import clear_when_unused
from components.tune.sweep.sweep_results import current_view

__all__ = ["open_report", "report_card"]

_WHOLE, _PICKED = "All questions", "Selected runs"
_PARTS = {QuestionPart.TUNE: "Dev split", QuestionPart.HOLDOUT: "Held-out split"}
_HEIGHT = 760
_BUDGET = 1_000
"""Tokens at which configurations are compared."""
_MADE, _OPEN, _PREVIEW = "export.report.made", "export.report.open", "export.report.preview"


def open_report() -> None:
    """Have the next `report_card` create the report at once and show it."""
    st.session_state[_OPEN] = st.session_state[_PREVIEW] = True


def report_card(material: Material, runs: list[EvaluationRun]) -> None:
    """Draw the card that chooses runs and creates one HTML report of them.

    Args:
        runs: runs to choose from, newest first.
    """
    good_for = (
        "For decision makers: the result, one question in full, and how it was measured, in one HTML file. It opens "
        "without a server or a network."
    )
    with card("report", "Report", "lab_profile", good_for):
        create = st.empty()
        with (
            st.expander("Which runs, and how they are compared", key="export.report.details"),
            st.container(horizontal=True, vertical_alignment="bottom", gap="medium"),
        ):
            chosen = _chosen(material.required_questions, runs)
            measure, metric, margin = _measure(runs[0].n), _metric(), _margin()
        if not chosen:
            st.caption("Choose at least one run.")
            return
        of = tuple(run for run in material.runs if run.key in chosen)
        report = replace(
            material,
            runs=of,
            questions=matching_part(material.required_questions, of),
            measure=measure,
            metric=metric,
            margin=margin,
        )
        key = (
            tuple((run.key, run.made_at) for run in of),
            report.required_questions.name,
            report.required_questions.fingerprint,
            report.workspace.uri,
            report.workspace.version(),
            measure,
            metric,
            margin,
        )
        is_open = st.session_state.pop(_OPEN, False)
        if st.session_state.get(_MADE) != key:
            if not is_open and not button(
                "Create the report",
                place=create,
                type="primary",
                icon=":material/lab_profile:",
                key="export.report.make",
            ):
                return
            create.empty()
            st.session_state[_MADE] = key
        _draw_report(report, key)


def _chosen(questions: QuestionSet, runs: list[EvaluationRun]) -> set[str]:
    """Draw the choice of runs and return their keys; by default those on the newest run's questions."""
    words = {questions.of(part).fingerprint: word for part, word in _PARTS.items()} | {questions.fingerprint: _WHOLE}
    groups: dict[str, list[EvaluationRun]] = {}
    for run in runs:
        groups.setdefault(words.get(run.questions, _WHOLE), []).append(run)
    options = [*groups, *([_PICKED] if len(runs) > 1 else [])]
    which = options[0]
    if len(options) > 1:
        which = (
            st.segmented_control("Runs", options, default=options[0], required=True, key="export.runs.which")
            or options[0]
        )
    if which in groups:
        st.caption(quantity(len(groups[which]), "run"), width="content")
        return {run.key for run in groups[which]}
    labels = {run.key: f"{run.label}, {run.made_at[:16].replace('T', ' ')}" for run in runs}
    return set(
        st.multiselect(
            "Which", list(labels), default=list(labels)[:2], format_func=lambda key: labels[key], key="export.runs"
        )
    )


def _measure(n: int) -> Measure:
    ways = {Measure(n).label: Measure(n), Measure.at_budget(_BUDGET).label: Measure.at_budget(_BUDGET)}
    chosen = st.segmented_control(
        "Evaluated", list(ways), default=next(iter(ways)), required=True, key="export.measure"
    )
    return ways[chosen or next(iter(ways))]


def _metric() -> str:
    """Draw the choice of the metric to rank by; at first that of Tune."""
    rows = {row.name: row for row in METRICS if row.name != COST}
    return st.selectbox(
        "Ranked by",
        list(rows),
        index=list(rows).index(current_view().metric.name),
        format_func=lambda name: rows[name].label,
        key="export.metric",
        width=170,
    )


def _margin() -> float:
    """Draw the margin: points by which the recommended configuration may be worse; at first that of Tune."""
    row = margin_setting()
    return st.number_input(
        f"{row.title} ({row.unit})",
        min_value=row.minimum,
        max_value=row.maximum,
        value=current_view().margin,
        step=0.5,
        format="%.1f",
        key="export.margin",
        width=130,
        help=row.help,
    )


def _draw_report(material: Material, key: tuple[object, ...]) -> None:
    """Draw headline, download and preview of the report."""
    row = find_export("report")
    headline, under, page = _page(key, material)
    st.markdown(f"**{plain(headline)}**")
    st.caption(plain(under))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.download_button(
            f"Download {row.file}",
            page,
            row.file,
            row.mime,
            on_click="ignore",
            icon=":material/download:",
            type="primary",
            key="export.download.report",
        )
        st.caption(bytes_text(len(page)), width="content")
        preview = st.toggle("Preview", key=_PREVIEW)
    if preview:
        st.iframe(page.decode(), height=_HEIGHT, alt="Preview of the report")


@clear_when_unused
@st.cache_data(show_spinner="Writing the report …", max_entries=4, hash_funcs={Material: lambda one: ""})
def _page(key: tuple[object, ...], material: Material) -> tuple[str, str, bytes]:
    content = contents(material)
    return content.headline, content.subline, contents_html(content).encode()
