"""Writer in the app: drags, searches, pins, adds documents, builds indexes, and records confirmations."""

from __future__ import annotations

import asyncio
import random
import re
import secrets
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.load.page_client import PATIENCE, ConnectionLost, PageClient, PageError
from benchmarks.load.visitor import SIZES, WORDS, Timings, headers_of
from chunking.config import Config

__all__ = ["PIN", "Confirmed", "Writer"]

_DONE = re.compile(r"= ([\d,]+) embedded \+ ([\d,]+) reused")
_KILLED = {
    "signal 9": "a job's process was killed, and the page said so",
    "An index is being built": "a build that had waited went on after the restart, and kept other changes away",
}
"""Causes of kills by words of the page's message."""
_WAITS = "in the queue"
"""Words of the page's message while a job is queued."""
_QUEUE = 6
"""Maximum time of a queued job, in patiences: ten people's builds take minutes, two at a time."""
_PARAGRAPHS = 30
PIN = 24
"""Characters that a pin keeps together."""


@dataclass(slots=True)
class Confirmed:
    """Actions that pages confirmed as done, and those under way when the connection ended."""

    documents: set[str] = field(default_factory=set)
    """File names."""
    pins: set[tuple[str, int]] = field(default_factory=set)
    """Document and first character of each pin."""
    sizes: list[int] = field(default_factory=lambda: [Config().chunk.size])
    """Possible sizes of the index: that of the last finished run, and of later started runs."""
    builds: list[tuple[int, int]] = field(default_factory=list)
    """Embedded vectors that each run reported, and the growth of the saved ones."""
    timings: Timings = field(default_factory=Timings)
    explained: Counter[str] = field(default_factory=Counter)
    """Visits that a kill ended, by kind."""


class Writer:
    """Person of a team in one tab, which is reopened whenever it or the server is gone.

    Args:
        address: of the server.
        number: another one for each person.
        saved: how many vectors are saved in their workspace now.
    """

    def __init__(self, address: str, number: int, saved: Callable[[], int]) -> None:
        self._address, self.number, self._saved = address, number, saved
        self.name = f"Person {number}"
        """Name from the proxy's header."""
        self._random = random.Random(number)
        self._tried: set[tuple[str, int]] = set()
        self.done = Confirmed()
        self._client = self._new_tab()

    def _new_tab(self) -> PageClient:
        return PageClient(self._address, headers_of(self._address, "team", self.number))

    async def work(self, over: asyncio.Event, stay: float = 60.0) -> None:
        """Visit after visit until `over`; what no kill explains goes into the errors.

        Args:
            stay: seconds after which the tab is closed and opened again, about.
        """
        while not over.is_set():
            self._client = self._new_tab()
            try:
                await self._visit(over, stay * self._random.uniform(0.5, 1.5))
            except ConnectionLost:
                self.done.explained["the connection was lost"] += 1
            except OSError:
                pass  # it has not started again yet
            except PageError as error:
                kind = next((kind for words, kind in _KILLED.items() if words in str(error)), None)
                if kind is not None:
                    self.done.explained[kind] += 1
                else:
                    self.done.timings.errors.append(f"person {self.number}: {error}")
            finally:
                await self._client.__aexit__(None, None, None)
            await asyncio.sleep(0.2)

    async def _visit(self, over: asyncio.Event, stay: float) -> None:
        await self._client.__aenter__()
        ends = asyncio.get_running_loop().time() + stay
        self.done.timings.opened.append((await self._client.open()).seconds)
        todo = [self._look, self._ask, self._pin, self._add, self._build, self._build]
        while not over.is_set() and asyncio.get_running_loop().time() < ends:
            await self._random.choice(todo)()
            await asyncio.sleep(self._random.uniform(0.2, 1.5))
            await self._client.repeat()

    async def _look(self) -> None:
        """Do some steps of the slider."""
        await self._client.go("")
        for size in self._random.sample(SIZES, 4):
            await self._step(size)

    async def _step(self, size: int) -> None:
        turn = self._client.data("settings.size")["turn"]
        answer = await self._client.send("settings.size", "value", {"text": str(size), "turn": turn})
        if "chunks.viewer" not in answer.drawn:
            raise PageError(f"a step of the slider drew no boundaries: {', '.join(answer.drawn)}")
        self.done.timings.boundaries.append(answer.drawn["chunks.viewer"])
        self.done.timings.steps.append(answer.seconds)

    async def _ask(self) -> None:
        await self._client.go("search")
        question = f"{self._random.choice(WORDS)} {secrets.token_hex(2)}"
        answer = await self._client.type("search.field", question)
        if "hits" not in answer.drawn:
            raise PageError(f"no hits for {question}: {', '.join(answer.drawn)}")
        self.done.timings.searches.append(answer.seconds)

    async def _pin(self) -> None:
        """Keep some characters of the current document together, apart from other pins."""
        await self._client.go("")
        shown = self._client.data("chunks.viewer")["doc"]
        for start in range(2 * PIN, 1_200, 2 * PIN):
            if (shown, start) not in self._tried:
                self._tried.add((shown, start))  # a second one at the same place would take the first away
                await self._client.send(
                    "chunks.viewer", "pin", {"doc": shown, "kind": "keep", "places": [[start, start + PIN]]}
                )
                self.done.pins.add((shown, start))
                return

    async def _add(self) -> None:
        """Add a new document."""
        await self._client.go("documents")
        name = f"note-{self.number}-{secrets.token_hex(4)}.md"
        (field_,) = [key for key in self._client.keys("uploads.") if key.removeprefix("uploads.").isdigit()][-1:]
        await self._client.upload(field_, name, self._text(name).encode())
        while not self._client.has("uploads.add"):
            await asyncio.sleep(0.2)
            await self._client.repeat()
        await self._client.click("uploads.add")
        self.done.documents.add(name)

    def _text(self, name: str) -> str:
        paragraphs = [
            (
                f"{' '.join(self._random.sample(WORDS, 3)).capitalize()}? Ask {secrets.token_hex(4)} within "
                f"{number} days, and write it down."
            )
            for number in range(_PARAGRAPHS)
        ]
        return "\n\n".join([f"# {name}", *paragraphs])

    async def _build(self) -> None:
        """Update the index with another size, and wait for its end."""
        size = self._random.choice(SIZES)
        await self._client.go("")
        await self._step(size)
        await self._client.go("index")
        for key in self._client.keys("interrupted.dismiss.index"):
            await self._client.click(key)
        if not self._client.has("index.build"):  # a run of before the last kill goes on
            return
        before = self._saved()
        self.done.sizes.append(size)
        answer = await self._client.click("index.build")
        ends = time.monotonic() + PATIENCE
        last = time.monotonic() + _QUEUE * PATIENCE
        while (match := _DONE.search(" ".join(answer.texts))) is None:
            await asyncio.sleep(0.2)
            for answer in await self._client.repeat():
                if "index.build" in answer.drawn and _DONE.search(" ".join(answer.texts)) is None:
                    raise PageError("an index run ended, and the page did not say how")
                if _WAITS in " ".join(answer.texts):
                    ends = min(last, time.monotonic() + PATIENCE)
            if time.monotonic() > ends:
                raise PageError(f"an index run did not end in {PATIENCE:.0f} s")
        self.done.sizes[:] = [size]
        self.done.builds.append((int(match[1].replace(",", "")), self._saved() - before))
