"""Ray for one run: started on this machine for it, or one that runs already.

Ray of this machine binds to 127.0.0.1 alone, asks for a token, sends no statistics, serves no dashboard, and ends with
the run. Of a Ray that runs already nothing is changed.
"""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from chunking.errors import MissingPackageError, StoreError

__all__ = ["import_ray", "local_environment", "ray_session"]

_LOOPBACK = "127.0.0.1"
_OBJECT_STORE = 100 * 2**20
"""Bytes of Ray's own store: parts of a build are in files, and only their names pass through it."""
_TOKEN = secrets.token_hex(32)
"""Token of every Ray that this process starts: Ray keeps the first that it reads."""
_STARTS = 2
"""Maximum starts of Ray."""
_ENVIRONMENT = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # one machine only: every port on 127.0.0.1
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_AUTH_MODE": "token",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # a worker without a GPU keeps CUDA_VISIBLE_DEVICES
    "RAY_worker_niceness": "0",  # as the embedded engine; the default of 15 starves on a busy machine
}
"""Environment of a Ray that is started here, set before Ray is imported."""


def import_ray() -> Any:
    """Import Ray. Raises MissingPackageError if it is not installed."""
    try:
        import ray
    except ImportError as error:
        raise MissingPackageError(
            "The engine ray needs packages that are not installed; run pip install 'chunkscope[cluster]'.", where="ray"
        ) from error
    return ray


@contextmanager
def ray_session(address: str | None, workers: int | None) -> Iterator[Any]:
    """Yield Ray, connected: to a cluster, else to the process's own, else to one started for this block.

    Args:
        address: of a running cluster, such as `10.0.0.5:6379`; None: this machine.
        workers: processes of a Ray started here; None: one for each core.
    Raises:
        MissingPackageError: Ray is not installed.
        StoreError: there is no cluster at the address, or Ray would listen beyond this machine.
    """
    if address:
        yield from _connected(address)
        return
    with local_environment():
        ray = import_ray()
        if ray.is_initialized():
            yield ray
            return
        folder = tempfile.mkdtemp(prefix="ray-", dir="/tmp" if os.path.isdir("/tmp") else None)  # sockets: short paths
        try:
            _start(ray, workers or os.cpu_count() or 1, folder)
            yield ray
        finally:
            ray.shutdown()
            shutil.rmtree(folder, ignore_errors=True)


def _connected(address: str) -> Iterator[Any]:
    ray = import_ray()
    if ray.is_initialized():
        yield ray
        return
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, ValueError, RuntimeError) as error:
        detail = str(error).split("\n", 1)[0]
        raise StoreError(f"There is no Ray cluster at {address} ({detail}).", where=address) from error
    try:
        yield ray
    finally:
        ray.shutdown()


@contextmanager
def local_environment() -> Iterator[None]:
    """Set the environment of a Ray started here; what the user has set stays."""
    added = {name: value for name, value in _ENVIRONMENT.items() if name not in os.environ}
    if "RAY_AUTH_TOKEN" not in os.environ and "RAY_AUTH_TOKEN_PATH" not in os.environ:
        added["RAY_AUTH_TOKEN"] = _TOKEN  # else Ray writes one to the home folder, for all to read
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


def _start(ray: Any, workers: int, folder: str) -> None:
    """Start Ray; once more if it was too slow, for it gives itself 30 seconds, whatever else the machine does."""
    for attempt in range(_STARTS):
        try:
            with warnings.catch_warnings():
                # Ray's processes are forked, but run programs of their own at once.
                warnings.filterwarnings("ignore", message="lancedb fork support|lance is not fork-safe")
                ray.init(
                    num_cpus=workers,
                    include_dashboard=False,
                    object_store_memory=_OBJECT_STORE,
                    log_to_driver=False,
                    logging_level=logging.ERROR,
                    _temp_dir=folder,
                )
            break
        except Exception as error:
            ray.shutdown()
            if attempt == _STARTS - 1:
                raise StoreError(
                    f"Ray could not be started on this machine ({' '.join(str(error).split())}); try again when it is "
                    "less busy, or index without --engine ray.",
                    where="ray",
                ) from error
    addresses = {node["NodeManagerAddress"] for node in ray.nodes()}
    if addresses != {_LOOPBACK}:
        raise StoreError(
            f"Ray would listen on {', '.join(sorted(addresses))}, not on this machine alone, since it was imported "
            "before; run the command in a process of its own.",
            where="ray",
        )
