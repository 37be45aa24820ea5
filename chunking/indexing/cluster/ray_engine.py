"""Run the parts of a stage on Ray: tasks, and actors that keep the model."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from chunking.errors import ChunkscopeError, StoreError
from chunking.indexing.cluster.build_tasks import BuildJob, embed_partition
from chunking.indexing.cluster.ray_session import ray_session

if TYPE_CHECKING:
    from chunking.embedding import Embedder

__all__ = ["BuildEngine", "Calls", "RayEngine", "engine_on_ray"]

Calls = Mapping[str, tuple[Any, ...]]
"""Further arguments of a task, by part."""

_TRIES = 3
"""Times that a part is started again after its worker died."""
_WAIT = 0.5
"""Seconds between two looks at whether the user has stopped the run."""


class BuildEngine(Protocol):
    """Protocol of what runs the parts of a stage, in any order and anywhere."""

    workers: int
    """Parts at work at the same time."""

    def each(self, job: BuildJob, task: Callable[..., Any], calls: Calls) -> Iterator[tuple[str, str]]:
        """Call `task(job, part, *arguments)` for each part, and yield it when it ends.

        Yields:
            The part, and why it was given up; empty if it is done. An error of the task is raised.
        """

    def embed(self, job: BuildJob, calls: Calls) -> Iterator[tuple[str, str]]:
        """Call `embed_partition` for each part with an embedder that is loaded once a worker; see `each`."""


class RayEngine:
    """BuildEngine of a connected Ray.

    Args:
        ray: see `ray_session`.
        workers: parts at work at the same time; None: as many as Ray has processors.
        poll: called twice a second; may raise to stop.
    """

    def __init__(self, ray: Any, workers: int | None, poll: Callable[[], None]) -> None:
        self._ray, self._poll = ray, poll
        cores = max(1, int(ray.cluster_resources().get("CPU", 1)))
        self.workers = min(workers or cores, cores)

    def each(self, job: BuildJob, task: Callable[..., Any], calls: Calls) -> Iterator[tuple[str, str]]:
        """Run tasks, as many at a time as there are workers; see `BuildEngine`."""
        remote = self._ray.remote(num_cpus=1, max_retries=_TRIES)(_quietly)
        shared, waiting = self._ray.put(job), deque(calls.items())
        running: dict[Any, str] = {}
        try:
            while waiting or running:
                while waiting and len(running) < self.workers:
                    part, arguments = waiting.popleft()
                    running[remote.remote(task, shared, part, *arguments)] = part
                for done in self._ended(running):
                    yield running.pop(done), self._fault(done)
        finally:
            if self._ray.is_initialized():
                for left in running:
                    self._ray.cancel(left, force=True)

    def embed(self, job: BuildJob, calls: Calls) -> Iterator[tuple[str, str]]:
        """Run parts on actors; see `BuildEngine`.

        If one dies, another takes its place and its part waits again: a part is only given to an actor that has loaded
        the model, so none waits for a processor that a lost machine had.
        """
        kind = self._ray.remote(num_cpus=1)(EmbeddingWorker)
        waiting, tries = deque(calls.items()), Counter[str]()
        actors = [kind.remote(job) for _ in range(min(self.workers, len(calls)))]
        idle = {actor.ready.remote(): actor for actor in actors}  # those that find a processor
        running: dict[Any, tuple[str, Any]] = {}
        try:
            while waiting or running:
                for done in self._ended({**idle, **running}):
                    part, actor = running.pop(done) if done in running else ("", idle.pop(done))
                    if fault := self._fault(done):
                        self._ray.kill(actor)
                        actors.append(actor := kind.remote(job))
                        idle[actor.ready.remote()] = actor
                        tries[part] += 1
                        if tries[part] <= _TRIES:
                            waiting.extend([(part, calls[part])] if part else [])
                        elif part:
                            yield part, fault
                        else:
                            return
                        continue
                    if part:
                        yield part, ""
                    if waiting:
                        part, arguments = waiting.popleft()
                        running[actor.embed.remote(part, *arguments)] = part, actor
                    else:  # another may need its processor
                        self._ray.kill(actor)
        finally:
            if self._ray.is_initialized():  # else Ray has ended them, and would be started again
                for actor in actors:
                    self._ray.kill(actor)

    def _ended(self, running: Mapping[Any, Any]) -> list[Any]:
        """Return what has ended, after at least one has, asking between whether to stop."""
        while True:
            self._poll()
            done, _ = self._ray.wait(list(running), num_returns=1, timeout=_WAIT)
            if done:
                return list(done)

    def _fault(self, done: Any) -> str:
        """Return why a call was given up; empty if it ended. Raises the call's own error."""
        errors = self._ray.exceptions
        try:
            self._ray.get(done)
        except errors.RayTaskError as error:
            if isinstance(error.cause, ImportError | AttributeError) and not isinstance(error.cause, ChunkscopeError):
                raise StoreError(
                    f"A machine of the cluster has another version of Chunkscope, or lacks a package ({error.cause}); "
                    "install the same on all machines.",
                    where="ray",
                ) from None
            raise error.cause from None
        except errors.RayError as error:
            return type(error).__name__
        return ""


@contextmanager
def engine_on_ray(address: str | None, workers: int | None, poll: Callable[[], None]) -> Iterator[BuildEngine]:
    """Yield an engine on Ray; see `ray_session` and `RayEngine`."""
    with ray_session(address, workers) as ray:
        yield RayEngine(ray, workers, poll)


class EmbeddingWorker:
    """Actor that loads the model once, and embeds partitions of the texts with it."""

    def __init__(self, job: BuildJob) -> None:
        self._job = job

    @cached_property
    def _embedder(self) -> Embedder:
        self._job.check_worker()
        return self._job.load_embedder()

    def ready(self) -> None:
        """Load the model: here, as Ray would hide an error of the constructor."""
        _ = self._embedder

    def embed(self, part: str, *arguments: Any) -> None:
        """Call `embed_partition` with the worker's model; its record is in the run's folder."""
        embed_partition(self._job, self._embedder, part, *arguments)


def _quietly(task: Callable[..., Any], job: BuildJob, part: str, *arguments: Any) -> None:
    """Call a task; its result is in the run's folder and need not pass through Ray."""
    task(job, part, *arguments)
