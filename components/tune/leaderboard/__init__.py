"""Browser component of the leaderboard: configurations with their intervals on one axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from components.kit.browser import component

__all__ = ["Click", "LeaderboardRow", "Scale", "leaderboard", "read_click"]

_board = component("leaderboard")


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """A configuration in the leaderboard, as the numbers and texts that are drawn."""

    key: str
    place: str
    """Rank as shown."""
    name: str
    """Settings in a line, for screen readers."""
    label: Sequence[tuple[str, str]]
    """(setting, value) pairs that distinguish the configuration."""
    mean: float
    low: float
    high: float
    value: str
    """Mean as text."""
    range: str
    """Interval as text."""
    tokens: str
    """Context tokens per question as text."""
    tags: Sequence[tuple[str, str, str]] = ()
    """(kind, words, tooltip); the kinds best, front and mine have styles."""
    tied: bool = False
    """True if not significantly worse than the best."""
    state: str = ""
    """picked, against, or ""."""
    before: str = ""
    """Heading over the row where a new group begins."""

    def data(self) -> dict[str, object]:
        """Return the row as JSON values for the browser."""
        marks = ", ".join(words for _, words, _ in self.tags)
        said = f"{self.name}: {self.value}, {self.range}; {self.tokens} context tokens{f'; {marks}' if marks else ''}"
        return asdict(self) | {"said": said, "hover": f"{self.value} ({self.range})"}


@dataclass(frozen=True, slots=True)
class Scale:
    """Axis of the leaderboard, with its ticks and headings."""

    low: float
    high: float
    ticks: Sequence[tuple[float, str]]
    metric: str
    """Heading over the values."""
    title: str
    """Title of the list, for screen readers."""
    cost: str = "Context tokens"
    counts: str = ""
    """Tooltip of the cost column."""


@dataclass(frozen=True, slots=True)
class Click:
    """A click on a row: pick it, or compare with it."""

    kind: str
    """picked or against."""
    key: str


def leaderboard(rows: Sequence[LeaderboardRow], scale: Scale, *, key: str, on_click: Callable[[Click], None]) -> None:
    """Draw the leaderboard in the browser; each valid click on a row calls `on_click` once."""
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
    """Parse a click sent by the browser; None if it is invalid.

    >>> read_click({"kind": "picked", "key": "ab"})
    Click(kind='picked', key='ab')
    """
    if not isinstance(said, dict) or said.get("kind") not in ("picked", "against"):
        return None
    return Click(str(said["kind"]), str(said.get("key", "")))
