"""Snapshots in the pages: a visitor's header and results, and the owners' tab.

The address of a snapshot is shown once, to the owner who makes it.
"""

from __future__ import annotations

import streamlit as st

from chunking.deployment import Person
from chunking.deployment.person import LONGEST_NAME
from chunking.errors import ChunkscopeError
from components.kit.button import button
from components.kit.clock import moment_text
from components.kit.wording import plain, quantity
from components.session.current_workspace import Current
from components.session.page.page_frame import sentences
from components.workspaces import public_address
from hosting.people.identity import hosted, snapshot
from hosting.snapshots import Report, Shows, Snapshot

__all__ = ["snapshot_line", "snapshot_results", "snapshots_tab"]

_RESULTS = "evaluate"
"""Address of the page with the results."""
_HEIGHT = 900

_MADE = "share.snapshots.made"
"""Session key: addresses made in this session, by snapshot id; the directory has only hashes."""
_LABELS = {Shows.DOCUMENTS: "Documents and results", Shows.REPORT: "Results only"}
_HELP = {
    Shows.DOCUMENTS: "Texts, chunks, search, questions, runs and exports, as they are now.",
    Shows.REPORT: "The report of each question set, without text of documents, questions and answers.",
}


def snapshot_line() -> bool:
    """Draw a header with name and date of the snapshot. False if the session reads none."""
    one = snapshot()
    if one is None:
        return False
    with st.container(key="snapshot-line"):
        st.markdown(f":material/photo_camera: Snapshot of **{plain(one.name)}**, {_date(one)}, read-only")
    return True


def snapshot_results(page: str) -> bool:
    """Draw a results-only snapshot's reports on the results page, and a link to them on others.

    False, and nothing drawn, for other snapshots and sessions.

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
    return moment_text(one.created).split(",")[0]


def snapshots_tab(now: Current, person: Person) -> None:
    """Draw the form for a new snapshot, and the workspace's open ones."""
    here = hosted()
    readers = (
        "Anyone with its address"
        if here.settings.sharing.open_snapshots
        else "Anyone who signs in here and has its address"
    )
    st.caption(
        f"A snapshot is this workspace as it is now. {readers} can read it; nobody can change it. The search "
        f"history is not included."
    )
    _make(now, person)
    for one in here.snapshots.of(now.id, person.id):
        _row(one, person)


def _make(now: Current, person: Person) -> None:
    here = hosted()
    with st.form("share.snapshot", border=False):
        name, shows, make = st.columns([4, 4, 3], vertical_alignment="bottom")
        called = name.text_input("Name", value=now.name[:LONGEST_NAME], max_chars=LONGEST_NAME, help="Visitors see it.")
        explanation = " ".join(f"{_LABELS[one]}: {_HELP[one]}" for one in Shows)
        chosen = shows.selectbox(
            "Contents", [Shows.DOCUMENTS, Shows.REPORT], format_func=lambda one: _LABELS[one], help=explanation
        )
        if not make.form_submit_button("Create a snapshot", type="primary", width="stretch"):
            return
    try:
        here.quotas.check_disk(person.id)
        with st.spinner("Making the snapshot …"):
            token = here.snapshots.make(now.id, called, chosen, person.id)
    except ChunkscopeError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    snapshot = here.snapshots.find(token)
    address = here.snapshots.address(snapshot, token, public_address())
    st.session_state[_MADE] = {**st.session_state.get(_MADE, {}), snapshot.id: address}


def _row(one: Snapshot, person: Person) -> None:
    here = hosted()
    visits = f"{quantity(one.visits, 'visit')}, the last {moment_text(one.visited)}" if one.visited else "no visits yet"
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(f"**{plain(one.name)}**  \n{_LABELS[one.shows]} · made {moment_text(one.created)} · {visits}")
        if button("Revoke", key=f"share.snapshot.{one.id}", icon=":material/link_off:", type="tertiary"):
            here.snapshots.revoke(one.id, person.id)
            st.rerun(scope="fragment")
    address = st.session_state.get(_MADE, {}).get(one.id)
    if address:
        st.caption("Copy its address now: it is not shown again.")
        st.code(address, language=None, wrap_lines=True)
