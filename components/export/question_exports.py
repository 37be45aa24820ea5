"""Questions with what each run found."""

from __future__ import annotations

import streamlit as st

from chunking.export import EXPORTS, Material
from components.export.export_card import card, download
from components.kit.wording import plain, quantity

__all__ = ["question_export_cards"]


def question_export_cards(material: Material) -> None:
    """The card; the questions alone where nothing was measured."""
    rows = {row.format: row for row in EXPORTS if row.thing == "Questions"}
    good_for = (
        "For another tool, a manual review, or the next run: gold answers with their spans, and the results of "
        "each run."
    )
    with card("questions", "Questions with results", "quiz", good_for):
        chosen = st.segmented_control(
            "Format", list(rows), default=next(iter(rows)), required=True, key="export.format.Questions"
        )
        with_runs = f", {quantity(len(material.runs), 'run')}" if material.runs else "; there is no run on them yet"
        st.markdown(f"{quantity(len(material.asked), 'question')} of {plain(material.asked.name)}{with_runs}.")
        download(material, rows[chosen or next(iter(rows))])
