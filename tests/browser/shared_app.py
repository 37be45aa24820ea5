"""One app for the tests of many files, each with a workspace of its own."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.browser.app import running_app

__all__ = ["SharedApp", "shared_app"]


class SharedApp:
    """A running app whose local model is the stand-in, and whose next page has another workspace.

    Starting one costs some three seconds of a processor, and as its address stays, the browser has compiled its scripts
    already.
    """

    def __init__(self, address: str, variables: Path) -> None:
        self._address, self._variables = address, variables

    def show(self, workspace: Path, variables: Mapping[str, str] | None = None) -> str:
        """Its address; it shows this workspace until the next one is asked for.

        Args:
            variables: of its environment, meanwhile.
        """
        written = self._variables.with_suffix(".new")
        written.write_text(json.dumps({"CHUNKSCOPE_WORKSPACE": str(workspace), **(variables or {})}), encoding="utf-8")
        os.replace(written, self._variables)
        return self._address


@contextmanager
def shared_app(folder: Path) -> Iterator[SharedApp]:
    """Start it.

    Args:
        folder: for what it is told, and a workspace that nobody looks at.
    """
    variables = folder / "variables.json"
    variables.write_text("{}", encoding="utf-8")
    with running_app(folder / "workspace", stand_in=True, variables=variables) as address:
        yield SharedApp(address, variables)
