"""Whom a sign-in vouches for, and when their e-mail address decides anything."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from streamlit import config

from chunking.deployment import SignIn
from components.session.host import deployment
from hosting.people import identity
from hosting.people.identity import vouched_for

SAID = {"is_logged_in": True, "sub": "eve", "iss": "https://id.example.com", "email": "ann@example.com"}


@pytest.fixture(autouse=True)
def _team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A team whose operator is Ann."""
    for name, value in {"MODE": "team", "HOME": str(tmp_path), "OPERATORS": "ann@example.com"}.items():
        monkeypatch.setenv(f"CHUNKSCOPE_{name}", value)
    identity._tell_unverified.cache_clear()


def is_operator(said: dict[str, object], sign_in: SignIn = SignIn.OIDC) -> bool:
    """Whether the address that was said makes an operator; everybody is let in."""
    person = vouched_for(said, sign_in)
    assert person is not None
    assert bool(person.email) is deployment().is_operator(person)
    return bool(person.email)


@pytest.mark.parametrize("verified", [True, "true", "True"])
def test_a_verified_address_is_taken(verified: object) -> None:
    """Also where the provider sends the claim as text."""
    assert is_operator({**SAID, "email_verified": verified})


@pytest.mark.parametrize("trusts", [False, True])
@pytest.mark.parametrize("verified", [False, "false", "False", 0, 1, "", "no", [True]])
def test_an_unverified_address_decides_nothing(monkeypatch: pytest.MonkeyPatch, verified: object, trusts: bool) -> None:
    """Whatever is set: anybody may have typed it at the provider."""
    monkeypatch.setenv("CHUNKSCOPE_TRUST_EMAIL", str(trusts).lower())
    assert not is_operator({**SAID, "email_verified": verified})


def test_without_the_claim_the_operator_decides(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """And finds the reason in the log, once, by the name of the setting."""
    with caplog.at_level(logging.WARNING):
        assert not is_operator(dict(SAID))
        assert not is_operator({**SAID, "email_verified": None})
    assert [("CHUNKSCOPE_TRUST_EMAIL" in line.message) for line in caplog.records] == [True]
    monkeypatch.setenv("CHUNKSCOPE_TRUST_EMAIL", "true")
    monkeypatch.setenv("CHUNKSCOPE_HOME", str(tmp_path / "other"))
    assert is_operator(dict(SAID))


def test_a_proxy_vouches_by_the_headers_that_the_operator_names() -> None:
    """It says nothing of verification; where it does, that holds."""
    before = config.get_option("server.trustedUserHeaders")
    config.set_option("server.trustedUserHeaders", {"X-Forwarded-Email": "email"})
    try:
        assert is_operator({"email": "ann@example.com"}, SignIn.PROXY)
        assert not is_operator({"email": "ann@example.com", "email_verified": "false"}, SignIn.PROXY)
    finally:
        config.set_option("server.trustedUserHeaders", before)
