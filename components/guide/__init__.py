"""The guide above every page: five steps over the samples."""

from __future__ import annotations

from typing import Any

import streamlit as st

from chunking.errors import ChunkscopeError
from components.guide.guide_steps import (
    STEPS,
    GuideProgress,
    GuideStep,
    close,
    has_samples,
    is_building,
    is_closed,
    measure_the_best,
    open_again,
    progress,
    restore_settings,
)
from components.kit.button import button
from components.kit.wording import plain
from components.session import share
from components.session.current_workspace import editing
from components.session.jobs import INDEX, jobs
from components.session.jobs.job_line import POLL
from components.session.page.page_frame import fragment, sentences
from components.session.workspace import workspace

__all__ = ["draw_guide", "guide_entry"]

_UNFOLDED = "guide.unfolded"
_INTRODUCTION = "Five clicks through the sample documents, from the baseline to the recommended settings."


def draw_guide() -> None:
    """Draw the guide if the workspace is the samples and its user has not closed it.

    Once its estimates are ready, also queue their evaluation. Without the guide, draw only the button that restores the
    settings, if those of a step are in use.
    """
    try:
        there = has_samples() and not is_closed()
    except ChunkscopeError:
        return  # the page reports it
    now = progress()
    if not there:
        if now.before is not None and share.config() == now.step_config:
            _back(now)
        return
    with sentences():
        if now.estimation is not None:
            measure_the_best()
        with st.container(key="guide", gap=None):
            folded = not st.session_state.get(_UNFOLDED, False)
            with st.container(
                key="guide-folded" if folded else "guide-steps",
                horizontal=True,
                vertical_alignment="center",
                gap="xsmall",
            ):
                _fold(now, folded)
                _steps(now, folded)
                st.space("stretch")
                st.button(
                    "Close the guide",
                    key="guide.close",
                    type="tertiary",
                    icon=":material/close:",
                    on_click=close,
                    help=("Closes the guide and restores your earlier settings. Reopen it on the Documents page."),
                )
            look = STEPS[now.present - 1].look() if now.present else _INTRODUCTION
            if is_building():
                _watch_building()
            else:
                st.caption(look)


def _fold(now: GuideProgress, folded: bool) -> None:
    """Draw the button that shows all steps, or folds them to the present and the next one."""
    st.button(
        f"**Guide** · {now.present} of {len(STEPS)}" if now.present else "**Guide**",
        key="guide.fold",
        type="tertiary",
        icon=":material/expand_more:" if folded else ":material/expand_less:",
        on_click=lambda: st.session_state.update({_UNFOLDED: folded}),
        help=None if folded else "Shows only the current and the next step.",
    )


def _steps(now: GuideProgress, folded: bool) -> None:
    """Draw the steps and the way back; folded, all but the present and the next step are hidden, not left out.

    An element that moves to another container would be there twice while the page runs.
    """
    for number, step in enumerate(STEPS, 1):
        _step(number, step)
    _back(now)
    shown = (now.present, (now.present or 0) + 1)
    hidden = [f".st-key-guide-step-{number}" for number in range(1, len(STEPS) + 1) if number not in shown]
    if folded:
        on_phones = f" @media (max-width: 700px) {{ .st-key-guide-step-{now.present} {{ display: none }} }}"
        style = f"{', '.join([*hidden, '.st-key-guide-back'])} {{ display: none }}"
        st.html(f"<style>{style}{on_phones if now.present else ''}</style>")


def _back(now: GuideProgress) -> None:
    """Draw the button that restores the user's settings, if a step has changed them."""
    if now.before is not None and now.before[0] != share.config():
        st.button(
            "Back to my settings", key="guide.back", type="tertiary", icon=":material/undo:", on_click=restore_settings
        )


def _step(number: int, step: GuideStep) -> None:
    now = progress()
    ready, present, done = step.ready(), number == now.present, number in now.done
    looks: dict[str, Any] = {"disabled": not ready, "help": None if ready else step.wait}
    looks = editing(**looks) if step.writes else looks
    following = number == (now.present or 0) + 1
    if button(
        f"{number} · {step.title}" if now.present or number > 1 else f"Start: {step.title}",
        key=f"guide.step.{number}",
        type="primary" if following and ready and now.present else "secondary" if present or following else "tertiary",
        icon=":material/arrow_circle_right:" if present else ":material/check_circle:" if done else None,
        **looks,
    ):
        step.act(number)
        st.switch_page(step.page)


@fragment(run_every=POLL)
def _watch_building() -> None:
    """Show the progress of the recommended index, and rerun the page at its end."""
    job = jobs().of(workspace().uri, INDEX)
    if job is None or not job.active:
        st.rerun()
    st.caption(job.line if job is not None else "")


def guide_entry() -> None:
    """Draw a button that reopens a closed guide, in a workspace with the samples."""
    if has_samples() and is_closed():
        st.button("Guide", key="guide.open", icon=":material/tour:", on_click=open_again, help=plain(_INTRODUCTION))
