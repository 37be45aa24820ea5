"""Faults of the operator's settings: variables, allow list and sign-in.

Users learn only that something cannot be used; the operator's doctor says why. Options and secrets of the sign-in are
read from Streamlit's files, and no secret is printed.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from chunking.config import remote_name
from chunking.deployment.forbidden_settings import check_embedding_model
from chunking.deployment.operator_settings import Mode, OperatorSettings, SignIn
from chunking.deployment.operator_sources import operator_rows, variable
from chunking.errors import ConfigError, ModelError, StoreError
from chunking.llm.endpoints import Kind, endpoint, endpoint_variables
from chunking.paths import PROJECT, SECRETS
from hosting.hosted_deployment import HostedDeployment

__all__ = ["allow_list_faults", "misspelt_variables", "sign_in_faults", "streamlit_option"]

_ENDPOINTS: tuple[Kind, ...] = ("llm", "embedding")
_PREFIX = "CHUNKSCOPE_"
_OTHERS = ("ENGINES", "MODELS", "SETTINGS", "SPLITTERS", "TRACEBACKS", "WORKSPACE", "WORKSPACE_NAME")
"""Variables read besides the operator's settings and the model servers'; a test holds that these are all."""
_ALIKE = 0.7
"""Least similarity to a known name: `OPERATOR` and `LLM_API_KEY` reach it, `PORT` and `SERVICE_HOST` do not."""
_SECRETS = ".streamlit/secrets.toml"
_KEYS = ("redirect_uri", "cookie_secret", "client_id", "client_secret", "server_metadata_url")
_LEAST_SECRET = 32
"""Least bytes of a cookie's secret: as long as the hash that signs it."""
_ANSWER = "/oauth2callback"
_HEADERS = "server.trustedUserHeaders"


def allow_list_faults(here: HostedDeployment) -> Iterator[str]:
    """Yield a sentence for each allowed model, endpoint or folder that cannot be used here.

    Also for indexes of a demo's base whose model is not allowed. Yields nothing where one person works alone. The
    sentences name paths, so only operators may read them.
    """
    if not here.settings.shared:
        return
    yield from _models(here)
    yield from _endpoints(here)
    yield from _folders(here)
    yield from _base(here)


def _models(here: HostedDeployment) -> Iterator[str]:
    from chunking.embedding.model_folder import find_model

    local = sorted(entry for entry in here.settings.models if remote_name(entry) is None)
    for entry in [] if here.settings.allow.downloads else local:
        try:
            find_model(entry)
        except ModelError as error:
            try:
                find_model(entry, publisher="cross-encoder")
            except ModelError:
                yield f"CHUNKSCOPE_ALLOW_MODELS names {entry}, which cannot be used. {error}"


def _endpoints(here: HostedDeployment) -> Iterator[str]:
    if not here.settings.allow.endpoints:
        return
    configured = 0
    for kind in _ENDPOINTS:
        try:
            configured += endpoint(kind) is not None
        except ConfigError as error:
            configured += 1
            yield str(error)
    if not configured:
        yield (
            "CHUNKSCOPE_ALLOW_ENDPOINTS is on, and no server is configured: set CHUNKSCOPE_LLM_URL or "
            "CHUNKSCOPE_EMBEDDING_URL."
        )


def _folders(here: HostedDeployment) -> Iterator[str]:
    for folder in here.settings.folders:
        if not folder.expanduser().is_dir():
            yield f"CHUNKSCOPE_ALLOW_FOLDERS names {folder}, which is not a folder here: change it."


def _base(here: HostedDeployment) -> Iterator[str]:
    """Yield a sentence for each index of a demo's base that visitors cannot search for lack of its model."""
    if here.settings.sharing.mode is not Mode.DEMO or here.base.named is None:
        return
    try:
        base = here.base.check()
        rows = base.indexes() if base is not None else []
    except StoreError:
        return  # said by the check of the base itself
    for row in rows:
        name = row.config.embedding.model
        try:
            check_embedding_model(here.allowed, name)
        except (ModelError, ConfigError):
            yield (
                f"Visitors cannot search the index {row.name} of the demo template: its model {name} is not "
                f"on the list by that name. Add it to CHUNKSCOPE_ALLOW_MODELS unless it is a folder, or "
                f"build the index with another model."
            )


def misspelt_variables(environment: Mapping[str, str] | None = None) -> Iterator[str]:
    """Yield a sentence for each unread `CHUNKSCOPE_*` variable whose name resembles a known one.

    Others are left alone: Kubernetes, for one, sets `CHUNKSCOPE_PORT` for a service of that name.

    Args:
        environment: instead of the process's own.

    >>> list(misspelt_variables({"CHUNKSCOPE_OPERATOR": "ann@example.com", "CHUNKSCOPE_PORT": "tcp://10.0.0.1:80"}))
    ['Nothing reads CHUNKSCOPE_OPERATOR; did you mean CHUNKSCOPE_OPERATORS?']
    """
    environment = os.environ if environment is None else environment
    read = [*map(variable, operator_rows()), *endpoint_variables("llm"), *endpoint_variables("embedding")]
    names = [*(name.removeprefix(_PREFIX) for name in read), *_OTHERS]
    for name in sorted(name.removeprefix(_PREFIX) for name in environment if name.startswith(_PREFIX)):
        matches = get_close_matches(name, names, 1, _ALIKE)
        if matches and name not in names:
            yield f"Nothing reads {_PREFIX}{name}; did you mean {_PREFIX}{matches[0]}?"


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
    """Return faults of a team's sign-in, and a missing list of operators; empty in other modes.

    Args:
        option: returns the value of an option of Streamlit; None if it is not set.
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
