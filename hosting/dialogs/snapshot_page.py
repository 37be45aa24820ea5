"""What the visitor of a snapshot sees besides its pages: which one it is, and results where nothing else is shown."""

from __future__ import annotations

import streamlit as st

from components.kit.clock import said
from components.kit.wording import plain
from components.session.page.page_frame import sentences
from hosting.people.identity import hosted, snapshot
from hosting.snapshots.frozen_content import Report, Shows
from hosting.snapshots.snapshots import Snapshot

__all__ = ["snapshot_line", "snapshot_results"]

_RESULTS = "evaluate"
"""Address of the page that shows them."""
_HEIGHT = 900


def snapshot_line() -> bool:
    """Draw which snapshot the pages show, of when, and that it is read-only. False if they show none."""
    one = snapshot()
    if one is None:
        return False
    with st.container(key="snapshot-line"):
        st.markdown(f":material/photo_camera: Snapshot of **{plain(one.name)}**, {_date(one)}, read-only")
    return True


def snapshot_results(page: str) -> bool:
    """Draw results alone in the place of a page, where a snapshot shows nothing else; whether it did.

    Args:
        page: its address.
    """
    one = snapshot()
    if one is None or one.shows is not Shows.REPORT:
        return False
    with sentences():
        if page == _RESULTS:
            _results(hosted().snapshots.reports(one))
        else:
            st.info(
                "This snapshot shows results only: its documents, chunks, questions and searches are not part of it."
            )
            st.page_link("pages/evaluate.py", label="Go to the results", icon=":material/arrow_forward:")
    return True


def _results(reports: list[Report]) -> None:
    titles = {place: one.title for place, one in enumerate(reports)}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        st.title("Results", anchor=False, width="content")
        place = 0
        if len(reports) > 1:
            place = st.selectbox(
                "Question set", list(titles), format_func=titles.__getitem__, key="snapshot.report", width=320
            )
        page = reports[place].file.read_bytes()
        st.download_button(
            "Download report.html",
            page,
            "report.html",
            "text/html",
            key="snapshot.download",
            icon=":material/download:",
            on_click="ignore",
        )
    st.iframe(page.decode(), height=_HEIGHT, alt="The report")


def _date(one: Snapshot) -> str:
    return said(one.created).split(",")[0]
