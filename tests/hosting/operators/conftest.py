"""Commands, run as tests/cli runs them."""

from __future__ import annotations

from tests.cli.command_fixtures import run  # noqa: F401
