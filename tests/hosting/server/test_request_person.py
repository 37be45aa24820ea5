"""Who sends a request: what is believed, and what anybody could say of themselves."""

from __future__ import annotations

import json

import pytest
from streamlit import config
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value

from chunking.deployment import SignIn
from hosting.people.people import person_id
from hosting.server.request_person import person_of


def test_a_sign_in_is_believed_for_its_signature(monkeypatch: pytest.MonkeyPatch) -> None:
    """One with another server's signature, or none, is nobody's; headers count for nothing there."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", "team")
    before = config.get_option("server.cookieSecret")
    said = json.dumps({"is_logged_in": True, "sub": "7", "iss": "https://id.example.com", "origin": "http://here"})
    config.set_option("server.cookieSecret", "s" * 40)
    try:
        ours, forged = (create_signed_value(secret * 40, "_streamlit_user", said).decode() for secret in "sf")
        claims = [("X-Forwarded-User", "7"), ("sub", "7"), ("Remote-User", "7")]
        assert person_of(claims, {"_streamlit_user": ours}) == person_id("https://id.example.com", "7")
        for wrong in (forged, said, ""):
            assert person_of(claims, {"_streamlit_user": wrong}) == ""
    finally:
        config.set_option("server.cookieSecret", before)


def test_headers_are_believed_where_the_operator_names_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that sends some of its own accord stays nobody."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", "team")
    monkeypatch.setenv("CHUNKSCOPE_SIGN_IN", "proxy")
    monkeypatch.setenv("CHUNKSCOPE_HOME", "/nowhere/proxy")  # read anew: a deployment's settings are kept by its home
    sent = [("X-Forwarded-User", "ann"), ("X-Forwarded-Email", "ann@example.com"), ("sub", "ann")]
    assert person_of(sent, {}) == ""
    before = config.get_option("server.trustedUserHeaders")
    config.set_option("server.trustedUserHeaders", {"X-Forwarded-User": "sub"})
    try:
        assert person_of(sent, {}) == person_id(SignIn.PROXY, "ann")
        assert person_of(sent[1:], {}) == ""
    finally:
        config.set_option("server.trustedUserHeaders", before)
