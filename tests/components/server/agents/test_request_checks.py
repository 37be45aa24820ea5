"""Which names of this server agents may call, and from which pages."""

from __future__ import annotations

import pytest

from chunking.deployment import operator_settings
from components.server.agents.agent_door import refused_request

NAMED = {
    "CHUNKSCOPE_PUBLIC_URL": "https://Chunks.example.com/docs",
    "CHUNKSCOPE_AGENT_HOSTS": "chunkscope:8501, lan-name, [fd00::7]",
}


@pytest.mark.parametrize(
    ("host", "names"),
    [
        ("localhost", True),
        ("localhost:8501", True),
        ("LOCALHOST:1", True),
        ("127.0.0.1", True),
        ("127.0.0.1:80", True),
        ("[::1]:8501", True),
        ("chunks.example.com", True),
        ("chunks.example.com:443", True),
        ("chunkscope:8501", True),
        ("lan-name:9000", True),
        ("[fd00::7]:8501", True),
        ("chunks.example.com:8501", False),
        ("chunkscope:8502", False),
        ("chunkscope", False),
        ("evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("127.0.0.1:x@evil.example", False),
        ("127.0.0.1:80:80", False),
        ("localhost.", False),
        ("localhost:", False),
        ("[::1", False),
        ("[::1]evil", False),
        ("192.168.1.7:8501", False),
        ("", False),
    ],
)
def test_a_server_is_called_by_its_own_names(host: str, names: bool) -> None:
    """Those of this machine, of the public address, and of the operator's list; whatever the mode."""
    for mode in ("local", "team", "demo"):
        refused = refused_request({"host": host}, operator_settings({"CHUNKSCOPE_MODE": mode, **NAMED}))
        assert (refused is None) is names
        assert refused is None or refused.status == 421


@pytest.mark.parametrize(
    ("origin", "names"),
    [
        (None, True),
        ("http://localhost:8501", True),
        ("https://localhost:8501", True),
        ("https://chunks.example.com", True),
        ("http://localhost:3000", False),
        ("http://127.0.0.1:8501", False),
        ("http://chunks.example.com", False),
        ("https://chunks.example.com.evil.example", False),
        ("https://evil.example", False),
        ("null", False),
        ("", False),
        ("http://[", False),
    ],
)
def test_pages_of_other_sites_are_refused(origin: str | None, names: bool) -> None:
    """Also of another port of this machine; programs that are no browser send no Origin."""
    headers = {"host": "localhost:8501", **({} if origin is None else {"origin": origin})}
    refused = refused_request(headers, operator_settings(NAMED))
    assert (refused is None) is names
    assert refused is None or refused.status == 403


def test_without_settings_only_this_machine_is_known() -> None:
    """An empty public address is no name."""
    settings = operator_settings({})
    assert refused_request({"host": "localhost:8501"}, settings) is None
    assert refused_request({"host": "chunks.example.com"}, settings) is not None
    assert refused_request({}, settings) is not None
