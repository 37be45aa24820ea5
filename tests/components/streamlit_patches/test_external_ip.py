"""The server tells nobody on the internet that it is there."""

from __future__ import annotations

import pytest
from streamlit import net_util
from streamlit.web.server import server_util

from components.streamlit_patches.external_ip import block_external_ip


def test_a_foreign_origin_is_refused_without_a_question_to_anybody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit looks the machine's external address up for it."""
    lookups: list[str] = []
    monkeypatch.setattr(net_util, "_make_blocking_http_get", lambda url, **_: lookups.append(url))
    monkeypatch.setattr(net_util, "get_external_ip", net_util.get_external_ip)  # put back afterwards
    assert not server_util.is_url_from_allowed_origins("https://elsewhere.example.com")
    assert lookups, "Streamlit does not ask any more: components/streamlit_patches/external_ip.py can go"
    lookups.clear()
    block_external_ip()
    assert not server_util.is_url_from_allowed_origins("https://elsewhere.example.com")
    assert server_util.is_url_from_allowed_origins("http://localhost:8501")
    assert lookups == []
