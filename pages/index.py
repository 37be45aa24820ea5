"""Index: what a run would do, the run itself, and the indexes there are."""

from __future__ import annotations

import unicodedata
from typing import Literal

import streamlit as st

from chunking import indexing
from chunking.config import Config, SearchConfig
from chunking.errors import ModelError
from chunking.indexing import Plan
from chunking.indexing.planning import DEFAULT_NAME
from chunking.store import IndexRow, Workspace
from components import share
from components.clock import said
from components.frame import arrival, sentences, show
from components.jobs import Job, jobs
from components.plan_bar import plan_bar
from components.settings_form import settings_form
from components.words import count, duration, plain
from components.workspace import workspace, writing

POLL = 0.5  # seconds between two looks at a running job

_NAME, _MINE, _TOLD = "index.name", "index.mine", "index.told"


# -- what would be built


def settings_line() -> None:
    """What is about to be indexed, in words, with the way to change it beside it."""
    with st.container(horizontal=True, vertical_alignment="center", key="index.line"):
        line = st.container()
        st.page_link("pages/chunks.py", label="Change on Chunks", icon=":material/tune:", width="content")
        with st.popover("Model and full text", width="content"):
            share.keep_config(settings_form(share.config(), ("embedding", "index"), key="index.settings"))
    line.markdown(" · ".join(_words(share.config())), help="The configuration that the Chunks page shows; the address holds it.")


def _words(config: Config) -> list[str]:
    chunk = config.chunk
    overlap = chunk.overlap if chunk.overlap.endswith("%") else f"{chunk.overlap} {chunk.unit}"
    words = [f"strategy **{chunk.strategy}**", f"size **{chunk.size:,} {chunk.unit}**", f"overlap **{overlap}**"]
    return [*words, f"prefix **{chunk.prefix.replace('_', ' ')}**", f"model **{plain(config.embedding.model)}**"]


