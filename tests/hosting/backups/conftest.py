"""Workspaces to back up, and the command that does it."""

from __future__ import annotations

from tests.cli.conftest import _stand_in, run, samples  # noqa: F401
from tests.store.conftest import index, workspace  # noqa: F401
