"""Crash test: a hundred kills of server and workers while ten people work and backups run."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.load.crowd import Crowd, broken_promises
from benchmarks.load.served import Server
from benchmarks.report import Row, Table
from chunking.store import Workspace
from tests.browser.app import ROOT

__all__ = ["KILLS", "PEOPLE", "kill_worker", "run"]

KILLS, PEOPLE, BACKUPS = 100, 10, 4
SHARE_OF_SERVER = 0.4
"""Share of kills that hit the server; the others hit the process of a running job."""
PATIENCE = 60.0
"""Seconds for a job to begin, and for a killed server's processes to end."""
LONGEST = 4.0
"""Maximum seconds of work between two kills."""
_WORKER = "chunking.worker"
_KEPT = "torchinductor"
"""Prefix of torch's folder, created once for all processes of a person."""


@dataclass(slots=True)
class Backup:
    """Backup taken while everybody worked."""

    folder: Path
    confirmed: dict[int, set[str]]
    """Documents confirmed to each person before the backup."""
    message: str = ""
    """Error of the backup; empty for none."""


@dataclass(slots=True)
class _Soak:
    server: int = 0
    worker: int = 0
    orphans: list[str] = field(default_factory=list)
    slowest: float = 0.0
    """Maximum seconds until a killed server's processes were gone."""
    backups: list[Backup] = field(default_factory=list)


