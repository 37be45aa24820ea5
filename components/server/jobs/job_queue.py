"""The order in which all users' jobs start. No processes, no clock, no threads.

Round robin among people: the next job is of the person with the fewest running; on a tie, of the one who has waited
longest since a job of theirs ended. One person's jobs go by age. On a shared server the last free slot is reserved for
somebody without a running job, whose job then starts at once. A job that writes waits for another that writes to the
same workspace, and lets others pass.
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
    """Number, person, workspace and weight of a job, which decide when it starts."""

    number: int
    person: str
    """Id of the person who started it."""
    workspace: str
    """Address."""
    weight: Weight
    writes: bool = False
    """True if it locks its workspace while it runs."""


@dataclass(frozen=True, slots=True)
class QueuePosition:
    """Position of a waiting job among those of its weight, if no job is added or removed."""

    position: int
    """Rank from 1."""
    of_others: int
    """Number of earlier jobs that are other people's."""
    blocked: bool = False
    """True if another job writes to its workspace."""

    @property
    def short(self) -> str:
        """Rank in words, for a chip.

        >>> QueuePosition(3, 2).short, QueuePosition(22, 0).short, QueuePosition(1_112, 0).short
        ('3rd in queue', '22nd in queue', '1,112th in queue')
        """
        return f"{_ordinal(self.position)} in queue"

    @property
    def sentence(self) -> str:
        """Rank and the jobs before it, as a sentence without a full stop.

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
    """Waiting and running jobs, and whose turn it is. Not thread-safe: the caller holds a lock.

    It starts no processes: the caller starts the jobs that `begin` returns, and reports their end.

    Args:
        at_once: most jobs of each weight at once. Light ones never wait for heavy ones.
        shared: True reserves the last free slot of a weight that has several for somebody without a running job of
            that weight.
    """

    def __init__(self, at_once: Mapping[Weight, int], *, shared: bool = False) -> None:
        self._at_once = at_once
        self._shared = shared
        self._waiting: dict[int, Ticket] = {}
        self._running: dict[int, Ticket] = {}
        self._events = 0
        self._came: dict[int, int] = {}
        """Number of a waiting job to the event that added it."""
        self._ended: dict[tuple[str, Weight], int] = {}
        """Person and weight to the event at which their last job ended; only of people with waiting jobs."""

    @property
    def waiting(self) -> tuple[Ticket, ...]:
        """Waiting jobs in the order of arrival."""
        return tuple(self._waiting.values())

    @property
    def running(self) -> tuple[Ticket, ...]:
        """Running jobs in the order of their start."""
        return tuple(self._running.values())

    def add(self, ticket: Ticket) -> None:
        """Add a job to those that wait; `begin` moves it to the running ones."""
        self._waiting[ticket.number] = ticket
        self._came[ticket.number] = self._event()

    def begin(self) -> list[Ticket]:
        """Move the waiting jobs that have room to the running ones; return them in order."""
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
        """Remove a job that ended or stopped waiting; unknown numbers are ignored."""
        self._came.pop(number, None)
        self._waiting.pop(number, None)
        ticket = self._running.pop(number, None)
        if ticket is not None:
            self._ended[ticket.person, ticket.weight] = self._event()
        waiting_pairs = {(one.person, one.weight) for one in self._waiting.values()}
        self._ended = {whose: event for whose, event in self._ended.items() if whose in waiting_pairs}

    def places(self) -> dict[int, QueuePosition]:
        """Return the position of each waiting job among those of its weight, by number."""
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
        """Return the ticket whose turn it is."""

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
