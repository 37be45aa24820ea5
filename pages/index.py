"""Index page: plan of a run, the run itself, and the existing indexes."""

from __future__ import annotations

import unicodedata

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chunking.config import remote_name
from chunking.glossary import term
from chunking.indexing import Plan
from chunking.indexing.planning.index_plan import DEFAULT_NAME
from chunking.indexing.run.fallback_levels import uses_endpoint
from chunking.store import Workspace
from chunking.store.candidate_indexes import candidate_of, is_live, live_name
from chunking.store.index.build_record import FallbackLevel
from components.index.built_levels import reasons
from components.index.candidate.candidate_review import draw_review, open_review, reviewed_index
from components.index.index_cards import INDEX_NAME, index_cards, language_note
from components.index.run_elsewhere import run_elsewhere, show_outcome_elsewhere, watch_for_runs, watch_run
from components.index.run_plan import (
    draw_failures,
    draw_plan,
    expected_time,
    is_up_to_date,
    offer_multilingual_model,
    plan_of,
)
from components.kit.button import button
from components.kit.notes import no_documents, notes_box
from components.kit.run_cost import settings_summary
from components.kit.settings_form import settings_form
from components.kit.wording import duration, plain, quantity
from components.session import share
from components.session.current_workspace import editing
from components.session.endpoint_status import endpoint_status
from components.session.host import deployment, host
from components.session.jobs import PHASES, ServerJob, jobs
from components.session.jobs.job_line import POLL, job_line, job_notes, should_show_outcome, watch_outcome
from components.session.page.page_entry import show
from components.session.page.page_frame import fragment, sentences
from components.session.workspace import workspace

_PAGE, _PLAN = "index", "index.plan"
_ASIDE = (
    "Builds a second index with these settings. Searches go on in the present one until you have reviewed what changes "
    "and promoted the candidate."
)


# -- the plan


def settings_line() -> None:
    """Draw the settings to index with, and a link to change the split."""
    with st.container(horizontal=True, vertical_alignment="center", key="index.line"):
        st.markdown(
            " · ".join(settings_summary(share.config())),
            help="All pages use these settings, and the link contains them.",
        )
        st.page_link("pages/chunks.py", label="Change on Chunks", icon=":material/tune:", width="content")


def settings_column() -> DeltaGenerator:
    """Draw and store the settings of the index; return the place under the model's field."""
    fields, below_model, groups = st.container(), st.empty(), st.container(gap="xsmall")
    with fields:
        config = settings_form(share.config(), ("embedding", "enrich", "index"), key="index.settings", groups=groups)
    share.keep_config(config)
    with groups:
        endpoint_status("llm", needed=uses_endpoint(config))
        if remote_name(config.embedding.model):
            endpoint_status("embedding", needed=True)
    return below_model


