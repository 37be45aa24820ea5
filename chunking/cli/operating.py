"""Commands of a deployment's operator: `doctor`, `users` and `snapshot`; their work is in `hosting/`."""

from __future__ import annotations

import argparse

__all__ = ["doctor", "snapshot", "users"]


def doctor(arguments: argparse.Namespace) -> int:
    """Check the deployment: a line a check; exit 1 if one failed."""
    return _run("doctor", arguments)


def users(arguments: argparse.Namespace) -> int:
    """Print everybody with their last visit and what they use; suspend or admit somebody."""
    return _run("users", arguments)


def snapshot(arguments: argparse.Namespace) -> int:
    """List, make or revoke snapshots of workspaces."""
    return _run("snapshot", arguments)


def _run(command: str, arguments: argparse.Namespace) -> int:
    from chunking.deployment import load_hosting

    return int(getattr(load_hosting("commands"), command)(arguments))
