"""`app`: the port, the workspace with its documents and questions, the browser; tests/wheel starts the server."""

from __future__ import annotations

import errno
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from chunking.cli.commands import serving
from chunking.errors import ConfigError
from chunking.store import Workspace
from components.server import launch
from tests.cli.command import Run

VARIABLES = (
    "CHUNKSCOPE_CONFIG",
    "CHUNKSCOPE_HOME",
    "CHUNKSCOPE_MODE",
    "CHUNKSCOPE_WORKSPACE",
    "CHUNKSCOPE_WORKSPACE_NAME",
)
QUESTION = '{"question": "Why does it drip?", "answer": "The seal is worn."}\n'


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[int]:
    """The ports that the command would have served on; the home folder is a new one."""
    for name in VARIABLES:
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("CHUNKSCOPE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "path", [*sys.path])
    ports: list[int] = []
    monkeypatch.setattr(launch, "serve", lambda host, port: ports.append(port))
    return ports


@pytest.fixture
def busy_port() -> Iterator[int]:
    """A port that somebody listens at."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    """A question about the guide."""
    path = tmp_path / "drips.jsonl"
    path.write_text(QUESTION, encoding="utf-8")
    return path


def sources() -> list[str]:
    """Of the documents of the workspace that the app would open."""
    return sorted(row.source for row in Workspace.open(os.environ["CHUNKSCOPE_WORKSPACE"], create=False).documents())


def test_a_free_port_is_taken_where_none_is_wanted(busy_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one from the usual on."""
    monkeypatch.setattr(serving, "_PORT", busy_port)
    assert busy_port < serving.choose_port(None) < busy_port + 100
    assert serving.choose_port(0) > 0
    monkeypatch.setattr(serving, "_TRIES", 1)
    with pytest.raises(ConfigError):
        serving.choose_port(None)


@pytest.mark.parametrize("port", [-1, 65_536])
def test_an_invalid_port_is_refused_by_its_number(run: Run, served: list[int], port: int) -> None:
    """Wrong usage, told with the number."""
    ran = run("app", "--port", port)
    assert (ran.code, served) == (2, [])
    assert str(port) in ran.complaint


def test_a_wanted_port_that_is_taken(run: Run, served: list[int], busy_port: int) -> None:
    """The next free one is, and both are said."""
    ran = run("app", "--port", busy_port, "--no-browser")
    assert (ran.code, len(served)) == (0, 1)
    assert busy_port < served[0] < busy_port + 100
    assert str(busy_port) in ran.err
    assert f"http://127.0.0.1:{served[0]}/ " in ran.err


def test_a_port_that_may_not_be_used(run: Run, served: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Another one would be no better guess: the reason is told."""

    class Refused(socket.socket):
        def bind(self, address: object) -> None:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(socket, "socket", Refused)
    ran = run("app", "--port", 80)
    assert (ran.code, served) == (2, [])
    assert os.strerror(errno.EACCES) in ran.complaint


def test_without_words_it_opens_the_workspace_of_the_home_folder(run: Run, served: list[int]) -> None:
    """Nothing is named, so nothing is set; the server puts the samples there."""
    ran = run("app", "--no-browser", "--port", 0)
    assert ran.code == 0, ran.err
    assert f"http://127.0.0.1:{served[0]}/ " in ran.err
    assert os.environ["CHUNKSCOPE_WORKSPACE"] == ""


def test_documents_are_opened_in_a_workspace_of_their_own(run: Run, served: list[int], guide: Path) -> None:
    """In the home folder, the same one at each start, under the name of the folder; another folder has another one."""
    assert run("app", guide, "--no-browser").code == 0
    first = os.environ["CHUNKSCOPE_WORKSPACE"]
    assert sources() == ["pump/guide.md"]
    assert os.environ["CHUNKSCOPE_WORKSPACE_NAME"] == "docs"
    assert Path(first).is_relative_to(os.environ["CHUNKSCOPE_HOME"])
    assert serving.workspace_of([guide / ".." / "docs"]) == Path(first)
    assert serving.workspace_of([guide / "pump"]) != Path(first)
    (guide / "more.md").write_text("# More\n\nWords.\n", encoding="utf-8")
    assert run("app", guide, "--no-browser").code == 0
    assert (os.environ["CHUNKSCOPE_WORKSPACE"], sources()) == (first, ["more.md", "pump/guide.md"])
    assert len(served) == 2


def test_what_has_not_changed_is_not_read_again(
    run: Run, served: list[int], guide: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second start reads nothing, one after a change reads, and one that asks for another way of reading."""
    calls: list[int] = []
    from chunking.indexing import add_files

    monkeypatch.setattr(
        "chunking.indexing.add_files", lambda *paths, **named: calls.append(1) or add_files(*paths, **named)
    )
    for words, expected in (((), 1), ((), 1), (("--comments",), 2)):
        assert run("app", guide, "--no-browser", *words).code == 0
        assert len(calls) == expected
    (guide / "pump" / "guide.md").write_text("# Pump\n\nAnother text.\n", encoding="utf-8")
    assert run("app", guide, "--no-browser").code == 0
    assert len(calls) == 3


def test_questions_and_settings_are_there_from_the_beginning(
    run: Run, served: list[int], guide: Path, questions: Path, tmp_path: Path
) -> None:
    """The set is saved once and named in the address; the settings are in a file that the server reads."""
    (tmp_path / "own.yaml").write_text("chunk: {size: 64}\n", encoding="utf-8")
    words = (
        "--workspace",
        tmp_path / "named",
        "--questions",
        questions,
        "--config",
        tmp_path / "own.yaml",
        "--no-browser",
    )
    for _ in range(2):
        ran = run("app", guide, *words)
        assert ran.code == 0, ran.err
        assert "/?questions=drips " in ran.err
    assert Workspace.open(tmp_path / "named", create=False).question_sets.names() == ["drips"]
    assert os.environ["CHUNKSCOPE_WORKSPACE_NAME"] == "named"
    assert os.environ["CHUNKSCOPE_CONFIG"] == str(tmp_path / "own.yaml")


@pytest.mark.parametrize(
    ("words", "variable", "code"),
    [
        (["none"], "", 1),
        (["empty"], "", 1),
        (["docs", "--questions", "none.jsonl"], "", 1),
        (["docs", "--questions", "others.jsonl"], "", 1),
        (["--questions", "drips.jsonl"], "", 2),
        (["--config", "none.yaml"], "", 2),
        (["--workspace", "s3://bucket/a"], "", 2),
        (["docs"], "demo", 2),
    ],
    ids=str,
)
def test_what_cannot_be_opened_is_told_and_nothing_is_served(
    run: Run,
    served: list[int],
    guide: Path,
    questions: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    variable: str,
    code: int,
) -> None:
    """A path that is not there, an empty folder, questions about others, settings that are none, a server of many."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CHUNKSCOPE_MODE", variable)
    Path("empty").mkdir()
    Path("others.jsonl").write_text('{"question": "Who?", "answer": "Nobody in the guide."}\n', encoding="utf-8")
    ran = run("app", *words, "--no-browser")
    assert (ran.code, ran.out, served) == (code, "", [])
    assert ran.err.splitlines()[-1].startswith("chunkscope: ")


def test_without_the_model_that_counts_it_says_what_to_install(
    run: Run, served: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before a server starts whose pages would all say it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("chunking.embedding.packaged.e5_model.find_spec", lambda name: None)
    ran = run("app", "--no-browser")
    assert (ran.code, served) == (1, [])
    assert "pip install" in ran.complaint


def test_the_browser_is_opened_once_the_server_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not before, when it would show that nobody is there."""
    answers = iter([ConnectionRefusedError(), ConnectionRefusedError(), None])
    tries: list[str] = []
    addresses: list[str] = []

    def ask(address: str, timeout: float) -> nullcontext[None]:
        tries.append(address)
        answer = next(answers)
        if answer is not None:
            raise answer
        return nullcontext()

    monkeypatch.setattr("urllib.request.urlopen", ask)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    monkeypatch.setattr("webbrowser.open", addresses.append)
    serving._open_browser("http://127.0.0.1:1", "?questions=a")
    assert (len(tries), addresses) == (3, ["http://127.0.0.1:1/?questions=a"])
