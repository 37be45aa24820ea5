"""Signed cookies of demo visitors, so that nobody can choose another's visit."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import tempfile
from base64 import urlsafe_b64encode
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from chunking.errors import StoreError
from hosting.demo.visits import is_token

__all__ = ["KEY_FILE", "issue_cookie", "sign_token", "token_of"]

KEY_FILE = "visit_key"
"""File in the home folder with the signing key that all processes share, also after a restart."""
_BYTES = 32


def issue_cookie(home: Path) -> str:
    """Return a new visitor's cookie: a random token and its signature.

    Raises:
        StoreError: the key cannot be read, or written where there is none yet.
    """
    return sign_token(_key(home), secrets.token_urlsafe(_BYTES))


def token_of(home: Path, cookie: str) -> str:
    """Return the token of a cookie that this deployment signed; empty for any other text.

    Raises:
        StoreError: as `issue_cookie`.
    """
    token = cookie.partition(".")[0]
    if not is_token(token) or not cookie.isascii():
        return ""
    return token if hmac.compare_digest(cookie, sign_token(_key(home), token)) else ""


def sign_token(key: bytes, token: str) -> str:
    """Return a token and its signature, separated by a dot.

    >>> sign_token(b"key", "token")
    'token.ZGuOrAxK5BeCmcm9kk4r8HPfsH4CSQGoyGT2W5Rivw0'
    """
    digest = hmac.digest(key, token.encode("ascii"), hashlib.sha256)
    return f"{token}.{urlsafe_b64encode(digest).decode('ascii').rstrip('=')}"


@lru_cache(maxsize=4)
def _key(home: Path) -> bytes:
    """Return the deployment's key; the first process that needs it makes it."""
    file = home / KEY_FILE
    try:
        if not file.exists():
            _write_key(file)
        return file.read_bytes()
    except OSError as error:
        sentence = f"The key of the demo's visits, {file}, cannot be used ({error.strerror}); check its permissions."
        raise StoreError(sentence, where=str(file)) from error


def _write_key(file: Path) -> None:
    """Write a new key unless another process has done so: the link appears complete or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{KEY_FILE}-")  # readable by this user alone
    try:
        with os.fdopen(handle, "wb") as new:
            new.write(secrets.token_bytes(_BYTES))
        with suppress(FileExistsError):
            os.link(name, file)
    finally:
        os.unlink(name)
