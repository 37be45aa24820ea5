"""The settings that a session begins with: those of `chunkscope app --config`, else the defaults."""

from __future__ import annotations

import os

from chunking.config import Config
from chunking.deployment import Mode
from components.session.identity import deployment

__all__ = ["start_settings"]


def start_settings() -> Config:
    """Read the file that CHUNKSCOPE_CONFIG names; without one, and on a server that others use, the defaults.

    Raises:
        ConfigError: it cannot be read, or a setting in it cannot be used.
    """
    file = os.environ.get("CHUNKSCOPE_CONFIG")
    if not file or deployment().settings.sharing.mode is not Mode.LOCAL:
        return Config()
    return Config.from_file(file)
