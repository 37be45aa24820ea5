"""Labelling queue: queries that wait for a person, the configurations to pool, and the progress."""

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
"""Default number of results pooled from each configuration."""


@dataclass(frozen=True, slots=True)
class Queue:
    """Queries to label, stored under the name of the question set that receives the labels."""

    name: str
    queries: tuple[LoggedQuery, ...]
    sources: tuple[PoolSource, ...]
    depth: int = DEPTH
    skipped: frozenset[str] = frozenset()
    """`query_key` of each skipped query."""

    def to_json(self) -> str:
        """Serialise for `Workspace.labelling_queues`."""
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
        """Parse the output of `to_json`.

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
    """Number of a queue's answered, unanswerable and skipped queries, and the queries left."""

    answered: int
    """Number of queries with a marked answer."""
    unanswerable: int
    skipped: int
    left: tuple[LoggedQuery, ...]
    """Queries neither labelled nor skipped, in order."""

    @property
    def done(self) -> int:
        """Number of queries labelled or skipped."""
        return self.answered + self.unanswerable + self.skipped


def queue_progress(queue: Queue, questions: QuestionSet) -> QueueProgress:
    """Compute a queue's progress from the answers and verdicts in the question set of its name."""
    states = {query_key(one.text): one.unanswerable for one in questions.questions if one.answers or one.unanswerable}
    keys = [query_key(one.text) for one in queue.queries]
    judged = [states[key] for key in keys if key in states]
    passed = {key for key in keys if key in queue.skipped and key not in states}
    left = tuple(one for one, key in zip(queue.queries, keys, strict=True) if key not in states and key not in passed)
    return QueueProgress(judged.count(False), judged.count(True), len(passed), left)


def skip_query(queue: Queue, query: str, *, back: bool = False) -> Queue:
    """Return the queue with a query skipped, or with `back` no longer skipped; stores nothing."""
    key = {query_key(query)}
    return replace(queue, skipped=queue.skipped - key if back else queue.skipped | key)


def save_queue(workspace: Workspace, queue: Queue) -> Queue:
    """Validate and store a queue under its name, replacing an earlier one; return it as stored.

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
    """Apply a change to the stored queue under a lock, so that another user's latest skips survive.

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
    """Return the names of all queues, the most recently changed first."""
    return workspace.labelling_queues.names()


def load_queue(workspace: Workspace, name: str) -> Queue:
    """Load a queue by name.

    Raises:
        NotFoundError: there is none.
        QuestionError: the stored record is not a queue.
    """
    text = workspace.labelling_queues.get(name)
    if text is None:
        raise _no_queue(name)
    return Queue.from_json(text)


def _no_queue(name: str) -> NotFoundError:
    return NotFoundError(f"There is no labelling queue '{name}'; start one on the Evaluate page.", where=name)


def delete_queue(workspace: Workspace, name: str) -> None:
    """Delete a queue, if it is stored; its labels stay in the question set."""
    workspace.labelling_queues.delete([name])
