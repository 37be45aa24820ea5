"""Ray in a process of tests: what it warns of, and what it leaves to the tests after it."""

from __future__ import annotations

import gc
import subprocess
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from chunking.indexing.cluster.ray_session import import_ray, local_environment, ray_session

__all__ = ["RAY_WARNINGS", "ray_of_two_workers", "reaped_processes"]

RAY_WARNINGS = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # Ray does not wait for the processes that it ends
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
"""Marks of a module that uses Ray."""


@contextmanager
def ray_of_two_workers() -> Iterator[Any]:
    """Yield Ray with two workers on this machine, for all tests of a module."""
    with reaped_processes(), ray_session(None, 2) as running:
        yield running


@contextmanager
def reaped_processes() -> Iterator[None]:
    """Wait at the end for the processes that Ray has started, and collect its garbage.

    Else `Popen` warns of them in whichever later test of this process collects it.
    """
    with local_environment():
        import_ray()
    from ray._private import services

    started: list[subprocess.Popen[bytes]] = []

    class Recorded(services.ConsolePopen):  # type: ignore[misc]
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            started.append(self)

    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(services, "ConsolePopen", Recorded)
            yield
    finally:  # also of a Ray that could not be started
        for process in started:
            process.kill()  # if it has not ended
            process.wait()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            gc.collect()
