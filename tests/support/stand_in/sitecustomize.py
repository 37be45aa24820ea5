"""Python runs this at its start where this folder is on its path: local models are stand-ins then (see ../stand_in_model.py)."""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any


class _StandingIn(MetaPathFinder):
    """Puts the stand-in into the module that makes embedders, when that is imported."""

    def find_spec(self, name: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != "chunking.embedding.local.local_embedder":
            return None
        spec = PathFinder.find_spec(name, path, target)
        assert spec is not None
        loader: Any = spec.loader
        run = loader.exec_module

        def exec_module(module: Any) -> None:
            run(module)
            from tests.support.stand_in_model import StandIn

            module.Transformer = StandIn

        loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, _StandingIn())
