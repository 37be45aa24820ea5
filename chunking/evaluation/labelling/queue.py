"""A labelling queue: queries that wait for a person, how their results are pooled, and how far the work is."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace

from chunking.config import SearchMode
from chunking.errors import NotFoundError, QuestionError
from chunking.evaluation.labelling.pooling import MOST_DEPTH, PoolSource
from chunking.evaluation.labelling.queries import MOST_QUERIES, LoggedQuery, query_key
from chunking.evaluation.questions.question import QuestionSet
from chunking.evaluation.questions.set_editing import MOST_NAME
from chunking.store import Workspace
from chunking.text.bounded_json import read_json

__all__ = [
    "DEPTH",
    "Queue",
    "QueueProgress",
    "change_queue",
    "delete_queue",
    "load_queue",
    "queue_names",
    "queue_progress",
    "save_queue",
    "skip_query",
]

DEPTH = 10
"""Results taken of each configuration where nothing else is said."""


@dataclass(frozen=True, slots=True)
class Queue:
    """Queries to label. It is kept under the name of the question set that the labels go to."""

    name: str
    queries: tuple[LoggedQuery, ...]
    sources: tuple[PoolSource, ...]
    depth: int = DEPTH
    skipped: frozenset[str] = frozenset()
    """`query_key` of those that were passed over."""

    def to_json(self) -> str:
        """For `Workspace.labelling_queues`."""
        return json.dumps(
            {
                "name": self.name,
                "depth": self.depth,
                "sources": [[one.index, one.mode.value] for one in self.sources],
                "queries": [[one.text, one.times] for one in self.queries],
                "skipped": sorted(self.skipped),
            },
            ensure_ascii=False,
        )

    @classmethod
    def from_json(cls, text: str) -> Queue:
        """What `to_json` made.

        Raises:
            QuestionError: it is something else.
        """
        try:
            tree = read_json(text)
            queries = tuple(LoggedQuery(str(words), int(times)) for words, times in tree["queries"])
            sources = tuple(PoolSource(str(index), SearchMode(mode)) for index, mode in tree["sources"])
            return cls(str(tree["name"]), queries, sources, int(tree["depth"]), frozenset(map(str, tree["skipped"])))
        except (ValueError, KeyError, TypeError) as error:
            raise QuestionError(f"This is no saved labelling queue ({error}); begin a new one.") from error


@dataclass(frozen=True, slots=True)
class QueueProgress:
    """How far the work on a queue is."""

    answered: int
    """Queries whose answer was marked."""
    unanswerable: int
    skipped: int
    left: tuple[LoggedQuery, ...]
    """Those that were neither labelled nor skipped, in order."""

    @property
    def done(self) -> int:
        return self.answered + self.unanswerable + self.skipped


def queue_progress(queue: Queue, questions: QuestionSet) -> QueueProgress:
    """What is labelled in the set, and what is left. The set decides: a queue and its set cannot disagree."""
    states = {query_key(one.text): one.unanswerable for one in questions.questions if one.answers or one.unanswerable}
    keys = [query_key(one.text) for one in queue.queries]
    judged = [states[key] for key in keys if key in states]
    passed = {key for key in keys if key in queue.skipped and key not in states}
    left = tuple(one for one, key in zip(queue.queries, keys, strict=True) if key not in states and key not in passed)
    return QueueProgress(judged.count(False), judged.count(True), len(passed), left)


def skip_query(queue: Queue, query: str, *, back: bool = False) -> Queue:
    """The queue with a query passed over, or `back` in it."""
    key = {query_key(query)}
    return replace(queue, skipped=queue.skipped - key if back else queue.skipped | key)


def save_queue(workspace: Workspace, queue: Queue) -> Queue:
    """Keep a queue, in one commit.

    Raises:
        QuestionError: it has no name, no query or too many, no configuration, or a depth that is out of range.
        StoreError: it cannot be written.
    """
    name = " ".join(queue.name.split())
    if not name or len(name) > MOST_NAME:
        raise QuestionError(f"A question set needs a name of 1 to {MOST_NAME} characters; this one has {len(name):,}.")
    if not 0 < len(queue.queries) <= MOST_QUERIES:
        raise QuestionError(
            f"A labelling queue holds 1 to {MOST_QUERIES:,} queries; this one has {len(queue.queries):,}."
        )
    if not queue.sources:
        raise QuestionError("Choose at least one configuration whose results are pooled.")
    if not 1 <= queue.depth <= MOST_DEPTH:
        raise QuestionError(
            f"A pool depth of {queue.depth} is not possible; take 1 to {MOST_DEPTH} results of each configuration."
        )
    kept = replace(queue, name=name)
    workspace.labelling_queues.put({name: kept.to_json()})
    return kept


def change_queue(workspace: Workspace, name: str, change: Callable[[Queue], Queue]) -> Queue:
    """Change a queue as it is kept at this moment, so that what somebody else has just passed over stays so.

    Raises:
        NotFoundError: it has been deleted.
        StoreError: it cannot be written.
    """

    def becomes(kept: str | None) -> str:
        if kept is None:
            raise _no_queue(name)
        return change(Queue.from_json(kept)).to_json()

    return Queue.from_json(workspace.labelling_queues.change(name, becomes) or "")


def queue_names(workspace: Workspace) -> list[str]:
    """All queues, the one worked on last first."""
    return workspace.labelling_queues.names()


def load_queue(workspace: Workspace, name: str) -> Queue:
    """A queue by its name.

    Raises:
        NotFoundError: there is none.
        QuestionError: what is kept under the name is none.
    """
    text = workspace.labelling_queues.get(name)
    if text is None:
        raise _no_queue(name)
    return Queue.from_json(text)


def _no_queue(name: str) -> NotFoundError:
    return NotFoundError(f"There is no labelling queue '{name}'; start one on the Evaluate page.", where=name)


def delete_queue(workspace: Workspace, name: str) -> None:
    """Forget a queue; its labels stay in the question set."""
    workspace.labelling_queues.delete([name])
