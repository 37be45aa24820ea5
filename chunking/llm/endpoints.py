"""Configured OpenAI-compatible servers for texts and embeddings.

Read from the environment (`CHUNKSCOPE_LLM_URL`, `CHUNKSCOPE_EMBEDDING_URL` and so on), else from the tables `[llm]` and
`[embedding]` of `.streamlit/secrets.toml`. Never from a configuration, a link or a workspace: none of them can lead a
key to another server. All fields of an endpoint come from one source, so that a key never goes to an address set
elsewhere.
"""

from __future__ import annotations

import hashlib
import logging
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal
from urllib.parse import SplitResult, urlsplit

from pydantic import SecretStr

from chunking.allowed import allowed
from chunking.errors import ConfigError
from chunking.paths import SECRETS

__all__ = ["REMOTE_MAX_TOKENS", "Endpoint", "Kind", "endpoint", "endpoint_variables"]

REMOTE_MAX_TOKENS = 8191
"""Default token limit of a remote embedding model: that of OpenAI's embedding models."""

Kind = Literal["llm", "embedding"]

_SECRETS = Path(".streamlit") / "secrets.toml"
_SHORT = {"requests_per_minute": "RPM"}
"""Environment names that differ from the field's name."""
_LIMITS: dict[str, tuple[type, float, float]] = {
    "timeout": (float, 0.1, 3_600),
    "retries": (int, 0, 10),
    "requests_per_minute": (int, 0, 1_000_000),
    "parallel": (int, 1, 64),
    "batch": (int, 1, 2_048),
    "max_tokens": (int, 16, 10_000_000),
    "price_in": (float, 0, 1_000_000),
    "price_out": (float, 0, 1_000_000),
}
"""Type, minimum and maximum of the numeric fields."""
_ENDINGS = ("/chat/completions", "/embeddings", "/models")
"""Paths that people copy along with a base address."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Address, model, key and limits of an OpenAI-compatible server.

    Raises:
        ConfigError: the address is invalid, or the key has a character that is not allowed in a header.

    >>> Endpoint("https://api.example.com/v1/", "small", key="sk-123").key
    SecretStr('**********')
    """

    url: str
    """Base address, up to `/v1`."""
    model: str
    """Model name on the server; empty for embeddings, where the configuration names it (`remote:NAME`)."""
    key: SecretStr | str = ""
    """API key, converted to `SecretStr`, which hides it in `repr` and `str`."""
    kind: Kind = "llm"
    timeout: float = 60.0
    """Maximum seconds of one request, from its start to its last byte."""
    retries: int = 4
    """Maximum retries after a failure that may pass."""
    requests_per_minute: int = 0
    """Maximum requests started per minute by this process; 0: no limit."""
    parallel: int = 4
    """Maximum parallel requests."""
    batch: int = 32
    """Texts per embedding request: what the least generous servers accept."""
    max_tokens: int = REMOTE_MAX_TOKENS
    """Token limit of its embedding model."""
    price_in: float | None = None
    """Price per million input tokens; None if unknown."""
    price_out: float | None = None
    """Price per million output tokens; None if unknown."""

    def __post_init__(self) -> None:
        secret = self.key if isinstance(self.key, str) else self.key.get_secret_value()
        object.__setattr__(self, "key", _key(secret, self.kind))
        object.__setattr__(self, "url", _address(self.url, self.kind))

    @property
    def place(self) -> str:
        """Host and port for display; empty on a shared server."""
        return urlsplit(self.url).netloc if allowed().everything else ""

    @property
    def name(self) -> str:
        """Name for the middle of a sentence: `the LLM endpoint at localhost:8000`."""
        return f"the {'LLM' if self.kind == 'llm' else 'embedding'} endpoint{f' at {self.place}' if self.place else ''}"

    @property
    def url_hash(self) -> str:
        """Hash of the address, 8 hex digits."""
        return hashlib.sha256(self.url.encode()).hexdigest()[:8]

    def variable(self, field: str) -> str:
        """Return the name of the environment variable that sets a field."""
        return _variable(self.kind, field)

    def authorization(self) -> dict[str, str]:
        """Return the authorization header; empty without a key."""
        secret = self.key if isinstance(self.key, str) else self.key.get_secret_value()
        return {"Authorization": f"Bearer {secret}"} if secret else {}

    def scrubbed(self, text: str) -> str:
        """Replace the key in a text by `(key)`, as a server may repeat it."""
        secret = self.key if isinstance(self.key, str) else self.key.get_secret_value()
        return text.replace(secret, "(key)") if secret else text

    def cost(self, tokens_in: int, tokens_out: int = 0) -> float | None:
        """Return the price of some tokens; None if a needed price is unknown."""
        parts = ((tokens_in, self.price_in), (tokens_out, self.price_out))
        if any(price is None for tokens, price in parts if tokens):
            return None
        return sum(tokens * (price or 0.0) for tokens, price in parts) / 1e6


