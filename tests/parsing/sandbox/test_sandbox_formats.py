"""Every format through the guard: the same document as without, libraries ready before the fork, no network."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from chunking.parsing import FORMATS, parse, parse_guarded, render_page
from chunking.parsing.sandbox import process
from tests.parsing.samples import SAMPLES
from tests.support.laws_documents import check
from tests.support.own_files import OWN_FILES
from tests.support.own_files import ROOT as OWN_ROOT

_ROOT = Path(__file__).parents[3]
_THERE = [row.name for row in FORMATS]

_NEW_MODULES = """
import importlib.metadata, os, sys
from pathlib import Path
from chunking.parsing import parse
from chunking.parsing.sandbox.parse_server import import_readers
for path, source in zip(map(Path, sys.argv[1::2]), sys.argv[2::2]):
    if not os.fork():
        try:
            import_readers(source[source.rfind("."):])
            before = set(sys.modules)
            importlib.metadata.entry_points = None  # all packages are looked through before the fork
            parse(path.read_bytes(), source)
            new = sorted(module for module in set(sys.modules) - before if not module.startswith("encodings."))
            print(path.name, *new, flush=True)
        finally:
            os._exit(0)
    os.wait()
"""

_LISTENING = """
import socket, sys
from chunking.parsing.sandbox.limits import forbid
forbid()
for work in (
    lambda: socket.create_connection(("127.0.0.1", int(sys.argv[1]))),
    lambda: socket.getaddrinfo("example.org", 80),
    lambda: socket.socket().bind(("127.0.0.1", 0)),
    lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", int(sys.argv[1]))),
    lambda: __import__("urllib.request").request.urlopen("http://127.0.0.1:" + sys.argv[1]),
):
    try:
        work()
        print("reached")
    except OSError as error:
        print(type(error).__name__)
"""

_AROUND_PYTHON = """
import ctypes, os, socket, struct, sys
from chunking.parsing.sandbox.limits import forbid
before = os.readlink("/proc/self/ns/net")
forbid()
libc = ctypes.CDLL(None, use_errno=True)
address = struct.pack("=HH4s8x", socket.AF_INET, socket.htons(int(sys.argv[1])), bytes([127, 0, 0, 1]))
answer = libc.connect(libc.socket(socket.AF_INET, socket.SOCK_STREAM, 0), address, len(address))
print(before != os.readlink("/proc/self/ns/net"), answer == 0)
"""

_WATCH = """
import sys
def heard(event, arguments):
    network = event.startswith(("socket.", "urllib.", "http.", "smtplib.", "ftplib."))
    if network and event not in ("socket.__new__", "socket.sendmsg"):
        import os
        os.write(os.open({log!r}, os.O_CREAT | os.O_APPEND | os.O_WRONLY), (event + chr(10)).encode())
sys.addaudithook(heard)
"""


def test_there_is_a_sample_of_every_format() -> None:
    """A format that is added is tested here."""
    assert set(_THERE) <= set(SAMPLES)


@pytest.mark.parametrize("name", _THERE)
def test_every_format_comes_unchanged_through_the_process(name: str) -> None:
    """What `parse` makes of a small file comes through the process unchanged, and obeys the laws."""
    source, make = SAMPLES[name]
    data = make()
    read = parse_guarded(data, source, updated_at="2026-01-02T03:04:05+00:00")
    assert read == parse(data, source, updated_at="2026-01-02T03:04:05+00:00")
    assert read.format == name
    assert "The finch sings in the morning." in read.text
    check(read)


@pytest.fixture(scope="module")
def imported_late(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Sequence[str]]:
    """Format to the modules that reading a file of it imports besides those of the table, each in a fork."""
    folder, arguments = tmp_path_factory.mktemp("samples"), []
    for name in _THERE:
        source, make = SAMPLES[name]
        (folder / name).write_bytes(make())
        arguments += [str(folder / name), source]
    command = [sys.executable, "-c", _NEW_MODULES, *arguments]
    lines = subprocess.run(command, capture_output=True, text=True, cwd=_ROOT, check=True).stdout.splitlines()
    return {name: new for name, *new in map(str.split, lines)}


@pytest.mark.parametrize("name", _THERE)
def test_libraries_are_imported_before_the_fork(name: str, imported_late: Mapping[str, Sequence[str]]) -> None:
    """A child that reads a file imports nothing any more: the table of modules is complete."""
    assert imported_late[name] == []


def test_no_network_is_left() -> None:
    """Neither names nor addresses, outgoing or listening, can be used by a process that reads files."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        done = subprocess.run(
            [sys.executable, "-c", _LISTENING, port], capture_output=True, text=True, cwd=_ROOT, check=True
        )
    assert done.stdout.split() == ["PermissionError"] * 5


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no network to leave")
def test_no_network_is_left_to_native_code() -> None:
    """A library that goes round Python finds none either, where the system lets the process leave its network."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        done = subprocess.run(
            [sys.executable, "-c", _AROUND_PYTHON, port], capture_output=True, text=True, cwd=_ROOT, check=True
        )
    left, reached = done.stdout.split()
    if left == "False":
        pytest.skip("this system does not let a process leave its network")
    assert reached == "False"


def _no_network(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Path:
    """A server that writes down every network event of itself and its children, before it is refused."""
    log = folder / "events"
    (folder / "sitecustomize.py").write_text(_WATCH.format(log=str(log)))
    monkeypatch.setenv("PYTHONPATH", str(folder))
    process.stop()
    return log


def test_reading_calls_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A made file of each format, and the project's own files of each: no socket is bound or connected and no name
    looked up.
    """
    log = _no_network(monkeypatch, tmp_path)
    try:
        for name in _THERE:
            source, make = SAMPLES[name]
            parse_guarded(make(), source)
        for own in OWN_FILES:
            parse_guarded((OWN_ROOT / own.name).read_bytes(), own.name)
        assert not log.exists(), log.read_text()
    finally:
        process.stop()


def test_the_watch_hears(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above would notice: the same watch, and a connection."""
    log = _no_network(monkeypatch, tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    code = "import socket\ntry: socket.create_connection(('127.0.0.1', 1))\nexcept OSError: pass"
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    assert "socket.connect" in log.read_text()
    process.stop()


def test_a_page_is_drawn() -> None:
    """As a picture of the width that was asked for."""
    image = render_page(SAMPLES["pdf"][1](), 1, width=306)
    assert (image.width, image.height) == (306, 396)
    assert image.mime in ("image/png", "image/jpeg")
    assert image.data[:3] in (b"\x89PN", b"\xff\xd8\xff")
