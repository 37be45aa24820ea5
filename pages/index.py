"""Index: what a run would do, the run itself, and the indexes there are."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from chunking import indexing
from chunking.config import Config
from chunking.indexing import Plan
from chunking.store import Workspace
from components import share
from components.frame import show
from components.jobs import Job, jobs
from components.plan_bar import plan_bar
from components.settings_form import settings_form
from components.words import count, duration, plain
from components.workspace import workspace

POLL = 0.5
"""Seconds between two looks at a running job."""


def settings_line(config: Config) -> None:
    """What is about to be indexed, in words, with the way to change it beside it."""
    chunk = config.chunk
    words = [f"strategy **{chunk.strategy}**", f"size **{chunk.size} {chunk.unit}**", f"overlap **{chunk.overlap}**"]
    words += [f"prefix **{chunk.prefix.replace('_', ' ')}**", f"model **{plain(config.embedding.model)}**"]
    line, link, more = st.columns([5, 1.4, 1.4], vertical_alignment="center")
    line.markdown(" · ".join(words), help="The configuration that the Chunks page shows; the address holds it.")
    link.page_link("pages/chunks.py", label="Change on Chunks")
    with more.popover("Model, words …", width="stretch"):
        share.keep_config(settings_form(config, ("embedding", "index"), key="index.settings"))


@st.cache_data(show_spinner="Counting what is new …", max_entries=8)
def planned(address: str, version: str, config: Config, name: str) -> Plan:
    """The plan of a run; made again only when the workspace or the settings have changed."""
    return indexing.make_plan(Workspace.open(address), config, name=name)


def show_plan(plan: Plan) -> None:
    """New, reused and removed chunks as a picture and as numbers."""
    cells = st.columns(5)
    facts = (
        ("Documents", plan.documents, "Documents of the workspace that the index will cover."),
        ("Chunks", plan.chunks, "Chunks the index will hold."),
        ("New", plan.new, "Chunks whose text no run has embedded yet: these cost time."),
        ("Reused", plan.reused, "Chunks whose vector is taken from an earlier run, since the text and model are the same."),
        ("Removed", plan.removed, "Chunks that are in the index now and will not be."),
    )
    for cell, (label, number, help_) in zip(cells, facts, strict=True):
        cell.metric(label, f"{number:,}", help=help_)
    plan_bar(plan)
    for warning in plan.warnings:
        st.warning(plain(warning), icon=":material/warning:")


def run_box(target: Workspace) -> None:
    """Plan and button; or, while a run is under way, its progress."""
    job = jobs().of(target.uri)
    if job and job.active:
        watch(target.uri)
        return
    if job:
        outcome(job)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        name = st.text_input("Name of the index", share.view("index") or "main", max_chars=60, key="index.name", width=260)
        plan = planned(target.uri, target.version(), share.config(), name)
        if st.button("Build the index", type="primary", disabled=not plan.chunks, key="index.build"):
            jobs().start(target.uri, share.config(), name)
            share.keep_view(index=name)
            st.rerun()
        st.caption(
            f"Expected to take {duration(plan.seconds_expected)}",
            width="content",
            help="For the new chunks, from the speed of earlier runs on this machine.",
        )
    show_plan(plan)


@st.fragment(run_every=POLL)
def watch(address: str) -> None:
    """Progress of the run, looked at twice a second."""
    job = jobs().of(address)
    if job is None or not job.active:
        st.rerun()
    st.progress(job.share, text=plain(job.message))
    if st.button("Cancel", key="index.cancel", help="What is committed stays; the next run goes on from there."):
        job.cancel()
        st.caption("Stopping after this batch …")


def outcome(job: Job) -> None:
    """How the last run ended, until the next."""
    if job.error:
        st.error(plain(job.error), icon=":material/error:")
    elif job.cancelled:
        st.info("Cancelled. What was finished before is in the index; build again to go on from there.")
    elif job.report:
        report = job.report
        done = f"{count(report['chunks'], 'chunk')} of {count(report['documents'], 'document')} in {duration(report['seconds'])}"
        st.success(
            f"Done: {done}; {report['embedded']:,} embedded, {report['reused']:,} reused, {report['removed']:,} removed.",
            icon=":material/check_circle:",
        )
        st.page_link("pages/search.py", label="Search it")
        for failure in report["failed"]:
            st.error(plain(f"{failure['source']}: {failure['error']}"), icon=":material/error:")


def listing(target: Workspace) -> None:
    """The indexes of the workspace, newest first, each with its state."""
    rows = target.indexes()
    if not rows:
        return
    st.subheader("Indexes", anchor=False)
    states = {row.name: indexing.staleness(target, row) for row in rows}
    table = pd.DataFrame(
        {
            "Name": [row.name for row in rows],
            "State": [states[row.name] or "up to date" for row in rows],
            "Settings": [", ".join(f"{key} {value}" for key, value in row.config.changed().items()) or "defaults" for row in rows],
            "Documents": [row.documents for row in rows],
            "Chunks": [row.chunks for row in rows],
            "Built": pd.to_datetime([row.updated for row in rows], utc=True),
            "Fingerprint": [row.fingerprint[:12] for row in rows],
        }
    )
    columns = {
        "Built": st.column_config.DatetimeColumn(format="D MMM YYYY, HH:mm"),
        "Fingerprint": st.column_config.TextColumn(help="Over configuration, code and documents: equal where the chunks are equal."),
        "State": st.column_config.TextColumn(help="Out of date where a document or the code has changed since.", width="large"),
    }
    event = st.dataframe(table, hide_index=True, column_config=columns, on_select="rerun", selection_mode="single-row", key="index.table")
    picked = event.selection.rows
    if picked and picked[0] < len(rows):
        manage(target, rows[picked[0]].name, rows[picked[0]].config)


def manage(target: Workspace, name: str, config: Config) -> None:
    """What can be done with one index."""
    with st.container(horizontal=True):
        if st.button(f"Use the settings of “{plain(name)}”", key="index.use"):
            share.keep_config(config)
            share.keep_view(index=name)
            st.rerun()
        if st.button(f"Delete “{plain(name)}”", key="index.delete"):
            with target.writer():
                target.drop_index(name)
            share.keep_view(index=None)
            st.rerun()


def page() -> None:
    """The page from top to bottom."""
    st.header("Index", anchor=False)
    target = workspace()
    if not target.documents():
        st.info("There is nothing to index yet. Add a document, or load the samples, on the Documents page.")
        st.page_link("pages/documents.py", label="Go to Documents")
        return
    settings_line(share.config())
    run_box(target)
    listing(target)


show(page)
