"""Where an endpoint is configured, what is refused, and that its key shows itself nowhere."""

from __future__ import annotations

import copy
import dataclasses
import json
import logging
import os
import pickle
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

import chunking.llm.endpoints
from chunking.errors import ConfigError
from chunking.llm.endpoints import Endpoint, endpoint
from tests.support.llm_server import KEY

URL = "https://api.example.com/v1"


@pytest.fixture(autouse=True)
def _nothing_configured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No endpoint of whoever runs the tests is used."""
    for name in [name for name in os.environ if name.startswith(("CHUNKSCOPE_LLM_", "CHUNKSCOPE_EMBEDDING_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(chunking.llm.endpoints, "SECRETS", tmp_path / "project")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")


def secrets(folder: Path, text: str) -> None:
    """Write the secrets file of a folder."""
    file = folder / ".streamlit" / "secrets.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def test_without_an_address_there_is_no_endpoint() -> None:
    """Nothing is guessed: without an address there is no endpoint."""
    assert endpoint("llm") is None
    assert endpoint("embedding") is None


def test_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every field has its variable; what is not set keeps its default."""
    values = {
        "URL": f" {URL}/ ",
        "MODEL": "small",
        "KEY": f"{KEY}\n",
        "TIMEOUT": "5.5",
        "RETRIES": "0",
        "RPM": "120",
        "PRICE_IN": "0.15",
    }
    for name, value in values.items():
        monkeypatch.setenv(f"CHUNKSCOPE_LLM_{name}", value)
    result = endpoint()
    assert result == Endpoint(URL, "small", KEY, timeout=5.5, retries=0, requests_per_minute=120, price_in=0.15)
    assert result.authorization() == {"Authorization": f"Bearer {KEY}"}
    assert (result.parallel, result.price_out, result.kind) == (4, None, "llm")
    assert endpoint("embedding") is None


@pytest.mark.parametrize("place", ["project", "here"])
def test_from_the_secrets_file(tmp_path: Path, place: str) -> None:
    """Of the project, or of the folder one works in; numbers are numbers there."""
    (tmp_path / "project").mkdir()
    secrets(
        tmp_path / place,
        (
            f'[llm]\nurl = "{URL}"\nmodel = "small"\nkey = "{KEY}"\nparallel = 8\n[embedding]\nurl = '
            f'"{URL}"\nmax_tokens = 512\n'
        ),
    )
    assert endpoint("llm") == Endpoint(URL, "small", KEY, parallel=8)
    assert endpoint("embedding") == Endpoint(URL, "", kind="embedding", max_tokens=512)


