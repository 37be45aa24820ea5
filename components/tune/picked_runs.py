"""Which two runs are looked at: the picked one, and the one it is compared with. Both stand in the link."""

from __future__ import annotations

from chunking.evaluation import LeaderboardRun
from components.session import share
from components.tune.setting_words import alike
from components.tune.sweep.sweep_results import Results

__all__ = ["against", "clicked", "pick", "picked", "set_against"]

NOTHING = "-"
"""In the link: compared with nothing."""


def picked(results: Results) -> LeaderboardRun:
    """The line that was picked; the first one where none was, or it is gone."""
    return results.line(share.view("run")) or results.lines[0]


def against(results: Results) -> LeaderboardRun | None:
    """What it is compared with: what was chosen, else the settings in force; None where that is the picked one, or
    nothing is wanted.
    """
    said = share.view("against")
    if said == NOTHING:
        return None
    line = results.line(said) or next((one for one in results.lines if alike(one.run.config, share.config())), None)
    return None if line is None or line.run.key == picked(results).run.key else line


def pick(results: Results, key: str) -> None:
    """Pick a run; where that is the one it was compared with, the two change their places."""
    before, other = picked(results).run.key, against(results)
    if other is not None and other.run.key == key:
        share.keep_view(against=before)
    share.keep_view(run=key)


def set_against(key: str | None) -> None:
    """Compare the picked run with another; None with none."""
    share.keep_view(against=key or NOTHING)


def clicked(results: Results, kind: str, key: str) -> None:
    """A click on the leaderboard: a second one on what is compared with ends that."""
    if kind == "picked":
        pick(results, key)
    else:
        other = against(results)
        set_against(None if other is not None and other.run.key == key else key)