def name_field(*, disabled: bool) -> str | None:
    """Draw the field for the index's name and return it; None, with the error drawn, if invalid."""
    st.session_state.setdefault(INDEX_NAME, share.view("index") or DEFAULT_NAME)
    typed: str = st.text_input(
        "Name of the index",
        key=INDEX_NAME,
        disabled=disabled,
        max_chars=60,
        width=260,
        help=("An existing index of this name is updated. A new name makes a second index."),
    )
    name = " ".join(typed.split())
    fault = "Give the index a name." if not name else ""
    if any(unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn") for letter in name):
        fault = "The name contains invisible characters; type it again without them."
    if fault:
        st.caption(f":red[{fault}]")
    return None if fault else name


# -- the run


def run_box(target: Workspace, below_model: DeltaGenerator, *, elsewhere: bool) -> None:
    """Draw name, start button and plan of a run, or its progress; and the last run's result.

    Args:
        elsewhere: another process does a run, which stands in the same place.
    """
    job = jobs().of(target.uri)
    running = job is not None and job.active
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        with st.container(width=260):
            name = name_field(disabled=running or elsewhere)
        if job and running:
            watch_outcome(job, _PAGE)
            watch(target.uri)
        elif elsewhere:
            with st.container():
                watch_run(target)
        else:
            with st.container(horizontal=True, vertical_alignment="center", gap="medium", width="content"):
                build, aside, expected, search = st.empty(), st.empty(), st.empty(), st.empty()
    if job and running:
        number, plan = st.session_state.get(_PLAN, (0, None))
        if number == job.number:
            draw_plan(plan, _card_note(target, plan.name))
        return
    if elsewhere:
        return
    show_outcome_elsewhere(target)
    if job:
        report(job, name)
    plan = plan_of(target, name, below_model) if name else None
    done = plan is not None and is_up_to_date(plan)
    looks = editing(disabled=not plan or not plan.chunks) | {"type": "secondary" if done else "primary"}
    if button("Build the index", place=build, key="index.build", **looks) and plan:
        start(target, plan)
    if plan and not done and _is_live_index(target, plan.name):
        looks = editing(disabled=not plan.chunks, help=_ASIDE)
        if button("Build as candidate", place=aside, key="index.candidate", **looks):
            candidate_plan = plan_of(target, candidate_of(plan.name), below_model)
            if candidate_plan:
                start(target, candidate_plan)
    if plan:
        if done and button("Search it", place=search, type="primary", icon=":material/search:", key="index.search"):
            st.switch_page("pages/search.py")
        expected.caption(
            expected_time(plan),
            width="content",
            help=(
                "Estimated for the new chunks from the speed of earlier runs in this workspace; without one, a "
                "cautious guess."
            ),
        )
        if done and plan.needs is None and not plan.warnings and not plan.failed:
            details = st.expander("What a run would do", key="index.details", on_change="rerun")
            if details.open:
                with details:
                    draw_plan(plan)
        else:
            draw_plan(plan, _card_note(target, plan.name))
        offer_multilingual_model(plan)


def _is_live_index(target: Workspace, name: str) -> bool:
    """True if a live index of this name is complete, so that a candidate can be built beside it."""
    return is_live(name) and any(row.name == name and row.state == "complete" for row in target.indexes())


def _card_note(target: Workspace, name: str) -> str:
    """Return the language note on the card of the index to build."""
    return next((language_note(row) for row in target.indexes() if row.name == name), "")


def start(target: Workspace, plan: Plan) -> None:
    """Check quotas, start the run, keep its plan for the progress view, and rerun the page.

    An error is drawn.
    """
    with sentences():
        quotas, person = deployment().quotas, host().user()
        quotas.check_chunks(plan.least_chunks)
        if plan.needs is not None:
            quotas.check_llm(person.id if person else "", plan.needs.requests, plan.needs.cost or 0.0)
        job = jobs().start(target.uri, share.config(), plan.name, plan)
        st.session_state[_PLAN] = (job.number, plan)
        watch_outcome(job, _PAGE)  # now: a run that ends at once would be over before the page looks
        share.keep_view(index=live_name(plan.name))
        st.rerun()


@fragment(run_every=POLL)
def watch(address: str) -> None:
    """Draw the progress of the run as a fragment, and rerun the page at its end."""
    job = jobs().of(address)
    if job is None or not job.active:
        st.rerun()
    job_line(job, _PAGE, "Finished work is saved; the next run continues from there.")
    if job.running:
        phases(job)
    notes_box(job.falls, key="index.falls", title="Continuing at a lower fallback level")


def phases(job: ServerJob) -> None:
    """Draw the phases of a run in a line, with the current one marked."""
    shown = [f"**▶ {PHASES[phase]}**" if phase is job.phase else PHASES[phase] for phase in job.phases]
    st.caption(
        "  ·  ".join(shown),
        help="Documents are split and embedded one by one, small ones together; the other steps run once.",
    )


def report(job: ServerJob, name: str | None) -> None:
    """Draw the last run's result if this session watches it, until name or settings change."""
    shown = job.name if live_name(job.name) == name else name
    if should_show_outcome(job, _PAGE, shown, share.config().fingerprint()):
        outcome(job)


def outcome(job: ServerJob) -> None:
    """Draw whether a run failed, was cancelled or is done, with its numbers."""
    job_notes(job)
    if job.error:
        st.error(plain(job.error), icon=":material/error:")
    elif job.cancelled:
        st.info("Cancelled. Finished work is saved: build again to continue.", icon=":material/cancel:")
    elif job.report:
        done = job.report
        what = f"{quantity(done['chunks'], 'chunk')} of {quantity(done['documents'], 'document')} "
        what += f"in {duration(done['seconds'])}"
        with st.container(horizontal=True, vertical_alignment="center"):
            st.success(
                (
                    f"Done: {what}. {quantity(done['vectors'], 'vector')} = {done['embedded']:,} embedded + "
                    f"{done['reused']:,} reused; {done['removed']:,} of the previous index removed."
                ),
                icon=":material/check_circle:",
            )
            if is_live(job.name):
                st.page_link("pages/search.py", label="Search it", icon=":material/search:", width="content")
            elif button("Review it", key="index.review", type="primary", icon=":material/difference:"):
                open_review(live_name(job.name))
        _fallback_warning(job)
        draw_failures((failure["source"], failure["error"]) for failure in done["failed"])


def _fallback_warning(job: ServerJob) -> None:
    """Draw the fallback level and its reasons, if the run used one."""
    done = job.report or {}
    sentences = reasons(FallbackLevel(done["fallback_level"]), done["reasons"])
    if sentences:
        again = (
            ["Generated texts are cached: the next run starts at the top level and continues from there."]
            if job.falls
            else []
        )
        st.warning("\n\n".join([*map(plain, sentences), *again]), icon=":material/stairs_2:")


def page() -> None:
    """Draw the review of a candidate, else settings, plan or progress of a run, and a card per index."""
    target = workspace()
    reviewed = reviewed_index(target)
    if reviewed:
        draw_review(target, reviewed)
        return
    st.title("Index", anchor=False)
    st.caption(term("Index").line)
    elsewhere = run_elsewhere(target) is not None
    if target.documents():
        work, form = st.columns([2.4, 1], gap="large")
        with form:
            below_model = settings_column()
        with work:
            settings_line()
            run = st.container()
            index_cards(target)  # before the plan, which takes seconds of a large workspace
        with run:
            run_box(target, below_model, elsewhere=elsewhere)
    else:
        if elsewhere:
            watch_run(target)
        else:
            no_documents("index")
        index_cards(target)
    # Last, so that nothing else changes its place when a run ends. Where many look, each page run looks once.
    if not elsewhere and not deployment().settings.shared:
        watch_for_runs(target)


show(page)
