"""Options of the engine that does long work, shared by the functions that pass them on."""

from __future__ import annotations

from typing import Literal, TypedDict

from chunking.errors import ConfigError

__all__ = ["EngineOptions", "is_on_ray"]


class EngineOptions(TypedDict, total=False):
    """Where long work is done: in this process, or on Ray (the extra `cluster`)."""

    engine: Literal["embedded", "ray"]
    address: str | None
    """Of a running cluster, such as `10.0.0.5:6379`; None: Ray is started on this machine, for this run."""
    workers: int | None
    """Parts at work at the same time; None: one for each processor."""


def is_on_ray(options: EngineOptions, resume: str | None = None) -> bool:
    """True for the engine `ray`, False for `embedded`, the default.

    Args:
        resume: a run to go on with, which only `ray` can.
    Raises:
        ConfigError: there is no such engine, it has no such options, or fewer than one worker.

    >>> is_on_ray({}), is_on_ray({"engine": "ray", "workers": 2})
    (False, True)
    """
    engine, workers = options.get("engine", "embedded"), options.get("workers")
    if engine not in ("embedded", "ray"):
        raise ConfigError(f"There is no engine '{engine}'; give embedded or ray.", where="--engine")
    if engine == "embedded" and (options.get("address") or workers is not None):
        raise ConfigError("--address and --workers need --engine ray.", where="--engine")
    if engine == "embedded" and resume:
        raise ConfigError("--resume needs --engine ray.", where="--engine")
    if workers is not None and workers < 1:
        raise ConfigError(f"--workers is {workers}; give at least 1.", where="--workers")
    return engine == "ray"
