"""An answer request in its own thread, so that Stop works while the server is silent."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread

from chunking.errors import Cancelled, ChunkscopeError
from chunking.llm import Client, Endpoint
from chunking.retrieval import SearchResult
from chunking.retrieval.answers.answer import GeneratedAnswer, stream_answer

__all__ = ["AnswerRun"]


class AnswerRun:
    """Asks when it is made. What it holds grows until it is done, has failed, or was stopped; any thread may read it.

    Attributes:
        asked: what was searched, and the server that was asked.
        answer: as far as it has come.
        error: the sentence to show where it has failed; what came before stays.
        stopped: the user has stopped it.
    """

    def __init__(
        self, asked: object, found: SearchResult, server: Endpoint, *, client: Callable[..., Client] = Client
    ) -> None:
        self.asked = asked
        self.answer = GeneratedAnswer("", (), done=False)
        self.error = ""
        self._ended = False
        self._stop = Event()
        self._found, self._client = found, client(server, cancelled=self._stop.is_set)
        self._thread = Thread(target=self._run, name="answer", daemon=True)
        self._thread.start()

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    @property
    def running(self) -> bool:
        """More may come."""
        return not (self._ended or self.stopped)

    def stop(self) -> None:
        """Take nothing more; the connection is closed with the next piece, or when the server's time is over."""
        if not self._ended:
            self._stop.set()

    def join(self, seconds: float) -> None:
        """Wait until it has ended, at most so long."""
        self._thread.join(seconds)

    def _run(self) -> None:
        try:
            for answer in stream_answer(self._found, self._client):
                if self.stopped:
                    return
                self.answer = answer
        except Cancelled:
            return
        except ChunkscopeError as error:
            self.error = str(error)
        finally:
            self._ended = True
