"""Equal lines of the activity list, drawn as one with a count."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from chunking.deployment.activity import Activity

__all__ = ["RepeatedActivity", "group_repeats"]

_HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class RepeatedActivity:
    """Lines that say the same: of one person, about one thing, each within an hour of the next."""

    last: Activity
    times: int


def group_repeats(lines: Iterable[Activity]) -> list[RepeatedActivity]:
    """Lines of one person about one thing, each within an hour of the next, become one with a count, the newest first.

    What others did between them stands after it.

    Args:
        lines: the newest first.
    """
    repeats: dict[int, tuple[Activity, float, int]] = {}
    groups: dict[tuple[str, str, str], int] = {}
    for line in lines:
        key = (line.person, line.what, line.name)
        of = groups.get(key)
        if of is not None and repeats[of][1] - line.at <= _HOUR:
            repeats[of] = (repeats[of][0], line.at, repeats[of][2] + 1)
        else:
            groups[key] = line.number
            repeats[line.number] = (line, line.at, 1)
    return [RepeatedActivity(line, times) for line, _, times in repeats.values()]
