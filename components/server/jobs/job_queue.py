"""Whose turn it is: the order in which the jobs of all people start. No processes, no clock, no threads.

Where several wait, the next is of who has fewest running; among those, of who has waited longest since a job of theirs
ended.
That is round robin among people: ten jobs of one do not come before the one of another, and nobody is passed over for
ever.
Within the jobs of a person it goes by age. Where people share the server, the last free place is kept for somebody who
has no job running:
theirs starts at once, however long those of others take. A job that writes waits while another writes to the same
workspace, and lets others pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from components.server.jobs.job_kinds import Weight

__all__ = ["JobQueue", "QueuePosition", "Ticket"]

_ORDINALS = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth", "Tenth")
_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
_TEENS = range(11, 14)


@dataclass(frozen=True, slots=True)
class Ticket:
    """A job as the queue sees it."""

    number: int
    person: str
    """Who started it."""
    workspace: str
    weight: Weight
    writes: bool = False
    """It keeps others from writing to its workspace while it runs."""


@dataclass(frozen=True, slots=True)
class QueuePosition:
    """Where a waiting job stands, as it would go if nobody came or left."""

    position: int
    """From 1."""
    of_others: int
    """Of the jobs before it, those of other people."""
    blocked: bool = False
    """Another job writes to its workspace."""

    @property
    def short(self) -> str:
        """For a chip.

        >>> QueuePosition(3, 2).short, QueuePosition(22, 0).short, QueuePosition(1_112, 0).short
        ('3rd in queue', '22nd in queue', '1,112th in queue')
        """
        return f"{_ordinal(self.position)} in queue"

    @property
    def sentence(self) -> str:
        """With what it waits for.

        >>> QueuePosition(3, 2).sentence
        'Third in the queue; two jobs of others are before it'
        >>> QueuePosition(4, 1).sentence
        'Fourth in the queue; three jobs are before it, one of them of others'
        >>> QueuePosition(1, 0).sentence
        'First in the queue; it starts when a running job ends'
        """
        before, place = self.position - 1, f"{_spelled(self.position)} in the queue"
        if not before:
            ends = "the job that writes to this workspace ends" if self.blocked else "a running job ends"
            return f"{place}; it starts when {ends}"
        noun = "job is" if before == 1 else "jobs are"
        if self.of_others == before:
            return f"{place}; {_number(before)} {noun.replace(' ', ' of others ')} before it"
        among = f", {_number(self.of_others)} of them of others" if self.of_others else ""
        return f"{place}; {_number(before)} {noun} before it{among}"


def _spelled(number: int) -> str:
    return _ORDINALS[number - 1] if number <= len(_ORDINALS) else _ordinal(number)


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in _TEENS else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def _number(number: int) -> str:
    return _NUMBERS[number].lower() if number < len(_NUMBERS) else f"{number:,}"


class JobQueue:
    """Jobs that wait and jobs that run. Not for several threads at once: whoever has it holds a lock.

    Args:
        at_once: how many jobs of each weight run at the same time. Light ones never wait for heavy ones.
        shared: the last free place of a weight that has several is kept for somebody who has none of that weight
            running.
    """

    def __init__(self, at_once: Mapping[Weight, int], *, shared: bool = False) -> None:
        self._at_once = at_once
        self._shared = shared
        self._waiting: dict[int, Ticket] = {}
        self._running: dict[int, Ticket] = {}
        self._events = 0
        self._came: dict[int, int] = {}
        """Number of a waiting job to the event of its coming."""
        self._ended: dict[tuple[str, Weight], int] = {}
        """The event at which a job of a person last ended; of people with something waiting."""

    @property
    def waiting(self) -> tuple[Ticket, ...]:
        """In the order in which they came."""
        return tuple(self._waiting.values())

    @property
    def running(self) -> tuple[Ticket, ...]:
        """In the order in which they started."""
        return tuple(self._running.values())

    def add(self, ticket: Ticket) -> None:
        """Let a job wait; `begin` says when it starts, which may be at once."""
        self._waiting[ticket.number] = ticket
        self._came[ticket.number] = self._event()

    def begin(self) -> list[Ticket]:
        """The jobs that start now, in this order; from now on they count as running."""
        begun = []
        for weight in Weight:
            while self._count(weight) < self._at_once[weight]:
                turns = Counter(one.person for one in self._running.values() if one.weight is weight)
                last = self._shared and turns.total() == self._at_once[weight] - 1
                free = [
                    one
                    for one in self._waiting.values()
                    if one.weight is weight and not self._blocked(one) and not (last and turns[one.person])
                ]
                if not free:
                    break
                ticket = self._next(free, turns)
                del self._waiting[ticket.number]
                del self._came[ticket.number]
                self._running[ticket.number] = ticket
                begun.append(ticket)
        return begun

    def end(self, number: int) -> None:
        """A job is over, or does not want to wait any more; unknown numbers are nobody's."""
        self._came.pop(number, None)
        self._waiting.pop(number, None)
        ticket = self._running.pop(number, None)
        if ticket is not None:
            self._ended[ticket.person, ticket.weight] = self._event()
        waiting_pairs = {(one.person, one.weight) for one in self._waiting.values()}
        self._ended = {whose: event for whose, event in self._ended.items() if whose in waiting_pairs}

    def places(self) -> dict[int, QueuePosition]:
        """Number of each waiting job to where it stands among those of its weight."""
        positions = {}
        for weight in Weight:
            waiting = [one for one in self._waiting.values() if one.weight is weight]
            turns = Counter(one.person for one in self._running.values() if one.weight is weight)
            before: Counter[str] = Counter()
            while waiting:
                ticket = self._next(waiting, turns)
                waiting.remove(ticket)
                others = before.total() - before[ticket.person]
                positions[ticket.number] = QueuePosition(before.total() + 1, others, self._blocked(ticket))
                turns[ticket.person] += 1
                before[ticket.person] += 1
        return positions

    def _next(self, some: Iterable[Ticket], running: Mapping[str, int]) -> Ticket:
        """Of these the one whose turn it is."""

        def turn(one: Ticket) -> tuple[int, int, int]:
            since = max(self._came[one.number], self._ended.get((one.person, one.weight), 0))
            return running.get(one.person, 0), since, one.number

        return min(some, key=turn)

    def _blocked(self, ticket: Ticket) -> bool:
        return ticket.writes and any(one.writes and one.workspace == ticket.workspace for one in self._running.values())

    def _count(self, weight: Weight) -> int:
        return sum(one.weight is weight for one in self._running.values())

    def _event(self) -> int:
        self._events += 1
        return self._events
