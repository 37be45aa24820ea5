"""Reading in a process of its own: the same documents, and whatever a file does to its process is one sentence."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from chunking.errors import Cancelled, ParseError, TooLargeError
from chunking.parsing import MAX_BYTES, ChildLimits, parse, parse_guarded, render_page
from chunking.parsing.sandbox import parse_client, process
from tests.support.facts import tells

_TEXT = b"# Install\n\nRun it.\n\n| a | b |\n|--|--|\n| 1 | 2 |\n"
_LONG = b"# T\n\nSome text in a paragraph with words.\n\n" * 15_000
_ROOT = Path(__file__).parents[3]
_mkdtemp = tempfile.mkdtemp


def refusal(work: Callable[[], object], kind: type[ParseError] = ParseError) -> str:
    """The one sentence of what must fail."""
    with pytest.raises(ParseError) as caught:
        work()
    assert type(caught.value) is kind
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.endswith(".")
    return sentence


def children_of(pid: int) -> list[int]:
    """Its processes, on Linux."""
    try:
        return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def wait_until(done: Callable[[], bool]) -> None:
    """For what happens in another process; the test's own time limit ends it."""
    while not done():
        time.sleep(0.01)


_RUNS_ITS_FILE = """
import sys
def hostile(raw):
    names = {"hostile": hostile}
    exec("def body(raw):\\n    " + raw.data.decode(), names)
    return names["body"](raw)
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == 'chunking.parsing.formats.plain_text':
            import chunking.parsing, importlib.machinery, importlib.util
            spec = importlib.machinery.PathFinder.find_spec(name, path)
            original = spec.loader.exec_module
            def load(module):
                original(module)
                module.read_text = hostile
            spec.loader.exec_module = load
            return spec
sys.meta_path.insert(0, Finder())
"""


@pytest.fixture(scope="module")
def hostile_servers(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Path, list[process.ServerProcess | None]]]:
    """A PYTHONPATH with which a server's text reader runs the file, as a parser's fault would act; and the last such
    server.
    """
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "sitecustomize.py").write_text(_RUNS_ITS_FILE)
    servers: list[process.ServerProcess | None] = [None]
    yield folder, servers
    if servers[0] is not None:
        servers[0].close()


@pytest.fixture
def own_reader(
    hostile_servers: tuple[Path, list[process.ServerProcess | None]], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], bytes]]:
    """Makes a text file of a function body, which its reader runs: in servers beside the ordinary one."""
    folder, servers = hostile_servers
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.setattr(process, "_server", servers[0])
    yield str.encode
    servers[0] = process._server


def test_a_document_comes_unchanged_through_the_process() -> None:
    """What `parse` gives comes through the process unchanged."""
    options = {"updated_at": "2026-01-02T03:04:05+00:00", "category": "api", "doc_id": "mine"}
    assert parse_guarded(_TEXT, "../a/b.md", **options) == parse(_TEXT, "../a/b.md", **options)
    text = "一、安装".encode("gb18030")
    assert parse_guarded(text, "a.txt", encoding="gb18030").text == "一、安装"


def test_errors_come_unchanged_through_the_process() -> None:
    """Class, sentence and place of what a reader refuses; a file over the limit is not even sent."""
    for data, name in ((b"", "a.md"), (b"\x89PNG\r\n\x1a\n\x00\x00", "b.png"), (b"\x00\x01\x02" * 99, "c.txt")):
        with pytest.raises(ParseError) as here:
            parse(data, name)
        with pytest.raises(ParseError) as there:
            parse_guarded(data, name)
        assert (str(there.value), there.value.where) == (str(here.value), here.value.where)
    process.stop()
    assert "the limit is 50 MB" in refusal(lambda: parse_guarded(bytes(MAX_BYTES + 1), "a.md"), TooLargeError)
    assert process._server is None


@pytest.mark.parametrize(
    ("limits", "body", "facts"),
    [
        (ChildLimits(memory=50 << 20), "return bytes(100 << 20)", "memory 0.049 GB"),
        (ChildLimits(cpu=1), "while True: pass", "processor time 1 seconds"),
        (ChildLimits(wall=1), "import time; time.sleep(600)", "longer 1 seconds"),
        (ChildLimits(wall=1), "import signal; signal.pthread_sigmask(0, range(1, 65)); signal.pause()", "longer"),
    ],
    ids=["memory", "cpu", "wall", "deaf"],
)
def test_memory_and_time_of_a_reader_are_bounded(
    own_reader: Callable[[str], bytes], limits: ChildLimits, body: str, facts: str
) -> None:
    """Memory, computing and time are bounded; the next file is read as if nothing had been."""
    file = own_reader(body)
    assert tells(refusal(lambda: parse_guarded(file, "a.txt", limits=limits), TooLargeError), f"a.txt {facts}")
    assert parse_guarded(_TEXT, "b.md").title == "Install"


