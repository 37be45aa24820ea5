"""Object storage of this machine: an S3 server in a process of its own, which keeps its objects in memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.request import Request, urlopen

__all__ = ["environment_of", "new_bucket", "object_store"]

_SERVE = """
import sys
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print("http://{}:{}".format(*server.get_host_and_port()), flush=True)
sys.stdin.read()
"""


@contextmanager
def object_store() -> Iterator[str]:
    """Yield the address of a server, such as `http://127.0.0.1:5000`."""
    command = [sys.executable, "-c", _SERVE]
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nowhere, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.kill()


def new_bucket(server: str, name: str) -> str:
    """Create an empty bucket; returns its address as a workspace's, `s3://name`."""
    with urlopen(Request(f"{server}/{name}", method="PUT")):
        return f"s3://{name}"


def environment_of(server: str) -> dict[str, str]:
    """Return the environment in which `s3://` is a server of `object_store`."""
    return {
        "AWS_ENDPOINT": server,
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
    }
