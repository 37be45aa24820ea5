"""Imports LanceDB without what only its remote servers need, which is a third of the time that the import takes."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from types import ModuleType

import pydantic
from pydantic import ConfigDict

__all__ = ["deferred_validators", "import_lancedb"]

_guard = threading.Lock()


@contextmanager
def deferred_validators() -> Iterator[None]:
    """Functions decorated with `pydantic.validate_call` meanwhile get their validators at the first call, not at once.

    LanceDB imports the client of its REST interface, whose hundreds of decorated methods a local workspace never calls; to build
    their validators takes over a second of a processor in every process. What is called is checked as ever.
    """
    validate_call = pydantic.validate_call
    pydantic.validate_call = partial(validate_call, config=ConfigDict(defer_build=True))  # type: ignore[assignment]
    try:
        yield
    finally:
        pydantic.validate_call = validate_call


def import_lancedb() -> ModuleType:
    """The module `lancedb`."""
    with _guard:  # two threads that patch at once would restore each other's patch
        if "lancedb" in sys.modules:
            return sys.modules["lancedb"]
        with deferred_validators():
            return import_module("lancedb")
