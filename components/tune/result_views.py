"""Results of a sweep: cost, leaderboard, two settings, effect of each setting."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from chunking.evaluation import (
    COST,
    METHODS,
    Decision,
    LeaderboardRun,
    QuestionSet,
    Sensitivity,
    metric_of,
    too_shallow,
)
from chunking.evaluation.analysis.recommendation import FEWEST
from chunking.evaluation.analysis.setting_labels import run_texts
from chunking.glossary import term
from chunking.store import Workspace
from components.kit.charts import CHART_CONFIG
from components.kit.wording import parser_word, plain, quantity
from components.session import share
from components.tune.estimate_panel import fitting_estimates, roles_label
from components.tune.leaderboard import Click, LeaderboardRow, Scale, leaderboard
from components.tune.picked_configuration import against, clicked, pick, picked
from components.tune.plots import effects_figure, front_figure, heat_figure
from components.tune.setting_words import equal_but_k, range_words, spoken_title, spoken_value
from components.tune.sweep.sweep_results import Results, effects_of, heat_of
from components.tune.sweep.sweeps import StoredSweep

__all__ = ["cost_picture", "failures", "nearly_all_found", "parser_losses", "result_tabs"]

_TABS = ("Leaderboard", "Two settings at once", "What matters")
_PLOT, _X, _Y = "tune.front", "tune.heat.x", "tune.heat.y"

SHOWN = 12
"""Rows shown before "Show all"."""
_NARROWEST = 0.02
"""Least span of the scale, as a share of the highest value; equal values stand at its end."""
_KEY = "tune.board"
_WORSE = "significantly worse than the best"
_DECIDED = "The fewest context tokens among those at most the margin below the best."
_FEW = "The best mean so far; there are too few questions to decide."
_TIE = "The best mean of those that are statistically tied."
_SAMPLED = "run on only some of the questions"

_NEARLY_ALL = 0.98
"""Recall above which it hardly separates configurations."""


def result_tabs(results: Results) -> None:
    """Draw tabs of leaderboard, two settings and effects; only the open one is computed."""
    tabs = st.tabs(_TABS, key="tune.views", on_change="rerun")
    for tab, draw in zip(tabs, (draw_leaderboard, _heat, _effects), strict=True):
        if tab.open:
            with tab:
                draw(results)


def _dark() -> bool:
    return st.context.theme.type == "dark"


def cost_picture(target: Workspace, results: Results) -> None:
    """Draw the metric of every run against its context tokens, with the cards' names; a click selects."""
    lines = [line for line in results.lines if line.complete]
    decision, other = results.decision, against(results)
    figure = front_figure(
        lines,
        [results.label(line.run) for line in lines],
        results.view.metric,
        picked=picked(results).run.key,
        against=other.run.key if other and share.view("against") else None,
        names={line.run.key: _point_name(line, decision) for line in lines} if decision else {},
        estimated=fitting_estimates(target, results),
        dark=_dark(),
    )

    def take() -> None:
        points = st.session_state[_PLOT]["selection"]["points"]
        data = points[0].get("customdata") if points else None
        if data and results.line(str(data[0])):
            pick(results, str(data[0]))

    alt = f"{results.view.metric.label} against context tokens of {len(lines)} configurations"
    st.plotly_chart(
        figure, theme=None, config=CHART_CONFIG, key=_PLOT, on_select=take, selection_mode="points", alt=alt
    )
    st.caption(
        "Up is better, left is cheaper. Along the dotted Pareto front nothing finds as much for fewer context tokens: "
        "choose what you are willing to pay. Click a point to select it under **Why?**."
    )


def _point_name(line: LeaderboardRun, decision: Decision) -> str:
    """Return a run's roles on the cards, else that it has the current settings, else nothing."""
    is_current = not line.run.parser and equal_but_k(line.run.config, share.config())
    return roles_label(decision.roles(line.run.key)) or ("Current" if is_current else "")


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
    heat_map = heat_of(results, x, y)
    texts = run_texts(picked(results).run)
    figure = heat_figure(heat_map, results.view.metric, mark=(texts.get(x, ""), texts.get(y, "")), dark=_dark())
    alt = f"{results.view.metric.label} over {spoken_title(x)} and {spoken_title(y)}"
    st.plotly_chart(figure, theme=None, config=CHART_CONFIG, key="tune.heat", alt=alt)
    st.caption(
        f"{results.view.metric.label}{' in %' if results.view.metric.percent else ''}, averaged over the "
        f"configurations with these two values, on {heat_map.n:,} questions. The frame marks the selected "
        f"one."
    )


