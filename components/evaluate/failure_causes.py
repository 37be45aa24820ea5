"""Why questions were not fully answered: how many for each cause, and the setting most likely to help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

import streamlit as st

from chunking.config import Config
from chunking.config.settings import Setting
from chunking.config.value_labels import value_label
from chunking.errors import ConfigError
from chunking.evaluation import CAUSES, Answered, Cause, EvaluationRun, QuestionSet, advice
from chunking.store import Workspace
from chunking.viewing.colours import COLOURS
from components.evaluate.try_setting import can_try, try_setting
from components.kit.button import button
from components.kit.charts import CHART_CONFIG, dress
from components.kit.wording import plain, quantity
from components.session import share
from components.session.editing import editing
from components.session.page.page_frame import sentences

__all__ = ["CAUSE_COLOURS", "causes_chart", "help_words", "most_help", "use_help"]


class Failing(Protocol):
    """What is read of a question of a run."""

    @property
    def answered(self) -> Answered: ...
    @property
    def whole(self) -> bool: ...
    @property
    def cause(self) -> Cause | None: ...


CAUSE_COLOURS: dict[Cause, str] = {
    Cause.RANKED_BELOW: "hit",
    Cause.SPLIT: "words",
    Cause.CUT_OFF: "warning",
    Cause.REPEAT: "meaning",
    Cause.NOT_IN_PARSE: "section",
}
"""Role in `COLOURS` of each cause, the same everywhere; in the order they are drawn."""
_ADVISED = 3
"""Settings that are named."""
_BAR = 34
"""Pixels of a bar with the room around it."""


def causes_chart(rows: Sequence[Failing]) -> None:
    """Bars, one a cause that there is.

    Args:
        rows: the questions that were asked.
    """
    from plotly.graph_objects import Bar, Figure

    failed = [row for row in rows if not row.whole]
    if not failed:
        st.success("Every question was fully answered.", icon=":material/check_circle:")
        return
    numbers = Counter(row.cause for row in failed if row.cause)
    if not numbers:
        st.caption(f"{quantity(len(failed), 'question')} not fully answered.")
        return
    dark = st.context.theme.type == "dark"
    shown = [cause for cause in CAUSE_COLOURS if numbers[cause]]
    figure = Figure(
        Bar(
            x=[numbers[cause] for cause in shown],
            y=[CAUSES[cause].label for cause in shown],
            orientation="h",
            marker_color=[COLOURS[CAUSE_COLOURS[cause]].on(dark=dark) for cause in shown],
            text=[f"{numbers[cause]:,}" for cause in shown],
            textposition="outside",
            cliponaxis=False,
            width=0.62,
            customdata=[CAUSES[cause].meaning for cause in shown],
            hovertemplate="<b>%{y}</b>: %{x:,}<br>%{customdata}<extra></extra>",
        )
    )
    dress(figure, dark=dark, height=24 + _BAR * len(shown))
    figure.update_xaxes(visible=False, range=[0, max(numbers.values()) * 1.15])
    figure.update_yaxes(autorange="reversed", showgrid=False, nticks=len(shown) + 1, ticksuffix="  ")
    figure.update_layout(margin={"l": 0, "r": 24, "t": 4, "b": 4})
    alt = "; ".join(f"{CAUSES[cause].label}: {numbers[cause]}" for cause in shown)
    st.plotly_chart(figure, theme=None, config=CHART_CONFIG, key="evaluate.causes", alt=f"Failure analysis. {alt}")


def most_help(target: Workspace, run: EvaluationRun, questions: QuestionSet) -> None:
    """The settings most likely to help, each in one click."""
    for number, one in enumerate(advice(run)[:_ADVISED]):
        with st.container(horizontal=True, vertical_alignment="center", key=f"evaluate.help.{number}"):
            st.caption(
                f"Suggestion for {quantity(one.questions, 'question')}: **{plain(help_words(one.setting))}**",
                width="stretch",
                help="Derived from the cause of failure, not yet evaluated: try it.",
            )
            use_help(target, run, questions, one.setting, key=f"evaluate.help.use.{number}")


def help_words(setting: str) -> str:
    """`search.k=10` as a person says it.

    >>> help_words("search.k=10")
    'Results: 10'
    >>> help_words("search.rerank=late_interaction")
    'Reranking: late interaction'
    """
    key, _, value = setting.partition("=")
    known = _setting(key)
    if known is None:
        return f"{key}: {value}"
    return f"{known.title}: {value_label(key, value) if known.choices else value}"


def use_help(target: Workspace, run: EvaluationRun, questions: QuestionSet, setting: str, *, key: str) -> None:
    """A button that tries a setting: it is measured beside the run. Nothing where it is set already, or does not go
    with the others.

    Args:
        run: that the suggestion came from.
        questions: the set that is looked at.
        setting: as the command line takes it.
        key: of the button.
    """
    name, _, value = setting.partition("=")
    known = _setting(name)
    if known is None:
        return
    if known.text(share.config()) == value:
        st.caption("Set.", width="content")
        return
    try:
        wanted = Config.from_settings({name: value}, run.config)
    except ConfigError:
        return  # it does not go with the other settings
    how = (
        f"Sets {help_words(setting)} on all pages, evaluates it, and shows which questions improve and which get worse."
    )
    free = can_try(target)
    if button(
        "Try it",
        key=key,
        **editing(disabled=not free, help=how if free else "A run is in progress; wait for it, or cancel it."),
    ):
        with sentences():
            try_setting(target, run, questions, help_words(setting), wanted)
            st.rerun()


def _setting(key: str) -> Setting | None:
    from chunking.config import settings

    return next((one for one in settings() if one.key == key), None)
