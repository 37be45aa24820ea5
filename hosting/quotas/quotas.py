"""Limits of each person of a deployment, checked before work begins, and the pace of their searches.

All of `OperatorSettings.limits` hold. Running jobs are checked against the disk, too
(`components.server.jobs.job_limits`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from chunking.deployment.directory import Directory
from chunking.deployment.operator_settings import Mode, OperatorSettings
from chunking.deployment.quotas import Quotas
from chunking.display import GIGABYTE, bytes_text, quantity
from chunking.errors import QuotaError
from hosting.demo.visits import Visits
from hosting.quotas.disk_use import DiskUse

__all__ = ["DAY", "SEARCHES_AT_ONCE", "PersonMeter", "PersonQuotas", "SearchPace"]

DAY = 86_400.0
"""Seconds for which a request to a model of a server counts."""
_TIMES = 20
"""A demo's quota for all visitors together, in multiples of a person's, unless the operator sets one."""

SEARCHES_AT_ONCE, SEARCHES_A_SECOND = 40, 4.0
"""Searches allowed in a burst, and a second after that. Nobody reads that fast."""
_MOST_ROWS = 1_000
"""Most people whose search allowance is tracked before full ones are dropped."""


@dataclass(frozen=True, slots=True)
class PersonMeter:
    """Meter of a person's requests to the language model and the embedding server."""

    quotas: PersonQuotas
    person: str
    """Id."""

    def take(self, cost: float) -> None:
        """Check the person's quota, and count one request that is about to be sent.

        Raises:
            QuotaError: as `PersonQuotas.check_llm`.
        """
        self.quotas.take_llm(self.person, cost)

    def pay(self, cost: float) -> None:
        """Record the cost of a request that `take` has counted."""
        self.quotas.note_llm(self.person, 0, cost)


