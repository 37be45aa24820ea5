"""The signature of a demo visitor's cookie, and the key of a deployment."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from chunking.errors import StoreError
from hosting.demo import visit_cookies
from hosting.demo.visit_cookies import KEY_FILE, issue_cookie, token_of
from hosting.demo.visits import is_token


@pytest.fixture(autouse=True)
def _fresh_keys() -> None:
    visit_cookies._key.cache_clear()


def test_a_deployment_knows_its_own_cookies(tmp_path: Path) -> None:
    """Also after a restart, and no others: neither those of another deployment nor a token without its signature."""
    cookie = issue_cookie(tmp_path / "a")
    visit_cookies._key.cache_clear()
    token = token_of(tmp_path / "a", cookie)
    assert is_token(token)
    assert cookie.startswith(f"{token}.")
    for foreign in (issue_cookie(tmp_path / "b"), token, f"{token}.", "", ".", cookie.upper(), f"{cookie} "):
        assert token_of(tmp_path / "a", foreign) == ""


def test_all_processes_sign_with_one_key(tmp_path: Path) -> None:
    """Those that start together too; nobody else on the machine reads it."""
    with ThreadPoolExecutor(8) as threads:
        keys = set(threads.map(visit_cookies._key.__wrapped__, [tmp_path] * 32))
    assert len(keys) == 1
    assert [file.name for file in tmp_path.iterdir()] == [KEY_FILE]
    assert stat.S_IMODE((tmp_path / KEY_FILE).stat().st_mode) == 0o600


def test_a_key_that_cannot_be_used_is_reported_in_a_sentence(tmp_path: Path) -> None:
    """Where its name is taken by a folder."""
    (tmp_path / KEY_FILE).mkdir()
    with pytest.raises(StoreError, match=KEY_FILE):
        issue_cookie(tmp_path)