def _effects(results: Results) -> None:
    rows = effects_of(results)
    if not rows:
        st.info("Nothing is varied yet: run configurations that differ in a setting.")
        return
    for row in rows:
        st.markdown(f"- {_effect(row, results)}")
    alt = f"{results.view.metric.label} by the values of each setting"
    st.plotly_chart(
        effects_figure(rows, results.view.metric, dark=_dark()),
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
    """Return the effect of a setting as a sentence."""
    metric = results.view.metric
    title = plain(spoken_title(row.key))
    best, worst = (plain(spoken_value(row.key, value)) for value in (row.best, row.worst))
    size = metric.points(abs(row.spread.mean), sign=False)
    if not row.spread.shown:
        return f"**{title}**: no significant effect ({size} between {worst} and {best})."
    mixed = "" if row.matched else " Other settings differ as well and contribute to it."
    return f"**{title}** matters: {best} is {size} better than {worst}.{mixed}"


def draw_leaderboard(results: Results) -> None:
    """Draw the first 12 runs with the picked, compared and current ones, or all; clicks select."""
    every = st.session_state.get("tune.every", False)
    lines = results.lines if every else _first(results)

    def take(click: Click) -> None:
        if results.line(click.key):
            clicked(results, click.kind, click.key)

    leaderboard(board_rows(results, lines), board_scale(results, lines), key=_KEY, on_click=take)
    more = len(results.lines) - SHOWN
    if more > 0:
        st.toggle(f"Show all {len(results.lines):,}", key="tune.every")
    st.caption(
        (
            "● is the mean, the bar its 95 % confidence interval. Click a row to select it, **vs** to "
            "compare another with it."
        ),
        help=f"{METHODS['interval']}  \n\n{METHODS['leaderboard']}  \n\n{METHODS['recommended']}",
    )
    shallow = sum(too_shallow(line.run, results.view.measure) > 0 for line in lines)
    if shallow:
        st.caption(
            f"⚠ {quantity(shallow, 'run')} stored too few results for some questions: their recall may be higher."
        )


def _first(results: Results) -> list[LeaderboardRun]:
    """Return the best few, plus the picked, the compared and the current configuration."""
    keys = {picked(results).run.key, getattr(getattr(against(results), "run", None), "key", "")}
    config = share.config()
    return [
        line
        for line in results.lines
        if line.place <= SHOWN or line.run.key in keys or equal_but_k(line.run.config, config)
    ]


def board_rows(results: Results, lines: Sequence[LeaderboardRun]) -> list[LeaderboardRow]:
    """Convert runs to leaderboard rows; headings mark the worse runs and the sampled ones."""
    metric = results.view.metric
    here, there = picked(results).run.key, getattr(getattr(against(results), "run", None), "key", None)
    rows: list[LeaderboardRow] = []
    group = ""
    for line in lines:
        mean = line.summary[metric.name]
        low, high = (mean.low, mean.high) if mean.known else (mean.mean, mean.mean)
        now = "" if line.tied or line.recommendation else _WORSE if line.complete else _SAMPLED
        rows.append(
            LeaderboardRow(
                key=line.run.key,
                place=f"{line.place}",
                name=results.label(line.run),
                label=results.parts(line.run),
                mean=mean.mean,
                low=low,
                high=high,
                value=metric.text(mean.mean),
                range=range_words(metric, mean),
                tokens=metric_of(COST).text(line.summary[COST].mean).removesuffix(" tokens"),
                tags=_tags(line, results),
                tied=line.tied,
                state="picked" if line.run.key == here else "against" if line.run.key == there else "",
                before=now if now != group else "",
            )
        )
        group = now
    return rows


def _tags(line: LeaderboardRun, results: Results) -> list[tuple[str, str, str]]:
    tags = []
    chosen = line.recommendation
    if chosen is not None and chosen.compared > 1:
        few = not chosen.decided and chosen.questions < FEWEST
        words = "recommended for now" if few else "recommended"
        tags.append(("best", words, _DECIDED if chosen.decided else _FEW if few else _TIE))
    elif line.best and _value(line, results) != _value(results.lines[0], results):
        tags.append(
            (
                "",
                "best mean",
                "The highest mean; its lead over the recommended one is within the margin or not significant.",
            )
        )
    if line.is_baseline:
        tags.append(("", "512/50, vectors", term("Baseline").line))
    if line.pareto:
        tags.append(("front", "◇ front", "Pareto front: nothing else finds as much for fewer context tokens."))
    if not line.run.parser and equal_but_k(line.run.config, share.config()):
        tags.append(("mine", "current", "All pages use these settings."))
    return tags


def _value(line: LeaderboardRun, results: Results) -> str:
    return results.view.metric.text(line.summary[results.view.metric.name].mean)


def board_scale(results: Results, lines: Sequence[LeaderboardRun]) -> Scale:
    """Return an axis that covers the means and intervals of the runs, with at most a few ticks."""
    metric = results.view.metric
    ends = [
        end
        for line in lines
        for end in (line.summary[metric.name].low, line.summary[metric.name].high, line.summary[metric.name].mean)
    ]
    finite = [end for end in ends if math.isfinite(end)]
    high = max(finite, default=1.0)
    low = min(*finite, high - _NARROWEST * (abs(high) or 1)) if finite else 0.0
    step = next(one for one in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0) if (high - low) / one <= 5 or one == 1.0)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = [
        (place * step, f"{100 * place * step:.0f}" if metric.percent else f"{place * step:.2f}")
        for place in range(first, last + 1)
    ]
    unit = " %" if metric.percent else ""
    title = f"Configurations by {metric.label}, best first"
    return Scale(
        first * step,
        max(last, first + 1) * step,
        ticks,
        f"{metric.label}{unit}",
        title,
        metric_of(COST).label,
        metric_of(COST).help,
    )


