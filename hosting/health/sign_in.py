"""Check of the sign-in's options and secrets, read from Streamlit's files; no secret is printed."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from chunking.deployment.operator_settings import Mode, OperatorSettings, SignIn
from chunking.paths import PROJECT, SECRETS

__all__ = ["sign_in_faults", "streamlit_option"]

_SECRETS = ".streamlit/secrets.toml"
_KEYS = ("redirect_uri", "cookie_secret", "client_id", "client_secret", "server_metadata_url")
_LEAST_SECRET = 32
"""Least bytes of a cookie's secret: as long as the hash that signs it."""
_ANSWER = "/oauth2callback"
_HEADERS = "server.trustedUserHeaders"


def streamlit_option(name: str) -> object:
    """Return an option of Streamlit from the environment or `config.toml`; None if not set.

    The project's file comes before the user's. Options on the server's command line are unknown to other processes.
    """
    section, _, key = name.partition(".")
    words = "".join(f"_{letter}" if letter.isupper() else letter for letter in key)
    text = os.environ.get(f"STREAMLIT_{section}_{words}".upper())
    if text is not None:
        return _read_value(text)
    for folder in (PROJECT, Path.home()):
        value = _toml(folder / ".streamlit" / "config.toml").get(section, {}).get(key)
        if value is not None:
            return value
    return None


def sign_in_faults(settings: OperatorSettings, option: Callable[[str], object] = streamlit_option) -> list[str]:
    """Return what is wrong with the sign-in, a sentence each; empty if the mode needs none.

    Args:
        option: value of an option of Streamlit; None where it is not set.
    """
    sharing = settings.sharing
    if sharing.mode is not Mode.TEAM:
        return []
    named = option(_HEADERS) or {}
    headers = named if isinstance(named, Mapping) else {}
    faults = list(_oidc(sharing.public_url, headers) if sharing.sign_in is SignIn.OIDC else _proxy(headers))
    if not settings.operators:
        faults.append("Nobody sees the page for operators; name their e-mail addresses in CHUNKSCOPE_OPERATORS.")
    return faults


def _oidc(public_url: str, headers: Mapping[str, Any]) -> Iterator[str]:
    if headers:
        yield (
            f"{_HEADERS} is set although people sign in by OIDC: anyone who sends such headers could "
            f"impersonate others; delete it."
        )
    if not find_spec("authlib"):
        yield "Authlib is not installed, and sign-in needs it: pip install -c constraints.txt Authlib."
    file = next((place for place in (SECRETS / _SECRETS, Path.home() / _SECRETS) if place.is_file()), None)
    if file is None:
        yield (
            f"There is no {_SECRETS}; copy deploy/secrets.example.toml to it, and enter the values of your "
            f"provider under [auth]."
        )
        return
    try:
        auth = tomllib.loads(file.read_text(encoding="utf-8")).get("auth", {})
    except OSError as error:
        yield f"{file} cannot be read ({error.strerror}); give it to the user of the server."
        return
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):  # what it says quotes the file
        yield f"{file} is not TOML; compare it with deploy/secrets.example.toml."
        return
    yield from _auth(auth if isinstance(auth, dict) else {}, public_url, file)


def _auth(auth: Mapping[str, Any], public_url: str, file: Path) -> Iterator[str]:
    missing = [key for key in _KEYS if not str(auth.get(key, "")).strip()]
    if missing:
        yield f"[auth] of {file} has no {', '.join(missing)}; deploy/secrets.example.toml shows all."
    secret = str(auth.get("cookie_secret", ""))
    if secret and len(secret.encode()) < _LEAST_SECRET:
        yield f"cookie_secret of {file} is shorter than {_LEAST_SECRET} characters; make one with openssl rand -hex 32."
    answer = str(auth.get("redirect_uri", ""))
    if answer and not answer.endswith(_ANSWER):
        yield f"redirect_uri of {file} does not end with {_ANSWER}; correct it there and at the provider."
    elif answer and public_url and answer != public_url.rstrip("/") + _ANSWER:
        yield (f"redirect_uri of {file} is not CHUNKSCOPE_PUBLIC_URL followed by {_ANSWER}; correct one of them.")


def _proxy(headers: Mapping[str, Any]) -> Iterator[str]:
    if not {"sub", "email"} & set(map(str, headers.values())):
        example = (
            """STREAMLIT_SERVER_TRUSTED_USER_HEADERS='{"X-Forwarded-User": "sub", "X-Forwarded-Email": "email"}'"""
        )
        yield (
            f"The headers of the proxy are not named, so nobody can sign in; set {example}, or {_HEADERS} in "
            f".streamlit/config.toml."
        )


def _read_value(text: str) -> object:
    try:
        return json.loads(text.lower() if text.lower() in ("true", "false") else text)
    except ValueError:
        return text


def _toml(file: Path) -> dict[str, Any]:
    """Return a parsed file; empty if missing or invalid: Streamlit itself refuses to start with it."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError):
        return {}
