"""Names that people give models and splitters lead the server to no address of theirs."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from chunking.allowed import allow, allowed
from chunking.config import Config, EmbeddingConfig
from chunking.deployment import operator_settings
from chunking.embedding import load_embedder
from chunking.embedding.model_folder import counting_folder, find_model
from chunking.errors import ChunkscopeError
from hosting.hosted_deployment import HostedDeployment

ADDRESSES = (
    "http://169.254.169.254/latest/meta-data",
    "//169.254.169.254/x",
    "169.254.169.254/x",
    "localhost/x",
    "http://localhost:8501/_stcore/metrics",
    "https://rebind.example/model",
    "file:///etc/passwd",
    "remote:http://169.254.169.254/",
    "remote:../../admin",
    "remote:model@evil.example",
    "s3://bucket/model",
    "../../etc",
    "evil.example/model",
)


@pytest.fixture(params=["team", "demo"])
def contacted_hosts(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[list[object]]:
    """The hosts that are looked up or connected to, on a server that allows a model, downloads and its own endpoint."""
    for name, value in {
        "MODE": request.param,
        "HOME": str(tmp_path),
        "ALLOW_DOWNLOADS": "true",
        "ALLOW_ENDPOINTS": "true",
        "ALLOW_MODELS": "intfloat/multilingual-e5-small",
        "EMBEDDING_URL": "http://models.example/v1",
        "EMBEDDING_MODEL": "ours",
    }.items():
        monkeypatch.setenv(f"CHUNKSCOPE_{name}", value)
    hosts: list[object] = []

    def refuse(*args: object, **named: object) -> object:
        hosts.append(args)
        raise OSError("no network in this test")

    for name in ("getaddrinfo", "create_connection"):
        monkeypatch.setattr(socket, name, refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    before = allowed()
    allow(HostedDeployment(operator_settings()).allowed)
    yield hosts
    allow(before)


USES: tuple[Callable[[str], object], ...] = (
    find_model,
    lambda name: load_embedder(EmbeddingConfig(model=name)),
    lambda name: counting_folder(EmbeddingConfig(model=name)),
    lambda name: load_embedder(Config.from_settings({"embedding.model": name}).embedding),
)


@pytest.mark.parametrize("name", ADDRESSES)
def test_no_name_is_an_address(contacted_hosts: list[object], name: str) -> None:
    """Each is refused in a sentence before anything is looked up."""
    for use in USES:
        with pytest.raises((ChunkscopeError, ValueError)):
            use(name)
    assert contacted_hosts == []
