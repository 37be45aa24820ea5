"""Imports LanceDB without what only its remote servers need, which is half of the time that the import takes."""

from __future__ import annotations

import sys
import threading
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any

__all__ = ["import_lancedb", "put_off"]

_guard = threading.Lock()
_REST_CLIENT = "lance_namespace_urllib3_client"
"""The client of LanceDB's REST interface. LanceDB needs some of its models; the package itself imports all that calls a
server, hundreds
of functions with a validator each, which a local workspace never calls: half a second of a processor in every
process."""


def put_off(name: str) -> None:
    """Have a package import what its `__init__` imports at the first use of an attribute; modules in it can be imported
    at once.

    Nothing happens where it is imported already, or not installed.
    """
    spec = None if name in sys.modules else find_spec(name)
    if spec is None or spec.loader is None:
        return
    module, loader = module_from_spec(spec), spec.loader

    def first_use(attribute: str) -> Any:
        if attribute.startswith("__"):  # a question of who looks through all modules
            raise AttributeError(f"module {name!r} has no attribute {attribute!r}")
        del vars(module)["__getattr__"]
        loader.exec_module(module)
        return getattr(module, attribute)

    vars(module)["__getattr__"] = first_use
    sys.modules[name] = module


def import_lancedb() -> ModuleType:
    """The module `lancedb`."""
    with _guard:  # one thread finds the client put off, not half imported by another
        if "lancedb" not in sys.modules:
            put_off(_REST_CLIENT)
        return import_module("lancedb")
