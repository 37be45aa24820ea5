"""Start-up hook that replaces local models by stand-ins (see ../stand_in_model.py).

Python runs it if this folder is on its path. If CHUNKSCOPE_TEST_VARIABLES names a JSON file, the app also reads
environment variables from it at each run of a page, so that one app can show one workspace after the other (see
tests/browser/shared_app.py).
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

_VARIABLES = os.environ.get("CHUNKSCOPE_TEST_VARIABLES")


def _stand_in(module: Any) -> None:
    """Put the stand-in into the module that creates embedders."""
    from tests.support.stand_in_model import StandIn

    module.open_transformer = StandIn


def _follow(module: Any) -> None:
    """Make the module that reads the server's environment read the file each time."""
    own, host = dict(os.environ), module.host

    def looked_up() -> Any:
        with open(str(_VARIABLES), encoding="utf-8") as file:
            answers = {**own, **json.load(file)}
        for name in {*os.environ} - {*answers}:
            if name.startswith("CHUNKSCOPE_"):
                os.environ.pop(name, None)
        os.environ.update(answers)
        return host()

    module.host = looked_up


_CHANGED: dict[str, Callable[[Any], None]] = {"chunking.embedding.local.local_embedder": _stand_in}
if _VARIABLES:
    _CHANGED["components.session.host"] = _follow


class _Changing(MetaPathFinder):
    """Import hook that changes a module when it is imported."""

    def find_spec(self, name: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        change = _CHANGED.get(name)
        if change is None:
            return None
        spec = PathFinder.find_spec(name, path, target)
        assert spec is not None
        loader: Any = spec.loader
        run = loader.exec_module

        def exec_module(module: Any) -> None:
            run(module)
            change(module)

        loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, _Changing())