def test_a_key_never_goes_to_an_address_set_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address in the environment takes nothing from the file."""
    secrets(tmp_path / "here", f'[llm]\nurl = "{URL}"\nmodel = "small"\nkey = "{KEY}"\n')
    monkeypatch.setenv("CHUNKSCOPE_LLM_URL", "http://elsewhere:1/v1")
    with pytest.raises(ConfigError, match="CHUNKSCOPE_LLM_MODEL is not set"):
        endpoint()
    monkeypatch.setenv("CHUNKSCOPE_LLM_MODEL", "other")
    result = endpoint()
    assert result == Endpoint("http://elsewhere:1/v1", "other")
    assert result.authorization() == {}


@pytest.mark.parametrize(
    ("variable", "value", "sentence"),
    [
        ("TIMEOUT", "soon", "CHUNKSCOPE_LLM_TIMEOUT is not a number from 0.1 to 3600"),
        ("TIMEOUT", "nan", "not a number"),
        ("RETRIES", "2.5", "CHUNKSCOPE_LLM_RETRIES is not a whole number from 0 to 10"),
        ("RPM", "-1", "CHUNKSCOPE_LLM_RPM is not"),
        ("PARALLEL", "0", "CHUNKSCOPE_LLM_PARALLEL is not"),
        ("PRICE_OUT", "free", "CHUNKSCOPE_LLM_PRICE_OUT is not"),
        ("MODEL", "", "CHUNKSCOPE_LLM_MODEL is not set"),
        ("URL", "api.example.com", "CHUNKSCOPE_LLM_URL is not an address"),
        ("URL", "ftp://api.example.com", "not an address"),
        ("URL", "http://", "not an address"),
        ("URL", "http://host:port/v1", "not an address"),
        ("URL", "http://[::1/v1", "not an address"),
        ("URL", f"https://user:{KEY}@api.example.com/v1", "without user"),
        ("URL", f"https://api.example.com/v1?key={KEY}", "a key belongs in CHUNKSCOPE_LLM_KEY"),
        ("KEY", f"{KEY}\r\nX-Evil: 1", "character that no key"),
        ("KEY", f"{KEY}ключ", "character that no key"),
    ],
)
def test_what_cannot_be_used_is_one_sentence_without_the_key(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, sentence: str
) -> None:
    """It names the variable; a key inside an address or a broken key is not repeated."""
    for name, values in ({"URL": URL, "MODEL": "small", "KEY": KEY} | {variable: value}).items():
        monkeypatch.setenv(f"CHUNKSCOPE_LLM_{name}", values)
    with pytest.raises(ConfigError, match=sentence) as caught:
        endpoint()
    message = "".join(traceback.format_exception(caught.value))
    assert KEY not in message
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (f'[llm]\nkey = "{KEY}\n', "cannot be read"),
        (f'llm = "{KEY}"\n', "is not a table"),
        (f'[llm]\nurl = "{URL}"\nmodel = "m"\npassword = "{KEY}"\n', r"a field that is not known \(password\)"),
        (f'[llm]\nurl = "{URL}"\nmodel = 5\nkey = "{KEY}"\n', "in quotes"),
        (f'[llm]\nurl = "{URL}"\nkey = "{KEY}"\n', "CHUNKSCOPE_LLM_MODEL is not set"),
        (f'[llm]\nurl = "{URL}"\nmodel = "m"\nkey = "{KEY}"\nretries = "many"\n', "RETRIES is not a whole number"),
    ],
)
def test_a_broken_secrets_file_is_one_sentence_without_the_key(tmp_path: Path, text: str, sentence: str) -> None:
    """Nor does the chain of causes hold a line of the file."""
    secrets(tmp_path / "here", text)
    with pytest.raises(ConfigError, match=sentence) as caught:
        endpoint()
    assert KEY not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("ending", ["", "/", "/chat/completions", "/embeddings", "/models"])
def test_a_whole_address_is_understood(ending: str) -> None:
    """People copy the address of a call as often as the base address."""
    assert Endpoint(URL + ending, "small").url == URL


SHOWN: dict[str, Callable[[Endpoint], str]] = {
    "repr": repr,
    "str": str,
    "format": lambda one: f"{one} {one.key} {one.key!r}",
    "fields": lambda one: repr(dataclasses.asdict(one)),
    "copy": lambda one: repr(copy.deepcopy(dataclasses.replace(one, model="other"))),
    "json": lambda one: json.dumps(dataclasses.asdict(one), default=str),
    "name": lambda one: f"{one.name} {one.place} {one.url_hash} {one.url}",
    "error": lambda one: "".join(traceback.format_exception(ValueError(one))),
}


@pytest.mark.parametrize("show", SHOWN.values(), ids=SHOWN)
def test_the_key_does_not_show_itself(show: Callable[[Endpoint], str], caplog: pytest.LogCaptureFixture) -> None:
    """In no way that an object gets into a log, a page or a file by accident."""
    one = Endpoint(URL, "small", KEY)
    caplog.set_level(logging.DEBUG)
    logging.getLogger("test").info("%s %r", one, one)
    assert KEY not in show(one)
    assert KEY not in caplog.text


def test_copies_keep_the_key() -> None:
    """Of a process and of its children, which are given it in the environment, not in a message."""
    one = Endpoint(URL, "small", KEY)
    assert pickle.loads(pickle.dumps(one)) == dataclasses.replace(one) == one
    assert dataclasses.replace(one).authorization() == one.authorization()
    assert one != dataclasses.replace(one, key="another")


def test_cost_is_known_only_where_prices_are() -> None:
    """A price that is not known is not taken for 0."""
    priced = Endpoint(URL, "small", price_in=0.5, price_out=2.0)
    assert priced.cost(1_000_000, 500_000) == pytest.approx(1.5)
    assert Endpoint(URL, "small").cost(10) is None
    assert Endpoint(URL, "small", price_in=1.0).cost(1_000_000) == 1.0
    assert Endpoint(URL, "small", price_in=1.0).cost(1, 1) is None
