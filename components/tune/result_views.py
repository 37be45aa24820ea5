"""What was measured, seen four ways: ranked, against its cost, over two settings, and setting by setting."""

from __future__ import annotations

import streamlit as st

from chunking.evaluation import Sensitivity, setting_texts
from components.kit.charts import CHART_CONFIG
from components.kit.wording import plain
from components.tune.board_rows import board
from components.tune.picked_runs import against, pick, picked
from components.tune.plots import effects_figure, front_figure, heat_figure
from components.tune.setting_words import spoken_title, spoken_value
from components.tune.sweep.sweep_results import Results, effects_of, heat_of

__all__ = ["views"]

_TABS = ("Leaderboard", "Recall against tokens", "Two settings at once", "What matters")
_PLOT, _X, _Y = "tune.front", "tune.heat.x", "tune.heat.y"


def views(results: Results) -> None:
    """Tabs; only the open one is made."""
    first, second, third, fourth = st.tabs(
        [_TABS[0], f"{results.stand.metric.label} against tokens", *_TABS[2:]], key="tune.views", on_change="rerun"
    )
    if first.open:
        with first:
            board(results)
    if second.open:
        with second:
            _front(results)
    if third.open:
        with third:
            _heat(results)
    if fourth.open:
        with fourth:
            _effects(results)


def _dark() -> bool:
    return st.context.theme.type == "dark"


def _front(results: Results) -> None:
    lines = [line for line in results.lines if line.complete]
    other = against(results)
    figure = front_figure(
        lines,
        [results.label(line.run) for line in lines],
        results.stand.metric,
        picked=picked(results).run.key,
        against=other.run.key if other else None,
        dark=_dark(),
    )

    def take() -> None:
        points = st.session_state[_PLOT]["selection"]["points"]
        data = points[0].get("customdata") if points else None
        if data and results.line(str(data[0])):
            pick(results, str(data[0]))

    alt = f"{results.stand.metric.label} against context tokens of {len(lines)} configurations"
    st.plotly_chart(
        figure, theme=None, config=CHART_CONFIG, key=_PLOT, on_select=take, selection_mode="points", alt=alt
    )
    st.caption(
        "Up is better, left is cheaper. Along the dotted Pareto front nothing finds as much for fewer "
        "context tokens: choose what you "
        "are willing to pay. Click a point to select it."
    )


def _heat(results: Results) -> None:
    if len(results.keys) < 2:
        st.info("Vary two settings to see how they interact.")
        return
    keys = list(results.keys)
    for field, kept, place in (
        (_X, st.session_state.get(_X + ".kept"), 0),
        (_Y, st.session_state.get(_Y + ".kept"), 1),
    ):
        st.session_state[field] = kept if kept in keys else keys[place]
    if st.session_state[_X] == st.session_state[_Y]:
        st.session_state[_Y] = next(key for key in keys if key != st.session_state[_X])

    def keep() -> None:
        st.session_state.update({_X + ".kept": st.session_state[_X], _Y + ".kept": st.session_state[_Y]})

    with st.container(horizontal=True, gap="small"):
        st.selectbox("Across", keys, key=_X, format_func=spoken_title, width=200, on_change=keep)
        st.selectbox("Down", keys, key=_Y, format_func=spoken_title, width=200, on_change=keep)
    x, y = st.session_state[_X], st.session_state[_Y]
    found = heat_of(results, x, y)
    texts = setting_texts(picked(results).run.config)
    figure = heat_figure(found, results.stand.metric, mark=(texts.get(x, ""), texts.get(y, "")), dark=_dark())
    alt = f"{results.stand.metric.label} over {spoken_title(x)} and {spoken_title(y)}"
    st.plotly_chart(figure, theme=None, config=CHART_CONFIG, key="tune.heat", alt=alt)
    st.caption(
        f"{results.stand.metric.label}{' in %' if results.stand.metric.percent else ''}, averaged over the "
        f"configurations with these two values, on {found.n:,} questions. The frame marks the selected one."
    )


def _effects(results: Results) -> None:
    rows = effects_of(results)
    if not rows:
        st.info("Nothing is varied yet: run configurations that differ in a setting.")
        return
    for row in rows:
        st.markdown(f"- {_effect(row, results)}")
    alt = f"{results.stand.metric.label} by the values of each setting"
    st.plotly_chart(
        effects_figure(rows, results.stand.metric, dark=_dark()),
        theme=None,
        config=CHART_CONFIG,
        key="tune.effects",
        alt=alt,
    )
    st.caption(
        "● statistically significant effect · ○ no significant effect. Values are compared where all other "
        "settings are equal."
    )


def _effect(row: Sensitivity, results: Results) -> str:
    """What a setting does, in a sentence."""
    metric = results.stand.metric
    title = plain(spoken_title(row.key))
    best, worst = (plain(spoken_value(row.key, value)) for value in (row.best, row.worst))
    size = metric.points(abs(row.spread.mean), sign=False)
    if not row.spread.shown:
        return f"**{title}**: no significant effect ({size} between {worst} and {best})."
    mixed = "" if row.matched else " Other settings differ as well and contribute to it."
    return f"**{title}** matters: {best} is {size} better than {worst}.{mixed}"