def test_the_size_of_an_answer() -> None:
    """A document that would not fit is not sent."""
    sentence = refusal(lambda: parse_guarded(_LONG, "a.md", limits=ChildLimits(result=1_000)), TooLargeError)
    assert tells(sentence, "a.md document too large")


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("import os; os.kill(os.getpid(), 11)", "could not be read"),
        ("import os; os.abort()", "could not be read"),
        ("import os; os._exit(0)", "could not be read"),
        ("raise KeyError('an unexpected one')", "could not be read"),
        ("raise SystemExit(0)", "could not be read"),
        ("return hostile(raw)", "is nested too deeply"),
        ("return [bytes(1 << 30) for _ in range(9)]", "needs more memory"),
        ("import os; os.kill(os.getpid(), 9)", "needs more memory"),
        ("import tempfile; tempfile.TemporaryFile().write(bytes(300 << 20))", "could not be read"),
        ("import socket; socket.create_connection(('127.0.0.1', 9))", "could not be read"),
        ("return [open('/dev/null') for _ in range(999)]", "could not be read"),
        ("import shutil, tempfile; shutil.rmtree(tempfile.gettempdir()); raise KeyError", "could not be read"),
    ],
)
def test_what_can_happen_to_a_child(own_reader: Callable[[str], bytes], body: str, sentence: str) -> None:
    """Crashes, exits, faults of a reader, endless recursion, memory, disk: one sentence each, and the next file is
    read.
    """
    file = own_reader(body)
    assert sentence in refusal(
        lambda: parse_guarded(file, "a.txt"), TooLargeError if "memory" in sentence else ParseError
    )
    server = process._server
    assert parse_guarded(_TEXT, "b.md").title == "Install"
    assert process._server is server


def test_what_a_child_may_send_back(own_reader: Callable[[str], bytes]) -> None:
    """An answer that is none, made by a reader that a file has taken over: a sentence, never code."""
    for answer in (
        "b'x' * 99",
        "(9).to_bytes(8) * 2",
        "(2).to_bytes(8) + bytes(8) + b'[]'",
        "(1 << 60).to_bytes(8) * 2 + b'x'",
    ):
        body = (
            f"import os; [os.write(fd, {answer}) for fd in range(3, 60) if os.path.exists(f'/proc/self/fd/{{fd}}')]; "
            "os._exit(0)"
        )
        file = own_reader(body)
        with pytest.raises(ParseError, match=r"could not be read|too large"):
            parse_guarded(file, "a.txt")


def test_cancelling_kills_the_child(own_reader: Callable[[str], bytes]) -> None:
    """The user does not wait for the file, and neither does the machine."""
    file = own_reader("import time; time.sleep(600)")
    parse_guarded(_TEXT, "a.md")
    assert process._server
    server = process._server.process.pid
    with pytest.raises(Cancelled):
        parse_guarded(file, "a.txt", cancelled=lambda: bool(children_of(server)))
    wait_until(lambda: not children_of(server))


def test_several_at_once() -> None:
    """From many threads; each gets its own document, and a bad one among them is only its own."""

    def read(number: int) -> str:
        if number % 7 == 3:
            return refusal(lambda: parse_guarded(b"", f"{number}.md"))
        return parse_guarded(f"# T{number}\n\ntext".encode(), f"{number}.md").title

    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(read, range(24)))
    assert all((f"{n}.md is empty" in answer) if n % 7 == 3 else answer == f"T{n}" for n, answer in enumerate(answers))


def test_a_server_that_dies_is_started_again(own_reader: Callable[[str], bytes]) -> None:
    """Between two files, and while it reads one."""
    file = own_reader("import time; time.sleep(600)")
    parse_guarded(_TEXT, "a.md")
    assert process._server
    process._server.process.kill()
    assert parse_guarded(_TEXT, "a.md").title == "Install"
    first = process._server

    def by_another() -> bool:
        server = process._server
        return server is not None and server is not first and bool(children_of(server.process.pid))

    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(lambda: parse_guarded(file, "long.txt", cancelled=by_another))
        wait_until(lambda: bool(children_of(first.process.pid)))
        first.process.kill()
        assert isinstance(reading.exception(), Cancelled)
    assert not Path(first.folder).exists()


def test_a_server_that_cannot_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the first nor the second time: a sentence, and nothing is left."""
    process.stop()
    folders: list[str] = []
    monkeypatch.setattr(
        process.tempfile, "mkdtemp", lambda prefix: folders.append(_mkdtemp(prefix=prefix)) or folders[-1]
    )
    monkeypatch.setattr(process.sys, "executable", "/nowhere/python")
    assert "cannot be started" in refusal(lambda: parse_guarded(_TEXT, "a.md"))
    monkeypatch.setattr(process.sys, "executable", "/bin/true")
    assert "twice" in refusal(lambda: parse_guarded(_TEXT, "a.md"))
    assert len(folders) == 3
    assert not any(Path(folder).exists() for folder in folders)


def test_a_system_without_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows: a sentence; `parse` itself works there."""
    process.stop()
    monkeypatch.delattr(process.os, "fork")
    assert "no fork" in refusal(lambda: parse_guarded(_TEXT, "a.md"))


