"""How long local models take to load on this machine, remembered between processes."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

from chunking.paths import model_cache

__all__ = ["GUESSED_LOADING", "expected_loading", "record_loading"]

GUESSED_LOADING = 6.0
"""Seconds to load a model that was never loaded here: 3 to 10 were measured, mostly for importing torch."""
_FILE = "load_times.json"


def expected_loading(model: str) -> float:
    """Return the seconds that the model's last load in a new process took here; else a guess.

    Args:
        model: name of the model.
    """
    return _times().get(model, GUESSED_LOADING)


def record_loading(model: str, seconds: float) -> None:
    """Remember how long a model took to load, imports included; nothing where the cache cannot be written."""
    file = _file()
    text = json.dumps(_times() | {model: round(seconds, 2)}, indent=1, sort_keys=True)
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        written = file.with_name(f"{_FILE}.{os.getpid()}")
        written.write_text(text, encoding="utf-8")
        written.replace(file)


def _file() -> Path:
    return model_cache() / _FILE


def _times() -> dict[str, float]:
    try:
        stored = json.loads(_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    times = stored.items() if isinstance(stored, dict) else ()
    return {name: float(seconds) for name, seconds in times if isinstance(seconds, int | float) and seconds > 0}
