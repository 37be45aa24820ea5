"""Parallel requests to a language model, each answer cached by the hash of its request; or only counted."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from chunking.enrichment.by_llm.plain_answers import plain
from chunking.errors import Cancelled

if TYPE_CHECKING:
    from chunking.llm import Client

__all__ = ["VERSION", "Counting", "LlmRequests", "Request", "TextCache", "TextWriter", "raise_if_cancelled"]

VERSION = 1
"""Of how answers are made plain: kept ones of another version are not used."""
_KEEP_EVERY = 16
"""Answers after which they are put into the cache: a run that is killed loses fewer than these."""
_OF_A_REQUEST = 12
"""Tokens that a chat adds to two messages."""


class TextCache(Protocol):
    """Texts by key, kept for the life of a workspace."""

    def get(self, keys: Sequence[str]) -> Mapping[str, str]:
        """Those of the keys that are known."""

    def put(self, rows: Mapping[str, str], model: str) -> None:
        """Keep texts that a model wrote."""

    def claim(self, keys: Sequence[str], waiting: Callable[[], None]) -> AbstractContextManager[None]:
        """Inside, no other process that shares the cache has these written; look them up again before they are asked
        for.

        Args:
            waiting: called now and then while another has the claim; may raise to stop.
        """


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for one text."""

    kind: str
    """What is written: a `enrichment_prompts.PromptKind`, or another word."""
    system: str
    user: str
    tokens: int
    """Most tokens of the text that is wanted."""

    @property
    def max_tokens(self) -> int:
        """Most that the model writes: it counts by another tokenizer, and may think before it writes."""
        return 3 * self.tokens + 64

    def key(self, model: str) -> str:
        """64 hex digits over all that decides the answer."""
        facts = (str(VERSION), model, self.system, self.user, str(self.max_tokens))
        return hashlib.sha256("\0".join(facts).encode("utf-8", "surrogatepass")).hexdigest()


class TextWriter(Protocol):
    """Who answers."""

    @property
    def model(self) -> str:
        """Its name."""

    def ask(self, requests: Sequence[Request], message: str) -> list[str]:
        """A plain text for each request; empty where nothing of an answer was left.

        Args:
            message: what is written, for the progress: "contexts of handbook/install.md".
        """


def raise_if_cancelled(cancelled: Callable[[], bool]) -> None:
    """Raises Cancelled once the user has stopped the work."""
    if cancelled():
        raise Cancelled("Enrichment was stopped; finished texts are cached for the next run.")


class LlmRequests:
    """Requests to a server, answered from the cache where possible."""

    def __init__(
        self,
        client: Client,
        texts: TextCache,
        on_progress: Callable[[str], None] | None,
        cancelled: Callable[[], bool] | None,
        read: Callable[[str], str] = plain,
    ) -> None:
        """`read` makes of an answer what is kept: plain sentences, unless something else was asked for."""
        self._client, self._texts, self._read = client, texts, read
        self._say = on_progress or (lambda message: None)
        self._cancelled = cancelled or (lambda: False)

    @property
    def model(self) -> str:
        return self._client.endpoint.model

    def ask(self, requests: Sequence[Request], message: str) -> list[str]:
        """See `TextWriter`. Equal requests are asked once; answers that have come are kept also where the rest fails.

        Raises:
            EndpointError: the server does not answer.
            Cancelled: the user has stopped the work.
        """
        by_key = {request.key(self.model): request for request in requests}
        answers = dict(self._texts.get(list(by_key))) if by_key else {}
        missing = [key for key in by_key if key not in answers]
        if missing:
            with self._texts.claim(missing, lambda: raise_if_cancelled(self._cancelled)):
                answers |= self._texts.get(missing)
                self._ask(
                    {key: by_key[key] for key in missing if key not in answers}, answers, f"of {len(by_key)} {message}"
                )
        return [answers[request.key(self.model)] for request in requests]

    def _ask(self, missing: Mapping[str, Request], answers: dict[str, str], message: str) -> None:
        """Ask for what is missing; each answer goes to `known`, and into the cache."""
        fresh: dict[str, str] = {}
        try:
            for key, answer in self._answers(missing):
                answers[key] = fresh[key] = answer
                if len(fresh) >= _KEEP_EVERY:
                    self._keep(fresh)
                self._say(f"Asked {self.model} for {len(answers)} {message}")
        finally:
            self._keep(fresh)

    def _answers(self, missing: Mapping[str, Request]) -> Iterator[tuple[str, str]]:
        """Answers as they come, as many requests at a time as the endpoint takes. The first error ends it."""
        waiting = iter(missing.items())
        with ThreadPoolExecutor(max_workers=self._client.endpoint.parallel) as pool:
            running: dict[Future[str], str] = {}
            try:
                while True:
                    raise_if_cancelled(self._cancelled)
                    for key, request in islice(waiting, self._client.endpoint.parallel - len(running)):
                        running[pool.submit(self._complete, request)] = key
                    if not running:
                        return
                    done, _ = wait(running, return_when=FIRST_COMPLETED)
                    failed = [future for future in done if future.exception()]
                    yield from ((running.pop(future), future.result()) for future in done if future not in failed)
                    for future in failed:
                        future.result()
            finally:
                for future in running:
                    future.cancel()

    def _complete(self, request: Request) -> str:
        return self._read(self._client.complete(request.system, request.user, max_tokens=request.max_tokens))

    def _keep(self, fresh: dict[str, str]) -> None:
        if fresh:
            self._texts.put(fresh, self.model)
            fresh.clear()


class Counting:
    """Asks nobody: counts what would be asked, and answers from the cache or with as many letters as an answer may
    have.
    """

    def __init__(self, model: str, texts: TextCache, count: Callable[[str], int]) -> None:
        self.model = model
        self.requests = self.cached = self.prompt_tokens = self.answer_tokens = 0
        self._texts, self._count = texts, count
        self._read: dict[str, str] = {}

    def ask(self, requests: Sequence[Request], message: str) -> list[str]:
        """See `TextWriter`."""
        by_key = {key: request for request in requests if (key := request.key(self.model)) not in self._read}
        answers = dict(self._texts.get(list(by_key))) if by_key else {}
        self.cached += len(answers)
        for key in by_key.keys() - answers.keys():
            request = by_key[key]
            self.requests += 1
            self.prompt_tokens += self._count(request.system) + self._count(request.user) + _OF_A_REQUEST
            self.answer_tokens += request.tokens
            answers[key] = "w " * request.tokens
        self._read |= answers
        return [self._read[request.key(self.model)] for request in requests]
