"""Configurations in the order of what they find, as Streamlit sees them: an interval each on one axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from components.kit.browser import component

__all__ = ["Click", "LeaderboardRow", "Scale", "leaderboard", "read_click"]

_board = component("leaderboard")


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """One configuration."""

    key: str
    place: str
    """Its number, or `=` where it is tied with the one above."""
    name: str
    """Its settings in a line, for people who hear the page."""
    label: Sequence[tuple[str, str]]
    """(setting, value) of what tells it from the others."""
    mean: float
    low: float
    high: float
    value: str
    """The mean as people read it."""
    range: str
    """Its interval as people read it."""
    tokens: str
    tags: Sequence[tuple[str, str, str]] = ()
    """(kind, words, what they mean); kinds with a look are best, front and mine."""
    tied: bool = False
    """Not shown to be worse than the best."""
    state: str = ""
    """picked, against or nothing."""
    before: str = ""
    """A line over it, where another group begins."""

    def data(self) -> dict[str, object]:
        """For the browser."""
        marks = ", ".join(words for _, words, _ in self.tags)
        said = f"{self.name}: {self.value}, {self.range}; {self.tokens} context tokens{f'; {marks}' if marks else ''}"
        return asdict(self) | {"said": said, "hover": f"{self.value} ({self.range})"}


@dataclass(frozen=True, slots=True)
class Scale:
    """What the intervals are drawn on."""

    low: float
    high: float
    ticks: Sequence[tuple[float, str]]
    metric: str
    """What is measured, over its numbers."""
    title: str
    """Of the list, for people who hear the page."""
    cost: str = "Context tokens"
    counts: str = ""
    """What the cost counts, on hover."""


@dataclass(frozen=True, slots=True)
class Click:
    """What was clicked."""

    kind: str
    """picked or against."""
    key: str


def leaderboard(rows: Sequence[LeaderboardRow], scale: Scale, *, key: str, on_click: Callable[[Click], None]) -> None:
    """Draw the rows; each click is told, once."""
    data = {
        "rows": [row.data() for row in rows],
        "axis": [scale.low, scale.high],
        "ticks": [list(tick) for tick in scale.ticks],
        "metric": scale.metric,
        "title": scale.title,
        "cost": scale.cost,
        "counts": scale.counts,
    }

    def take(said: Any) -> None:
        click = read_click(said)
        if click:
            on_click(click)

    _board(key=key, data=data, on={"clicked": take})


def read_click(said: object) -> Click | None:
    """A click as the browser tells it; None where it is none.

    >>> read_click({"kind": "picked", "key": "ab"})
    Click(kind='picked', key='ab')
    """
    if not isinstance(said, dict) or said.get("kind") not in ("picked", "against"):
        return None
    return Click(str(said["kind"]), str(said.get("key", "")))
