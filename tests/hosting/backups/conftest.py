"""Workspaces to back up, and the command that does it."""

from __future__ import annotations

from tests.cli.command_fixtures import _stand_in, run, samples  # noqa: F401
from tests.hosting.backups.home_folder import home  # noqa: F401
from tests.store.index_fixtures import index, workspace  # noqa: F401
