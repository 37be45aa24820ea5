"""Tune page: which settings are better on these documents, with their significance."""

from __future__ import annotations

import streamlit as st

from chunking.errors import QuotaError
from chunking.evaluation import QuestionPart, QuestionSet
from chunking.store import Workspace
from components.kit.button import button
from components.kit.wording import duration, plain, quantity
from components.session import share
from components.session.current_workspace import editing
from components.session.page.page_entry import show
from components.session.page.page_frame import sentences
from components.session.questions.question_state import active_set, choose_set, sample_set_button, set_names
from components.session.workspace import workspace
from components.tune.decision_cards import decision_cards
from components.tune.estimate_panel import estimates_panel, last_estimation, start_estimates
from components.tune.pair_comparison import compare_pair
from components.tune.picked_configuration import picked_panel
from components.tune.result_views import cost_picture, failures, nearly_all_found, parser_losses, result_tabs
from components.tune.sweep.sweep_results import Results, current_view, results_of, view_controls
from components.tune.sweep.sweeps import (
    SweepEstimate,
    baseline_sweep,
    begin_sweep,
    estimate_sweep,
    kept_sweeps,
    running_sweep,
    sweep_fault,
    sweep_of,
    sweep_outcome,
    unfinished_sweeps,
    watch_sweep,
)
from components.tune.sweep.value_chooser import choose_values

_CLOSE = "tune.try.close"
"""Session key: close the form in the next run, so that the plot is visible."""
_AGAIN = "tune.try.again"
"""Session key: the estimation without results for which the form was reopened."""


def nothing_to_ask(target: Workspace) -> None:
    """Draw what a question set is for, with a button and links that lead to one."""
    st.info(
        (
            "To find out which settings are better, Chunkscope asks questions with known answers and checks "
            "whether they are found. Load the sample questions to see it at work, or make your own on the "
            "Evaluate page."
        ),
        icon=":material/quiz:",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        if target.documents():
            with sentences():
                if sample_set_button(key="tune.samples"):
                    st.rerun()
        else:
            st.page_link("pages/documents.py", label="Add documents first", width="content")
        st.page_link(
            "pages/evaluate.py", label="Make your own questions", icon=":material/arrow_forward:", width="content"
        )


def draw_form(target: Workspace, questions: QuestionSet, board: Results) -> None:
    """Draw the form of settings to try, and the buttons that start an estimate or a sweep."""
    base, job = share.config(), last_estimation(target, questions)
    if st.session_state.pop(_CLOSE, False):
        st.session_state["tune.try"] = False
    if job is not None and not job.active and not job.estimates and st.session_state.get(_AGAIN) is not job:
        st.session_state[_AGAIN], st.session_state["tune.try"] = job, True
    expanded = not board.lines and job is None
    box = st.expander(
        "Try other settings" if board.lines else "Settings to try",
        expanded=expanded,
        key="tune.try",
        on_change="rerun",
    )
    with box:
        if not box.open and not expanded:
            return
        choice = choose_values(base)
        sweep = sweep_of(choice, questions.name, base, target, board.view)
        refused = "" if choice.faults else sweep_fault(sweep)
        if refused:
            st.caption(f":red[{plain(refused)}]")
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="tune.go"):
            quick, go, note = st.empty(), st.empty(), st.empty()
        plan = None
        if not choice.faults and not refused:
            try:
                plan = estimate_sweep(sweep.configs(), len(questions), board.runs)
            except QuotaError as error:
                st.caption(f":red[{plain(str(error))}]")
        number = plan.configurations if plan else 0
        quickly = sweep_of(choice.estimated, questions.name, base, target, board.view) if plan else sweep
        quickly = sweep if sweep_fault(quickly) else quickly
        many = number if quickly == sweep else sum(one.config is not None for one in quickly.configs())
        if button(
            f"Estimate all {many:,}" if many != 1 else "Estimate it",
            place=quick,
            type="primary",
            key="tune.estimate",
            icon=":material/bolt:",
            **editing(
                disabled=not many or (job is not None and job.active),
                help=(
                    "No index is built: live recall estimates every configuration, hundreds in seconds. Then "
                    "measure the few that matter."
                ),
            ),
        ):
            with sentences():
                start_estimates(target, quickly, questions, board.view)
                st.session_state[_CLOSE] = True
                st.rerun()
        words = (
            f"Compare {quantity(number, 'configuration')}"
            if not choice.minutes
            else f"Search {number:,} by successive halving"
        )
        if button(
            words,
            place=go,
            key="tune.start",
            **editing(disabled=plan is None or plan.evaluated == number, help="Measures every one on a real index."),
        ):
            with sentences():
                begin_sweep(target, sweep)
        if plan:
            note.caption(
                size_words(plan, len(questions), choice.minutes),
                width="content",
                help=(
                    "Estimated from the speed of earlier runs in this workspace, or a cautious guess. Nothing is "
                    "embedded twice, and your own indexes are not changed."
                ),
            )
            if many > number:
                st.caption(
                    f"Estimates are quick, so {many:,} configurations are estimated, with more values than "
                    f"the {number:,} that would be compared on real indexes. Once you choose values, those "
                    f"are estimated."
                )
            for fault in plan.faulty:
                st.caption(f"⚠ Some combinations are not valid: {plain(fault)}")


