"""What the operator allows is asked where something is loaded or contacted; what is forbidden and what is not there are
one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from chunking.allowed import Allowed, allow
from chunking.config import ENGLISH_MODEL, Config, EmbeddingConfig
from chunking.embedding import load_cross_encoder, load_embedder
from chunking.embedding.model_folder import counting_folder, find_model
from chunking.embedding.model_list import available_models
from chunking.errors import ChunkscopeError, ConfigError, ModelError, ParseError
from chunking.indexing import read_files
from chunking.indexing.planning.index_plan import make_plan
from chunking.llm import Endpoint
from chunking.llm.endpoints import endpoint
from chunking.parsing import parse
from chunking.parsing.sandbox import parse_guarded, read_with_second_parser
from chunking.splitting.strategies.custom_splitters import check_splitter, find_splitter, splitter_names, use_splitters
from chunking.store import Workspace

NOTHING = Allowed(everything=False)
GONE = "no-such-thing-on-this-machine"

LOADED: dict[str, Callable[[str], object]] = {
    "embedder": lambda name: load_embedder(EmbeddingConfig(model=name)),
    "counting": lambda name: counting_folder(EmbeddingConfig(model=name)),
    "remote": lambda name: load_embedder(EmbeddingConfig(model=f"remote:{name}")),
    "counting for remote": lambda name: counting_folder(EmbeddingConfig(model=f"remote:{name}")),
    "cross-encoder": load_cross_encoder,
    "splitter": find_splitter,
    "splitter before a run": check_splitter,
    "files": lambda name: read_files([name]),
}
"""Where a name is turned into something of the machine."""

NAMED = [
    "/etc/passwd",
    "..",
    "../..",
    "/",
    "~",
    "~root",
    "http://169.254.169.254/",
    "os:system",
    "os.system",
    "a" * 400,
    "\0",
]
"""What a visitor may try."""


@pytest.fixture
def own_model(tmp_path: Path) -> Path:
    """A folder with the packaged model in it, under another name."""
    (tmp_path / "models").mkdir()
    here = tmp_path / "models" / "ours"
    here.symlink_to(find_model(ENGLISH_MODEL).path)
    return here


@pytest.fixture
def known_splitter(monkeypatch: pytest.MonkeyPatch) -> str:
    """One that the operator has named."""
    monkeypatch.setenv("CHUNKSCOPE_SPLITTERS", "lines=builtins:str.splitlines;broken=no.such_module:split")
    return "lines"


def refusal_of(load: Callable[[str], object], name: str) -> str:
    """The sentence about a name, without the name."""
    with pytest.raises(ChunkscopeError) as error:
        load(name)
    return re.sub(r"'.*'", "NAME", str(error.value), flags=re.DOTALL)


@pytest.mark.parametrize("where", LOADED)
def test_what_is_forbidden_and_what_is_not_there_are_one_sentence(
    where: str, own_model: Path, known_splitter: str
) -> None:
    """A path of the host, an address, a module, another's folder: nothing tells whether there is one."""
    allow(NOTHING)
    there = [str(own_model), str(own_model.parent), known_splitter, "broken", __file__]
    assert {refusal_of(LOADED[where], name) for name in [*NAMED, *there]} == {refusal_of(LOADED[where], GONE)}


def test_the_packaged_model_may_always_be_named() -> None:
    """It comes with the installation; nothing else is offered."""
    allow(NOTHING)
    assert find_model(f"sentence-transformers/{ENGLISH_MODEL}").name == ENGLISH_MODEL
    assert {one.place for one in available_models()} == {"packaged"}


def test_a_listed_folder_is_named_by_its_last_part(own_model: Path) -> None:
    """People never see, and never may give, its path."""
    allow(Allowed(everything=False, models=frozenset({str(own_model)})))
    assert [one.value for one in available_models() if one.place != "packaged"] == ["ours"]
    assert find_model("ours").path == own_model.resolve()
    with pytest.raises(ModelError):
        find_model(str(own_model))


