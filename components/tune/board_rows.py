"""The leaderboard of the page: its rows, and the scale they stand on."""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

from chunking.evaluation import COST, METHODS, LeaderboardRun, metric_of, too_shallow
from components.kit.wording import quantity
from components.session import share
from components.tune.leaderboard import Click, LeaderboardRow, Scale, leaderboard
from components.tune.picked_runs import against, clicked, picked
from components.tune.plain_sentences import range_words
from components.tune.setting_words import alike
from components.tune.sweep.sweep_results import Results

__all__ = ["board", "board_rows", "board_scale"]

SHOWN = 12
"""Rows before the rest is asked for."""
_NARROWEST = 0.02
"""Share of the highest value that the scale spans at least: where all are equal, they stand at its end."""
_KEY = "tune.board"
_WORSE = "significantly worse than the best"
_DECIDED = "The fewest context tokens among those at most the margin below the best."
_UNDECIDED = "The best mean so far; there are too few questions to decide."
_SAMPLED = "run on only some of the questions"


def board(results: Results) -> None:
    """The best configurations, or all."""
    every = st.session_state.get("tune.every", False)
    lines = results.lines if every else _first(results)

    def take(found: Click) -> None:
        if results.line(found.key):
            clicked(results, found.kind, found.key)

    leaderboard(board_rows(results, lines), board_scale(results, lines), key=_KEY, on_click=take)
    more = len(results.lines) - SHOWN
    if more > 0:
        st.toggle(f"Show all {len(results.lines):,}", key="tune.every")
    st.caption(
        (
            "● is the mean, the bar its 95 % confidence interval. Click a row to select it, **vs** to compare another "
            "with it."
        ),
        help=f"{METHODS['interval']}  \n\n{METHODS['leaderboard']}  \n\n{METHODS['recommended']}",
    )
    shallow = sum(too_shallow(line.run, results.stand.measure) > 0 for line in lines)
    if shallow:
        st.caption(
            f"⚠ {quantity(shallow, 'run')} stored too few results for some questions: their recall may be higher."
        )


def _first(results: Results) -> list[LeaderboardRun]:
    """The best few; the picked one and what it is compared with are always among them, and so is what is in force."""
    wanted = {picked(results).run.key, getattr(getattr(against(results), "run", None), "key", "")}
    config = share.config()
    return [
        line
        for line in results.lines
        if line.place <= SHOWN or line.run.key in wanted or alike(line.run.config, config)
    ]


def board_rows(results: Results, lines: Sequence[LeaderboardRun]) -> list[LeaderboardRow]:
    """Lines as rows; a line over the first of each group."""
    metric = results.stand.metric
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
        words = "recommended" if chosen.decided else "recommended for now"
        tags.append(("best", words, _DECIDED if chosen.decided else _UNDECIDED))
    elif line.best and _value(line, results) != _value(results.lines[0], results):
        tags.append(
            (
                "",
                "best mean",
                "The highest mean; its lead over the recommended one is within the margin or not significant.",
            )
        )
    if line.pareto:
        tags.append(("front", "◇ front", "Pareto front: nothing else finds as much for fewer context tokens."))
    if alike(line.run.config, share.config()):
        tags.append(("mine", "current", "All pages use these settings."))
    return tags


def _value(line: LeaderboardRun, results: Results) -> str:
    return results.stand.metric.text(line.summary[results.stand.metric.name].mean)


def board_scale(results: Results, lines: Sequence[LeaderboardRun]) -> Scale:
    """A scale that holds all intervals, with a few round numbers on it."""
    metric = results.stand.metric
    ends = [
        end
        for line in lines
        for end in (line.summary[metric.name].low, line.summary[metric.name].high, line.summary[metric.name].mean)
    ]
    known = [end for end in ends if math.isfinite(end)]
    high = max(known, default=1.0)
    low = min(*known, high - _NARROWEST * (abs(high) or 1)) if known else 0.0
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