def endpoint(kind: Kind = "llm") -> Endpoint | None:
    """Return the configured endpoint, or None if there is none or it may not be used here.

    Read anew each time; nothing is sent to it.

    Raises:
        ConfigError: the settings are invalid; the message names the variable, or the file and its field, on a shared
            server only in the log.
    """
    here = allowed()
    if not (here.everything or here.endpoints):
        return None
    try:
        return _read_endpoint(kind)
    except ConfigError as error:
        if here.everything:
            raise
        logging.getLogger(__name__).warning("%s", error)
        raise ConfigError(
            "The server of the models cannot be used now: tell whoever runs this server.", where=kind
        ) from None


def _read_endpoint(kind: Kind) -> Endpoint | None:
    source, values = _configured(kind)
    if not values.get("url"):
        return None
    if kind == "llm" and not values.get("model"):
        raise ConfigError(
            f"{_variable(kind, 'model')} is not set ({source}): say which model of the endpoint writes.", where="model"
        )
    numbers = {name: _number(kind, name, values[name]) for name in _LIMITS if values.get(name) not in (None, "")}
    return Endpoint(
        url=values["url"], model=values.get("model") or "", key=values.get("key") or "", kind=kind, **numbers
    )


def _configured(kind: Kind) -> tuple[str, dict[str, Any]]:
    """Return the source of the endpoint's settings and their values by field."""
    names = _fields()
    if os.environ.get(_variable(kind, "url"), "").strip():
        return "in the environment", {name: os.environ.get(_variable(kind, name), "").strip() for name in names}
    for folder in (SECRETS, Path()):
        table = _table(folder / _SECRETS, kind)
        if table:
            unknown = ", ".join(sorted(table.keys() - set(names)))
            if unknown:
                raise ConfigError(
                    f"The table [{kind}] of {_SECRETS} has a field that is not known ({unknown}): use "
                    f"{', '.join(names)}."
                )
            texts = {name: table.get(name, "") for name in ("url", "model", "key")}
            if any(not isinstance(text, str) for text in texts.values()):
                raise ConfigError(
                    f"url, model and key in the table [{kind}] of {_SECRETS} are texts: put them in quotes.", where=kind
                )
            return f"in {_SECRETS}", {**table, **{name: text.strip() for name, text in texts.items()}}
    return "", {}


def _table(file: Path, kind: Kind) -> Mapping[str, Any]:
    """Read a table of a secrets file; errors do not repeat its content."""
    if not file.is_file():
        return {}
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        line = getattr(error, "lineno", None)
        where = f" (line {line})" if line else ""
        raise ConfigError(
            f"{_SECRETS} cannot be read{where}: write it as TOML, texts in quotes.", where=str(_SECRETS)
        ) from None
    table = content.get(kind, {})
    if not isinstance(table, dict):
        raise ConfigError(
            f"{kind} in {_SECRETS} is not a table: write [{kind}] and its fields on lines below.", where=str(_SECRETS)
        )
    return table


def _number(kind: Kind, name: str, value: object) -> Any:
    of, least, most = _LIMITS[name]
    try:
        number = of(str(value).strip())
    except ValueError:
        number = None
    if number is None or not least <= number <= most:
        what = "a whole number" if of is int else "a number"
        raise ConfigError(
            f"{_variable(kind, name)} is not {what} from {least:g} to {most:g}: change it.", where=name
        ) from None
    return number


def endpoint_variables(kind: Kind) -> tuple[str, ...]:
    """Return the names of all environment variables of an endpoint, set or not.

    >>> endpoint_variables("llm")[:3]
    ('CHUNKSCOPE_LLM_URL', 'CHUNKSCOPE_LLM_MODEL', 'CHUNKSCOPE_LLM_KEY')
    """
    return tuple(_variable(kind, name) for name in _fields())


def _fields() -> list[str]:
    """Return the names of the fields that can be set."""
    return [field.name for field in fields(Endpoint) if field.name != "kind"]


def _variable(kind: Kind, field: str) -> str:
    return f"CHUNKSCOPE_{kind}_{_SHORT.get(field, field)}".upper()


def _address(url: str, kind: Kind) -> str:
    """Return a base address; refuses parts that would end up in logs: user, password, query."""
    address = url.strip().rstrip("/")
    for ending in _ENDINGS:
        address = address.removesuffix(ending)
    if not _usable(address):
        raise ConfigError(
            f"{_variable(kind, 'url')} is not an address that can be used: give one such as https://api.openai.com/v1, "
            f"without user, password, ? or #; a key belongs in {_variable(kind, 'key')}.",
            where="url",
        )
    return address


def _usable(address: str) -> bool:
    if not address.isprintable() or " " in address:
        return False
    try:
        parts: SplitResult = urlsplit(address)
        parts.port  # noqa: B018 - raises where it is no number
    except ValueError:
        return False
    return (
        parts.scheme in ("http", "https")
        and bool(parts.hostname)
        and not ("@" in parts.netloc or "?" in address or "#" in address)
    )


def _key(secret: str, kind: Kind) -> SecretStr:
    secret = secret.strip()
    if not (secret.isascii() and secret.isprintable()) or " " in secret:
        raise ConfigError(
            f"{_variable(kind, 'key')} holds a character that no key has: copy the key again.", where="key"
        )
    return SecretStr(secret)