def size_words(plan: SweepEstimate, questions: int, minutes: float) -> str:
    """Return a line with a sweep's questions, indexes to build, and duration or time limit."""
    if plan.evaluated == plan.configurations:
        return "All of these have already been run: see below."
    done = f"{plan.evaluated:,} already run · " if plan.evaluated else ""
    indexes = quantity(plan.indexes, "index", "indexes")
    time = f"{minutes:.0f} min at most" if minutes else f"about {duration(plan.seconds)}"
    return f"{quantity(questions, 'question')} each · {done}{indexes} to build · {time}"


def progress(target: Workspace) -> None:
    """Draw the sweep in progress, else the outcome of the last one and the unfinished sweeps."""
    if running_sweep(target) is not None:
        watch_sweep(target.uri)
        return
    sweep_outcome(target)
    unfinished_sweeps(target, [one for one in kept_sweeps(target) if one.sweep.question_set in set_names()])


def draw_decision(target: Workspace, board: Results, questions: QuestionSet) -> None:
    """Draw the cards; under *Why?* the leaderboard, the selected configuration and its comparison."""
    decision, busy = board.decision, running_sweep(target) is not None
    if decision is None:
        return

    def more() -> None:
        nearly_all_found(board)
        left, right = st.columns([2.1, 1], gap="large")
        with left:
            result_tabs(board)
        with right:
            picked_panel(target, board, questions)
        if len(board.lines) > 1:
            compare_pair(target, board)

    def measure() -> None:
        if button("Measure the baseline", key="tune.baseline", width="stretch", **editing(disabled=busy)):
            with sentences():
                begin_sweep(target, baseline_sweep(questions.name, share.config(), target))

    decision_cards(board, decision, questions, key="tune.verdict", more=more, measure=measure)


def judged_by() -> None:
    """Draw the criteria of the comparison behind a button that names them."""
    view = current_view()
    with st.popover(f"{view.metric.label} {view.measure.label}", icon=":material/straighten:", key="tune.criteria"):
        view_controls()


def page() -> None:
    """Draw the Tune page: the decision, settings to try, jobs, estimates; a hint without questions."""
    st.title("Tune", anchor=False)
    st.caption("Try many settings on your questions, and keep those that find the most for their tokens.")
    target = workspace()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="tune.top"):
        with st.container(width=260):
            choose_set("Question set", key="tune.set")
        looks = st.container(width="content")
    current = active_set()
    if current is None:
        nothing_to_ask(target)
        return
    questions = current.questions
    tuning = questions.of(QuestionPart.TUNE)
    if not tuning.questions:
        st.warning(
            "This set has no dev questions, so there is nothing to compare; split it again on the Evaluate page."
        )
        return
    with looks:
        judged_by()
    if current.lost:
        st.caption(
            (
                f"⚠ {quantity(len(current.lost), 'question')} of this set cannot be used: the gold answer is no "
                f"longer in the documents."
            ),
            help="The Evaluate page says which, and why.",
        )
    board = results_of(tuning, current_view())
    draw_decision(target, board, questions)
    idle = running_sweep(target) is None
    if idle:
        draw_form(target, tuning, board)
    progress(target)
    picture = st.container()
    if not estimates_panel(target, board, tuning, busy=not idle) and len(board.lines) > 1:
        with picture:
            cost_picture(target, board)
    failures(board, kept_sweeps(target), questions.name)
    if board.lines:
        parser_losses(kept_sweeps(target), questions)
    elif idle and last_estimation(target, tuning) is None:
        st.caption(
            "There is no run on these questions yet. Estimates need no index; an evaluation builds a "
            "real index and searches it."
        )


show(page)