def test_it_ends_with_its_parent() -> None:
    """A parent that is killed leaves no server, no child and no temporary file."""
    code = (
        "import sys; from chunking.parsing import parse_guarded; from chunking.parsing.sandbox import process\n"
        "parse_guarded(b'text', 'a.txt'); print(process._server.process.pid, process._server.folder, flush=True)\n"
        "parse_guarded(b'# T\\n\\nSome text.\\n\\n' * 400_000, 'a.md')\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=_ROOT) as parent:
        assert parent.stdout
        server, folder = parent.stdout.readline().split()
        wait_until(lambda: bool(children_of(int(server))))
        (child,) = children_of(int(server))
        parent.kill()
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in (server, child)))
    assert not Path(folder).exists()


def test_a_server_that_is_told_to_end_leaves_no_files() -> None:
    """As every process of an app is when it is stopped; what asked for the server may be gone then."""
    parse_guarded(_TEXT, "a.md")
    server = process._server
    assert server is not None
    server.process.terminate()
    server.process.wait()
    assert not Path(server.folder).exists()
    assert parse_guarded(_TEXT, "a.md").title == "Install"


def test_a_server_that_is_killed_takes_its_child_along(own_reader: Callable[[str], bytes]) -> None:
    """The child would read on for nobody; another server reads the file again."""
    file = own_reader("import time; time.sleep(600)")
    parse_guarded(_TEXT, "a.md")
    assert process._server
    server = process._server
    wait_until(lambda: not children_of(server.process.pid))  # the first file's child may end after its answer
    ended = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(lambda: parse_guarded(file, "a.txt", cancelled=ended.is_set))
        wait_until(lambda: bool(children_of(server.process.pid)))
        (child,) = children_of(server.process.pid)
        server.process.send_signal(signal.SIGKILL)
        wait_until(lambda: not Path(f"/proc/{child}").exists())
        ended.set()
        assert isinstance(reading.exception(), Cancelled)


def test_no_temporary_files_are_left(own_reader: Callable[[str], bytes]) -> None:
    """What a reader leaves behind is deleted with its process."""
    file = own_reader("import tempfile; tempfile.mkstemp(); print(tempfile.mkdtemp()); raise KeyError")
    refusal(lambda: parse_guarded(file, "a.txt"))
    assert process._server
    wait_until(lambda: os.listdir(process._server.folder) == [])  # type: ignore[union-attr]
    assert process._server.folder.startswith(tempfile.gettempdir())


def test_a_forked_process_has_a_server_of_its_own() -> None:
    """Two processes would mix up their answers on one socket."""
    parse_guarded(_TEXT, "a.md")
    before = process._server
    lock = process._lock
    process._forget()
    try:
        assert process._server is None
        assert process._lock is not lock
    finally:
        process._server, process._lock = before, lock


def test_pages_are_drawn_in_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """The request says page and width; an answer without its numbers is a sentence."""
    frames = []

    def ask(request: parse_client.Frame, *_: object) -> parse_client.Frame:
        frames.append(request.head)
        return parse_client.Frame({"width": 8, "height": 9, "mime": "image/png"} if len(frames) == 1 else {}, b"png")

    monkeypatch.setattr(parse_client, "_ask", ask)
    assert render_page(b"x", 3, width=8) == parse_client.PageImage(8, 9, b"png", "image/png")
    assert frames[0]["page"] == 3
    assert "could not be read" in refusal(lambda: render_page(b"x", 3))


_ORPHAN = """
import os, socket, sys, tempfile, time
from chunking.parsing.sandbox import child
from chunking.parsing.sandbox.limits import ChildLimits
server = os.getpid()
if os.fork():
    os._exit(0)
while os.getppid() == server:
    time.sleep(0.001)
child.run(socket.socket(fileno=int(sys.argv[1])), ChildLimits(), tempfile.gettempdir(), server)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="no other system ends a child with its server")
def test_a_child_whose_server_was_killed_at_once_ends_too() -> None:
    """Even where that was before it could ask to be ended with it."""
    ours, its = socket.socketpair()
    with ours, its:
        subprocess.run(
            [sys.executable, "-c", _ORPHAN, str(its.fileno())], pass_fds=[its.fileno()], check=True, cwd=_ROOT
        )
        its.close()
        assert (
            ours.recv(1) == b""
        )  # the end of the last process that held the other one; a child that stays would wait for its file


_ENDED = """
import signal, socket, sys
from chunking.parsing.sandbox.parse_server import ParseServer
control, parent = socket.socketpair()
parent.close()
ParseServer(control, sys.argv[1]).serve()
print(signal.set_wakeup_fd(-1))
"""


def test_a_server_that_has_ended_is_not_woken(tmp_path: Path) -> None:
    """A child that ends after it would wake a socket that is closed, and Python print a complaint about that."""
    done = subprocess.run(
        [sys.executable, "-c", _ENDED, tmp_path / "folder"],
        capture_output=True,
        encoding="utf-8",
        cwd=_ROOT,
        check=True,
    )
    assert (done.stdout.strip(), done.stderr) == ("-1", "")