class PersonQuotas(Quotas):
    """Limits of a deployment and of each person. Thread-safe.

    Args:
        settings: of the operator.
        directory: stores who owns which workspace, and the requests to the language model and the embedding server.
        visits: the copies of a demo's visitors.
        free: folder to the bytes that its disk has left.
        clock: seconds, rising.
        now: seconds since 1970.
    """

    def __init__(
        self,
        settings: OperatorSettings,
        directory: Directory,
        visits: Visits,
        *,
        free: Callable[[Path], int] | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(settings, free)
        self._directory, self._now = directory, now
        self._use, self._pace = DiskUse(settings, directory, visits, clock), SearchPace(clock)

    # -- the disk

    def check_disk(self, person: str, adding: int = 0, *, uri: str = "") -> None:
        """Raise QuotaError unless a person may begin something that takes disk space.

        Args:
            person: id of the person who begins it.
            adding: bytes that are about to come, where they are known.
            uri: address of the workspace that is worked in, if any: if the person does not own it, its owners' quota
                counts instead.
        Raises:
            QuotaError: the disk is nearly full, or the server's or the person's share of it is used up.
        """
        super().check_disk(person, adding, uri=uri)
        most = self.limits.disk * GIGABYTE
        if most and self._use.of_all() + adding > most:
            raise QuotaError(
                (
                    f"The workspaces on this server use {bytes_text(self._use.of_all())} of {bytes_text(most)}: "
                    f"nothing new can start. Ask whoever runs it for more space."
                ),
                where="disk",
            )
        most = self.limits.person_disk * GIGABYTE
        owners = self._use.owners(uri, person)
        used = min(map(self.used_disk, owners))
        if used + adding > most:
            whose = "Your workspaces" if person in owners else "The workspaces of this workspace's owner"
            coming = f", and {bytes_text(adding)} would be added" if adding else ""
            raise QuotaError(
                (
                    f"{whose} use {bytes_text(used)} of the {bytes_text(most)} that a person may use "
                    f"here{coming}; delete documents, indexes or a workspace first, or save one to a file and "
                    f"work with it on your own machine."
                ),
                where="person_disk",
            )

    def used_disk(self, person: str) -> int:
        """Return the bytes of a person's workspaces, as `DiskUse.of_person`."""
        return self._use.of_person(person)

    def used_by_all(self) -> int:
        """Return the bytes of all workspaces of the server, as `DiskUse.of_all`."""
        return self._use.of_all()

    def check_owning(self, person: str, folder: Path, *, heir: str = "") -> None:
        """Raise QuotaError unless a person has room to own an existing workspace (copy, hand-over).

        Checked in team mode only. Who is over the quota already may take what adds no bytes.

        Args:
            folder: of the workspace; files that they already have count once.
            heir: name of the person, if the message goes to another one.
        Raises:
            QuotaError: they have no room for it.
        """
        if self._settings.sharing.mode is not Mode.TEAM:
            return
        most, used = self.limits.person_disk * GIGABYTE, self.used_disk(person)
        together = self._use.with_folder(person, folder)
        if together > max(most, used):
            has = f"{heir} has" if heir else "You have"
            raise QuotaError(
                (
                    f"{has} no room for this workspace: it needs {bytes_text(together - used)} more of the "
                    f"{bytes_text(most)} that a person may use here. Delete documents, indexes or a workspace "
                    f"first."
                ),
                where="person_disk",
            )

    # -- what a workspace, an index, a sweep may hold

    def check_documents(self, *, there: int, adding: int, characters: int, more: int) -> None:
        """Raise QuotaError if a workspace would have too many documents or characters.

        Args:
            there, characters: documents of the workspace, and their characters, without those that are replaced.
            adding, more: documents that are about to come, and theirs.
        Raises:
            QuotaError: there would be too many.
        """
        if there + adding > self.limits.documents:
            raise QuotaError(
                (
                    f"This workspace has {quantity(there, 'document')}, and {adding:,} would be added; the limit "
                    f"is {self.limits.documents:,}. Add fewer, delete some, or use another workspace."
                ),
                where="documents",
            )
        if characters + more > self.limits.characters:
            raise QuotaError(
                (
                    f"The documents of this workspace have {characters:,} characters, and {more:,} would be "
                    f"added; the limit is {self.limits.characters:,}. Add fewer, delete some, or use another "
                    f"workspace."
                ),
                where="characters",
            )

    def check_file(self, *, documents: int = 0, characters: int = 0, chunks: int = 0) -> None:
        """Raise QuotaError if a workspace's file has too many documents, characters or chunks.

        Args:
            documents, characters: that are in it.
            chunks: of its largest index.
        Raises:
            QuotaError: there are more than a workspace may have.
        """
        contents = {
            "documents": (documents, "documents"),
            "characters": (characters, "characters"),
            "chunks": (chunks, "chunks in one index"),
        }
        for setting, (number, what) in contents.items():
            most = getattr(self.limits, setting)
            if number > most:
                raise QuotaError(
                    (
                        f"The workspace in this file has {number:,} {what}; the limit here is {most:,}. Open it "
                        f"on your own machine, or save it again with fewer."
                    ),
                    where=setting,
                )

    def check_chunks(self, chunks: int) -> None:
        """Raise QuotaError for more chunks than an index may have."""
        if chunks > self.limits.chunks:
            raise QuotaError(
                (
                    f"These settings split the documents into {quantity(chunks, 'chunk')}; an index may have "
                    f"{self.limits.chunks:,} here. Choose a larger size or less overlap, or index fewer "
                    f"documents."
                ),
                where="chunks",
            )

    def check_configurations(self, configurations: int) -> None:
        """Raise QuotaError for more configurations than a sweep may try."""
        if configurations > self.limits.sweep_runs:
            raise QuotaError(
                (
                    f"This comparison has {quantity(configurations, 'configuration')}; the limit here is "
                    f"{self.limits.sweep_runs:,}. Choose fewer values of a setting, or compare one setting at a "
                    f"time."
                ),
                where="sweep_runs",
            )

    # -- the language model and the embedding server

    def check_llm(self, person: str, requests: int = 1, cost: float = 0.0) -> None:
        """Raise QuotaError unless a person may send requests to the LLM or embedding server.

        Args:
            requests, cost: what is about to be asked, and its price where that is known.
        Raises:
            QuotaError: they have asked, or paid, as much as they may in 24 hours, or all visitors of a demo together
                have.
        """
        self._check_llm_of_all(requests, cost)
        sent, paid = self.used_llm(person)
        if sent + requests > self.limits.llm_requests:
            raise QuotaError(
                (
                    f"You have sent {quantity(sent, 'request')} to the language model and the embedding server "
                    f"in the last 24 hours, and this needs {requests:,} more; the limit per person is "
                    f"{self.limits.llm_requests:,}. Try again tomorrow, with fewer documents, or without these "
                    f"servers."
                ),
                where="llm_requests",
            )
        if paid + cost > self.limits.llm_cost or (paid >= self.limits.llm_cost > 0):
            raise QuotaError(
                (
                    f"Your requests to the language model and the embedding server have cost {paid:.2f} in the "
                    f"last 24 hours, and this costs {cost:.2f} more; the limit per person is "
                    f"{self.limits.llm_cost:.2f}, in the currency of the prices. Try again tomorrow, or without "
                    f"these servers."
                ),
                where="llm_cost",
            )

    def _check_llm_of_all(self, requests: int, cost: float) -> None:
        """Check a demo's limit for all visitors: deleting the cookie makes a new visitor with a fresh quota."""
        if self._settings.sharing.mode is not Mode.DEMO:
            return
        sent, paid = self.used_llm()
        most = self.limits.llm_requests_all or _TIMES * self.limits.llm_requests
        if sent + requests > most:
            raise QuotaError(
                (
                    f"All visitors of this demo together have sent {quantity(sent, 'request')} to the language "
                    f"model and the embedding server in the last 24 hours; the limit is {most:,}. Try again "
                    f"tomorrow, or without these servers."
                ),
                where="llm_requests_all",
            )
        dearest = self.limits.llm_cost_all or _TIMES * self.limits.llm_cost
        if paid + cost > dearest or (paid >= dearest > 0):
            raise QuotaError(
                (
                    f"The requests of all visitors of this demo to the language model and the embedding server "
                    f"have cost {paid:.2f} in the last 24 hours; the limit is {dearest:.2f}, in the currency of "
                    f"the prices. Try again tomorrow, or without these servers."
                ),
                where="llm_cost_all",
            )

    def note_llm(self, person: str, requests: int, cost: float) -> None:
        """Record a person's model requests and their cost, and delete old records.

        Records are kept for 31 days, in a demo for 2.
        """
        now = self._now()
        days = (
            2 if self._settings.sharing.mode is Mode.DEMO else 31
        )  # in a demo all that is kept is added up for each request
        with self._directory.writing() as connection:
            connection.execute("DELETE FROM usage WHERE at < ?", (now - days * DAY,))
            connection.execute("INSERT INTO usage VALUES (?, ?, ?, ?)", (person, now, requests, cost))

    def take_llm(self, person: str, cost: float) -> None:
        """Count one request to the LLM or embedding server if the quota allows it, in one transaction.

        Args:
            cost: highest estimate, checked but not recorded; `note_llm` with 0 requests records the real one later.
        Raises:
            QuotaError: as `check_llm`; the request is not counted then.
        """
        with self._directory.writing() as connection:
            self.check_llm(person, 1, cost)
            connection.execute("INSERT INTO usage VALUES (?, ?, 1, 0.0)", (person, self._now()))

    def meter(self, person: str) -> PersonMeter:
        """Return the meter of a person's requests."""
        return PersonMeter(self, person)

    def used_llm(self, person: str | None = None) -> tuple[int, float]:
        """Return (requests, cost) of a person, or of everybody for None, in the last 24 hours.

        Counts requests to the language model and the embedding server; the cost is in the currency of the prices.
        """
        with self._directory.reading() as connection:
            if connection is None:
                return 0, 0.0
            row = connection.execute(
                "SELECT coalesce(sum(requests), 0) AS requests, coalesce(sum(cost), 0.0) AS cost FROM usage "
                "WHERE (person = ?1 OR ?1 IS NULL) AND at > ?2",
                (person, self._now() - DAY),
            ).fetchone()
        return int(row["requests"]), float(row["cost"])

    # -- searches

    def check_search(self, person: str) -> None:
        """Count a search; raise QuotaError after a burst of 40 that refills with 4 a second."""
        if not self._pace.take(person):
            raise QuotaError(
                (
                    f"You search more than {SEARCHES_A_SECOND:.0f} times a second, which slows others on this "
                    f"server down; wait a second and search again."
                ),
                where="searches",
            )


class SearchPace:
    """Token buckets of people's searches. Thread-safe.

    Args:
        clock: seconds, rising.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._left: dict[str, tuple[float, float]] = {}
        """Person to (searches left, time of that count)."""

    def take(self, person: str) -> bool:
        """Take a search from a person's bucket; False if it is empty."""
        with self._lock:
            now = self._clock()
            tokens, since = self._left.get(person, (float(SEARCHES_AT_ONCE), now))
            tokens = min(float(SEARCHES_AT_ONCE), tokens + (now - since) * SEARCHES_A_SECOND)
            allowed = tokens >= 1
            self._left[person] = (tokens - allowed, now)
            if allowed:
                self._forget_rested(now)
            return allowed

    def _forget_rested(self, now: float) -> None:
        """Drop full buckets once there are many."""
        if len(self._left) > _MOST_ROWS:
            full = SEARCHES_AT_ONCE / SEARCHES_A_SECOND
            self._left = {person: row for person, row in self._left.items() if now - row[1] < full}