def name_field() -> str | None:
    """The name of the index to build; None, and why, where it cannot be one."""
    st.session_state.setdefault(_NAME, share.view("index") or DEFAULT_NAME)
    given: str = st.text_input(
        "Name of the index",
        key=_NAME,
        max_chars=60,
        width=260,
        help="An index of this name is brought up to date. Another name makes another index, to search beside it.",
    )
    name = " ".join(given.split())
    fault = "Give the index a name." if not name else ""
    if any(unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn") for letter in name):
        fault = "The name has characters that cannot be seen; type it again without them."
    if fault:
        st.caption(f":red[{fault}]")
    return None if fault else name


@st.cache_data(show_spinner="Counting what is new …", max_entries=16)
def planned(address: str, version: str, run: int, config: Config, name: str) -> Plan:
    """The plan of a run; made again when documents, indexes or settings have changed, or a run has left embeddings behind."""
    return indexing.make_plan(workspace(), config, name=name)


def plan_of(target: Workspace, name: str) -> Plan | None:
    """What a run would do now; None, and why, where the model is not at hand."""
    job = jobs().of(target.uri)
    config = share.config().model_copy(update={"search": SearchConfig()})
    try:
        return planned(target.uri, target.version(), job.number if job else 0, config, name)
    except ModelError as error:
        st.error(f"{plain(str(error))} Choose the model under **Model and full text**.", icon=":material/error:")
        return None


def show_plan(plan: Plan) -> None:
    """New, reused and removed chunks as a picture and as numbers."""
    facts = (
        ("Documents", plan.documents, "Documents of the workspace that the index will cover."),
        ("Chunks", plan.chunks, "Chunks the index will hold."),
        ("New", plan.new, "Chunks whose text no run has embedded yet: these cost time."),
        ("Reused", plan.reused, "Chunks whose vector is taken from an earlier run, since the text and model are the same."),
        ("Removed", plan.removed, "Chunks that are in the index now and will not be."),
    )
    with st.container(horizontal=True, gap="large", key="index.plan"):
        for label, number, how in facts:
            st.metric(label, f"{number:,}", help=how, width=120)
    plan_bar(plan)
    for warning in plan.warnings:
        st.warning(plain(warning), icon=":material/warning:")
    for failure in plan.failed:
        st.error(plain(f"{failure.source}: {failure.error}"), icon=":material/error:")


# -- the run


def run_box(target: Workspace) -> None:
    """Plan and button; or, while a run is under way, its progress."""
    job = jobs().of(target.uri)
    if job and job.active:
        st.session_state[_MINE] = job.number
        st.session_state.pop(_TOLD, None)
        watch(target.uri)
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        with st.container(width=260):
            name = name_field()
        build = st.empty()
        expected = st.empty()
    if job:
        report(job, name)
    plan = plan_of(target, name) if name else None
    if build.button("Build the index", type="primary", disabled=not plan or not plan.chunks, key="index.build") and name:
        start(target, name)
    if plan:
        expected.caption(
            _expected(plan),
            width="content",
            help="For the new chunks, from the speed of earlier runs in this workspace, else a cautious guess.",
        )
        show_plan(plan)


def _expected(plan: Plan) -> str:
    done = plan.chunks and plan.unchanged == plan.documents and not (plan.rebuild or plan.removed)
    return "Up to date: nothing to do" if done else f"Expected to take {duration(plan.seconds_expected)}"


def start(target: Workspace, name: str) -> None:
    """Start the run; from then on the page shows its progress."""
    with sentences():
        jobs().start(target.uri, share.config(), name)
        share.keep_view(index=name)
        st.rerun()


@st.fragment(run_every=POLL)
def watch(address: str) -> None:
    """Progress of the run, looked at twice a second."""
    job = jobs().of(address)
    if job is None or not job.active:
        st.rerun()
    st.progress(job.share, text=job.line)
    st.button(
        "Cancel",
        key="index.cancel",
        on_click=job.cancel,
        disabled=job.stopping,
        help="What is finished is kept; the next run goes on from there.",
    )


def report(job: Job, name: str | None) -> None:
    """How the last run ended: told to who started or watched it, until they leave the page or change what would be built."""
    if st.session_state.get(_MINE) != job.number:
        return
    now = (arrival(), name, share.config().fingerprint())
    if st.session_state.setdefault(_TOLD, now) == now:
        outcome(job)


def outcome(job: Job) -> None:
    """How a run ended."""
    if job.error:
        st.error(plain(job.error), icon=":material/error:")
    elif job.cancelled:
        st.info("Cancelled. What was finished is kept: build again to go on from there.", icon=":material/cancel:")
    elif job.report:
        done = job.report
        what = f"{count(done['chunks'], 'chunk')} of {count(done['documents'], 'document')} in {duration(done['seconds'])}"
        st.success(
            f"Done: {what}; {done['embedded']:,} embedded, {done['reused']:,} reused, {done['removed']:,} removed.",
            icon=":material/check_circle:",
        )
        for failure in done["failed"]:
            st.error(plain(f"{failure['source']}: {failure['error']}"), icon=":material/error:")
        st.page_link("pages/search.py", label="Search it", icon=":material/search:")


# -- the indexes there are


def listing(target: Workspace) -> None:
    """The indexes of the workspace, newest first, each with its state and what can be done with it."""
    rows = target.indexes()
    if rows:
        st.subheader("Indexes", anchor=False)
    for row in rows:
        with st.container(border=True, key=f"index.card.{row.table}"):
            card(target, row)


def card(target: Workspace, row: IndexRow) -> None:
    """One index."""
    stale = indexing.staleness(target, row)
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"**{plain(row.name)}**", width="content")
            label, colour = _state(row, stale)
            st.badge(label, color=colour)
        if st.button("Use its settings", key=f"index.use.{row.table}", help="Make them the settings of all pages."):
            use(row)
        if st.button("Delete", key=f"index.delete.{row.table}", help="Its embeddings are kept: built again, it costs little time."):
            delete(target, row.name)
    if stale:
        st.caption(f"⚠ {plain(stale)}")
    own = row.config.model_copy(update={"search": SearchConfig()}).changed()
    chosen = ", ".join(f"{key} {value or 'empty'}" for key, value in own.items())
    st.caption(
        f"{count(row.chunks, 'chunk')} of {count(row.documents, 'document')} · {plain(chosen) or 'default settings'} "
        f"· built {said(row.updated)} · fingerprint `{row.fingerprint or 'none yet'}`",
        help="Only settings that differ from the defaults are named. The fingerprint is made of settings, code and documents: it is equal "
        "where the chunks are equal.",
    )


def _state(row: IndexRow, stale: str) -> tuple[str, Literal["green", "orange"]]:
    if not stale:
        return "up to date", "green"
    return ("not finished" if row.state == "incomplete" else "out of date"), "orange"


def use(row: IndexRow) -> None:
    """Cut and search with what an index was built with; how to search stays as it is."""
    share.keep_config(row.config.model_copy(update={"search": share.config().search}))
    share.keep_view(index=row.name)
    st.session_state.pop(_NAME, None)
    st.rerun()


def delete(target: Workspace, name: str) -> None:
    """Drop an index, and show the page anew."""
    with sentences():
        with writing(target):
            target.drop_index(name)
        if share.view("index") == name:
            share.keep_view(index=None)
        st.rerun()


def page() -> None:
    """The page from top to bottom."""
    st.header("Index", anchor=False)
    target = workspace()
    if target.documents():
        settings_line()
        run_box(target)
    else:
        st.info("There is nothing to index yet. Add a document, or load the samples, on the Documents page.")
        st.page_link("pages/documents.py", label="Go to Documents")
    listing(target)


show(page)