def test_what_is_wrong_with_a_listed_model_is_reported_in_the_log_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The sentence is that of a model that may not be named."""
    allow(Allowed(everything=False, models=frozenset({str(tmp_path / "ours")})))
    assert refusal_of(find_model, "ours") == refusal_of(find_model, GONE)
    assert str(tmp_path) in caplog.text


@pytest.mark.parametrize(("downloads", "fetched"), [(False, []), (True, ["cross-encoder/small"])])
def test_only_a_listed_model_is_fetched_and_only_where_downloads_are_allowed(
    monkeypatch: pytest.MonkeyPatch, downloads: bool, fetched: list[str]
) -> None:
    """Whatever the configuration says."""
    calls: list[str] = []

    def hub(name: str, allow_download: bool) -> Path:
        if allow_download:
            calls.append(name)
        raise ModelError(name)

    monkeypatch.setattr("chunking.embedding.model_folder._hub_folder", hub)
    allow(Allowed(everything=False, models=frozenset({"small"}), downloads=downloads))
    for name in ("small", "large", "org/small"):
        with pytest.raises(ModelError):
            load_cross_encoder(name, allow_download=True)
    assert calls == fetched


def test_a_server_is_used_only_where_it_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """And of its models those that it or the list names; its address is in no sentence."""
    for kind in ("LLM", "EMBEDDING"):
        monkeypatch.setenv(f"CHUNKSCOPE_{kind}_URL", "http://10.1.2.3:8000/v1")
        monkeypatch.setenv(f"CHUNKSCOPE_{kind}_MODEL", "small")
    allow(NOTHING)
    assert (endpoint("llm"), endpoint("embedding")) == (None, None)
    allow(Allowed(everything=False, endpoints=True, models=frozenset({"remote:middle"})))
    assert [one.value for one in available_models() if one.place != "packaged"] == ["remote:small", "remote:middle"]
    for name in ("small", "middle"):
        load_embedder(EmbeddingConfig(model=f"remote:{name}"))
    with pytest.raises(ModelError):
        load_embedder(EmbeddingConfig(model="remote:large"))
    server = endpoint("llm")
    assert server is not None
    assert "10.1.2.3" not in server.name + server.place
    monkeypatch.setenv("CHUNKSCOPE_LLM_URL", "file:///etc/passwd")
    with pytest.raises(ConfigError) as error:
        endpoint("llm")
    assert "CHUNKSCOPE" not in str(error.value)


def test_an_address_is_shown_to_whoever_works_on_their_own_machine() -> None:
    """As before there was a list."""
    assert Endpoint("http://127.0.0.1:8000/v1", "small").place == "127.0.0.1:8000"


def test_splitters_of_the_server_are_offered_where_they_are_allowed(known_splitter: str) -> None:
    """What a workspace holds as a splitter always is: it is its people's own."""
    allow(NOTHING)
    use_splitters({"theirs": str.split})
    assert known_splitter not in splitter_names()
    assert find_splitter("theirs") is str.split
    allow(Allowed(everything=False, splitters=True))
    assert known_splitter in splitter_names()
    assert find_splitter(known_splitter) is str.splitlines
    with pytest.raises(ConfigError) as error:
        find_splitter("broken")
    assert "no.such_module" not in str(error.value)
    use_splitters({})


def test_files_are_read_by_their_paths_in_listed_folders_alone(tmp_path: Path) -> None:
    """Links are followed before that is asked."""
    inside, outside = tmp_path / "in", tmp_path / "out"
    for folder in (inside, outside):
        folder.mkdir()
        (folder / "a.md").write_text("# A\n\nText.\n")
    allow(Allowed(everything=False, folders=(inside,)))
    assert len(read_files([inside / "a.md"]).documents) == 1
    (inside / "link.md").symlink_to(outside / "a.md")
    for path in (outside, inside / ".." / "out", inside / "link.md"):
        with pytest.raises(ParseError):
            read_files([path])


SCANNED: dict[str, Callable[[bytes], object]] = {
    "ocr": lambda data: parse_guarded(data, "a.md", ocr=True),
    "ocr in this process": lambda data: parse(data, "a.md", ocr=True),
    "unstructured": lambda data: read_with_second_parser(data, "a.md", "md"),
}


@pytest.mark.parametrize("engine", SCANNED)
def test_files_are_read_by_allowed_engines_alone(monkeypatch: pytest.MonkeyPatch, engine: str) -> None:
    """Refused before a process starts; allowed readers, and the program's own, run as ever."""
    calls: list[object] = []

    def ask(request: Any, *_: object) -> None:
        calls.append(request.head["do"])
        raise ParseError("asked")

    monkeypatch.setattr("chunking.parsing.sandbox.parse_client._ask", ask)
    allow(NOTHING)
    with pytest.raises(ParseError) as error:
        SCANNED[engine](b"# A\n\nText.\n")
    assert (error.value.where, calls) == (engine.split()[0], [])
    parse(b"# A\n\nText.\n", "a.md")
    allow(Allowed(everything=False, engines=frozenset({engine.split()[0]})))
    with suppress(ParseError):
        SCANNED[engine](b"# A\n\nText.\n")
    assert len(calls) == ("process" not in engine)


@pytest.mark.parametrize(
    "settings",
    [
        {"embedding.model": "/etc/passwd"},
        {"embedding.model": "remote:large"},
        {"strategy": "custom", "splitter": "lines"},
        {"category.manual.strategy": "custom", "category.manual.splitter": "lines"},
    ],
    ids=str,
)
def test_no_index_is_planned_with_what_may_not_be_named(
    tmp_path: Path, known_splitter: str, settings: dict[str, str]
) -> None:
    """Whatever configuration comes to the library: a link's, a file's, an opened workspace's."""
    allow(NOTHING)
    with pytest.raises((ModelError, ConfigError)) as error:
        make_plan(Workspace.open(tmp_path / "ws"), Config.from_settings(settings))
    assert error.value.where in ("embedding.model", "splitter")