def run(kills: int = KILLS, people: int = PEOPLE) -> Table:
    """Kill and restart repeatedly, then check the data."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tmp").mkdir()
        server = Server(folder / "home", "team", environment={"TMPDIR": str(folder / "tmp")})
        server.start()
        try:
            return asyncio.run(_soak(server, folder, kills, people))
        finally:
            server.stop()


async def _soak(server: Server, folder: Path, kills: int, people: int) -> Table:
    crowd, done, chance, began = Crowd(server, people), _Soak(), random.Random(13), time.monotonic()
    async with crowd.working():
        await asyncio.sleep(LONGEST)
        for number in range(kills):
            if number % (kills // BACKUPS or 1) == (kills // BACKUPS or 1) // 2:
                done.backups.append(await _back_up(crowd, folder / f"backup{number}"))
            if chance.random() < SHARE_OF_SERVER or not await kill_worker(server, chance):
                await asyncio.sleep(chance.uniform(0.3, LONGEST))
                await _kill_server(server, done)
                done.server += 1
            else:
                done.worker += 1
            if number % 10 == 9:
                said = f"{number + 1} of {kills} kills, {len(crowd.errors)} errors, {time.monotonic() - began:.0f} s"
                print(said, *crowd.errors[-3:], sep="\n  ", file=sys.stderr)
    lasted = time.monotonic() - began
    waiting = await _gone(lambda: [f"a job still runs: {pid}" for pid in server.workers() if _is_worker(pid)])
    folders = crowd.workspaces()
    broken = [fault for one in crowd.writers for fault in broken_promises(crowd, one, folders[one.number])]
    for backup in done.backups:
        backup.message = backup.message or _restored(crowd, backup, folder)
    server.stop()
    left = _left(folder / "tmp")
    left += [path.name for path in server.home.rglob("*.unfinished")]
    return _table(crowd, done, broken, waiting, left, lasted)


def _left(temporary: Path) -> list[str]:
    """Return the temporary files left after another worker has cleaned up."""
    environment = {**os.environ, "TMPDIR": str(temporary)}
    subprocess.run(
        [sys.executable, "-m", _WORKER],
        cwd=ROOT,
        env=environment,
        input="",
        capture_output=True,
        text=True,
        check=False,
    )
    return sorted(
        str(path.relative_to(temporary)) for path in temporary.rglob("*") if path.is_file() and _KEPT not in str(path)
    )


# -- kills


async def kill_worker(server: Server, chance: random.Random) -> bool:
    """Kill the process of a job at a random moment; False if none has begun in time."""
    until = time.monotonic() + PATIENCE / 4
    while time.monotonic() < until:
        if workers := [pid for pid in server.workers() if _is_worker(pid)]:
            await asyncio.sleep(chance.uniform(0, LONGEST))
            for pid in chance.sample(workers, len(workers)):
                with suppress(OSError):  # it has ended meanwhile
                    os.kill(pid, signal.SIGKILL)
                    return True
        await asyncio.sleep(0.1)
    return False


async def _kill_server(server: Server, done: _Soak) -> None:
    started = server.workers()
    server.kill()
    began = time.monotonic()
    done.orphans += await _gone(lambda: [command for pid in started if (command := _command(pid))])
    done.slowest = max(done.slowest, time.monotonic() - began)
    await asyncio.to_thread(server.start)


async def _gone(look: Callable[[], list[str]]) -> list[str]:
    """Wait for processes or files to disappear; return those that stay."""
    until = time.monotonic() + PATIENCE
    while (there := look()) and time.monotonic() < until:
        await asyncio.sleep(0.2)
    return there


def _command(pid: int) -> str:
    """Return the command of a process; empty if it has ended."""
    with suppress(OSError):
        return (Path(f"/proc/{pid}/cmdline").read_bytes()).replace(b"\0", b" ").decode(errors="replace").strip()
    return ""


def _is_worker(pid: int) -> bool:
    return _WORKER in _command(pid)


# -- backups


async def _back_up(crowd: Crowd, target: Path) -> Backup:
    """Take a backup with the command while the server runs."""
    backup = Backup(target, {one.number: set(one.done.documents) for one in crowd.writers})
    done = await asyncio.to_thread(_command_line, "backup", str(crowd.server.home), str(target))
    backup.message = done.stderr if done.returncode else ""
    return backup


def _restored(crowd: Crowd, backup: Backup, folder: Path) -> str:
    """Restore a backup elsewhere and compare; returns the error, or nothing."""
    target = folder / f"{backup.folder.name}-restored"
    done = _command_line("restore", str(backup.folder), str(target))
    if done.returncode:
        return done.stderr
    listed = json.loads((backup.folder / "backup.json").read_text(encoding="utf-8"))["workspaces"]
    if json.loads(done.stdout)["workspaces"] != listed:
        return "the fingerprints differ"
    for number, place in crowd.workspaces(target).items():
        missing = backup.confirmed[number] - {row.source for row in Workspace.open(place, create=False).documents()}
        if missing:
            return f"documents of person {number} are missing: {', '.join(sorted(missing))}"
    return ""


def _command_line(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "chunking", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )


# -- the table


def _table(
    crowd: Crowd, done: _Soak, broken: Sequence[str], waiting: Sequence[str], left: Sequence[str], lasted: float
) -> Table:
    states = [one.done for one in crowd.writers]
    documents, pins = sum(len(one.documents) for one in states), sum(len(one.pins) for one in states)
    builds = [build for one in states for build in one.builds]
    twice = [one for one in broken if "embedded" in one or "twice" in one]
    lost = [one for one in broken if one not in twice]
    wrong = [backup.message for backup in done.backups if backup.message]
    visits = sum(len(one.timings.opened) for one in states)
    rows = [
        _none(
            "lost, or not fitting together, of what a page had confirmed",
            lost,
            f"{documents} documents, {pins} pins, {len(builds)} index runs",
        ),
        _none(
            "texts embedded twice",
            twice,
            f"{sum(embedded for embedded, _ in builds)} texts embedded by runs that ended",
        ),
        _none(
            "processes left behind by a killed server",
            done.orphans,
            f"{done.server} kills; all gone after {done.slowest:.1f} s",
        ),
        _none("jobs that never end, afterwards", waiting, f"{done.worker} kills of a job's process"),
        _none("temporary files and unfinished copies, afterwards", left, "after the last stop"),
        _none("backups under load that restore to something else", wrong, f"{len(done.backups)} backups"),
        _none("errors that no kill explains", crowd.errors, f"{visits} visits"),
    ]
    notes = [
        f"{done.server} kills (SIGKILL) of the server and {done.worker} of the process of a job in {lasted / 60:.0f} "
        f"minutes, while {len(crowd.writers)} people of a team drag, ask, pin, upload and build. Said to people "
        "meanwhile: " + "; ".join(f"{kind}, {number} times" for kind, number in crowd.explained.most_common()) + ".",
        *[f"Fault: {one}" for one in [*lost, *twice, *done.orphans, *waiting, *left, *wrong, *crowd.errors][:60]],
    ]
    return Table(f"{done.server + done.worker} kills while {len(crowd.writers)} people work", rows, notes)


def _none(what: str, faults: Sequence[str], among: str) -> Row:
    return Row(what, str(len(faults)), among, str(len(faults)), "0", not faults)