def nearly_all_found(results: Results) -> None:
    """Draw a hint to judge by another metric if nearly every answer is found."""
    if results.view.metric.name == "recall" and results.lines[0].summary["recall"].mean > _NEARLY_ALL:
        st.caption(
            "Nearly every answer is found, so recall hardly separates the configurations. Judge by "
            "**IoU**, which also counts text returned besides the answer, or use fewer results or tokens."
        )


def failures(results: Results, kept: Sequence[StoredSweep], question_set: str) -> None:
    """Draw configurations that failed, with their errors, and the number of outdated runs."""
    errors: dict[str, str] = {results.label(run): run.error for run in results.failed}
    for one in kept:
        if one.report is not None and one.sweep.question_set == question_set:
            errors = {failed.label: failed.error for failed in one.report.failed} | errors
    if errors:
        with st.expander(f"⚠ {quantity(len(errors), 'configuration')} failed", key="tune.failed"):
            for label, error in errors.items():
                st.markdown(f"- **{plain(label)}**: {plain(error)}")
    if results.stale:
        st.caption(
            f"{quantity(results.stale, 'earlier run')} not shown: documents, model or code have changed since. "
            f"Run again to see them."
        )


def parser_losses(kept: Sequence[StoredSweep], questions: QuestionSet) -> None:
    """Draw the gold answers that parsers lose, of the last sweep that tried parsers."""
    reports = (one.report for one in kept if one.report is not None and one.sweep.question_set == questions.name)
    report = next((one for one in reports if one.parsers), None)
    if report is None:
        return
    texts = {one.id: one.text for one in questions.questions}
    rows = [
        (parser_word(one.parser), texts.get(name, name), quote) for one in report.parsers for name, quote in one.lost
    ]
    label = f"Answers that a parser loses: {quantity(len(rows), 'answer')}"
    with st.expander(label, key="tune.parser_losses"):
        for one in report.parsers:
            st.caption(plain(str(one)))
            for sentence in one.unread:
                st.caption(f"⚠ {plain(sentence)}")
        if rows:
            st.dataframe(
                pd.DataFrame(rows, columns=["Parser", "Question", "Gold answer"]),
                hide_index=True,
                alt="Gold answers that the text of a parser lacks",
            )
