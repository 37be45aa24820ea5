"""Visitor of the app: opens Chunks, drags the size slider, reads, and searches."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmarks.load.page_client import PageClient, PageError, visitor_cookie

__all__ = ["SIZES", "WORDS", "Pace", "Timings", "Visitor", "headers_of"]

SIZES = [*range(100, 300, 4)]
STEPS, SEARCHES = 20, 5
BETWEEN_STEPS = 0.1
"""Seconds from an answered step to the next one, as for a hand that looks while it drags."""
WORDS = (
    *(
        "how long are backups kept",
        "who may restart the service",
        "what happens when the disk is full",
        "how is a certificate renewed",
    ),
    *(
        "which ports are open",
        "what does the retry policy say",
        "when is the maintenance window",
        "who is on call at night",
    ),
    *(
        "how do I return a product",
        "what is the limit for uploads",
        "how are passwords stored",
        "what is an incident of severity one",
    ),
)


@dataclass(frozen=True, slots=True)
class Pace:
    """Speed of people."""

    reading: float = 8.0
    """Mean seconds of reading between actions; varies from a third to five thirds."""


@dataclass(slots=True)
class Timings:
    """Seconds of all people together."""

    opened: list[float] = field(default_factory=list)
    boundaries: list[float] = field(default_factory=list)
    """Seconds from a slider step to the message with the boundaries."""
    steps: list[float] = field(default_factory=list)
    """Seconds from a slider step to the end of the run."""
    searches: list[float] = field(default_factory=list)
    """Seconds from Enter to the end of the run."""
    errors: list[str] = field(default_factory=list)


class Visitor:
    """Person in one tab.

    Args:
        address: of the server.
        mode: of the deployment: in a demo everybody has a copy of their own, in a team everybody signs in.
        number: another one for each person.
    """

    def __init__(self, address: str, mode: str, number: int) -> None:
        self._random = random.Random(number)
        self.client = PageClient(address, headers_of(address, mode, number))

    async def read(self, pace: Pace) -> None:
        """Look at the page for a while."""
        await asyncio.sleep(pace.reading * self._random.uniform(1 / 3, 5 / 3))
        await self.client.repeat()

    async def visit(
        self, pace: Pace, into: Timings, *, delay: float = 0.0, steps: int = STEPS, searches: int = SEARCHES
    ) -> None:
        """Drag the slider and search some times; an error of the page is recorded and ends the visit."""
        try:
            await asyncio.sleep(delay)
            await self._drag(into, steps)
            await self.read(pace)
            await self.client.go("search")
            for _ in range(searches):
                await self.read(pace)
                question = f"{self._random.choice(WORDS)} {secrets.token_hex(2)}"
                answer = await self.client.type("search.field", question)
                if "hits" not in answer.drawn:
                    raise PageError(f"no hits for {question}: {', '.join(answer.drawn)}")
                into.searches.append(answer.seconds)
            await self.read(pace)
            await self.client.go("")
        except (PageError, OSError) as error:
            into.errors.append(str(error))

    async def enter(self, into: Timings) -> None:
        """Open the app."""
        await self.client.__aenter__()
        into.opened.append((await self.client.open()).seconds)

    async def leave(self) -> None:
        """Close the tab."""
        await self.client.__aexit__(None, None, None)

    async def _drag(self, into: Timings, steps: int) -> None:
        begin = self._random.randrange(len(SIZES) - steps) if steps < len(SIZES) else 0
        for step in range(steps):
            turn = self.client.data("settings.size")["turn"]
            size = SIZES[(begin + step) % len(SIZES)]
            answer = await self.client.send("settings.size", "value", {"text": str(size), "turn": turn})
            if "chunks.viewer" not in answer.drawn:
                raise PageError(f"a step of the slider drew no boundaries: {', '.join(answer.drawn)}")
            into.boundaries.append(answer.drawn["chunks.viewer"])
            into.steps.append(answer.seconds)
            await asyncio.sleep(BETWEEN_STEPS)


def headers_of(address: str, mode: str, number: int) -> Mapping[str, str]:
    """Return a person's request headers: a demo's cookie, or a team's proxy headers."""
    if mode == "demo":
        return {"Cookie": visitor_cookie(address)}
    return {"X-Test-User": f"person{number}", "X-Test-Name": f"Person {number}"}
