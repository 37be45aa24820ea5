"""Carry out the Dockerfile without a container engine, run what comes of it, and see that it is healthy.

    sudo python3 deploy/try_image.py --mirror $MIRROR --build-arg TORCH_INDEX=...

Debian's debootstrap makes the base image's stand-in: a clean root of the same Debian release with the same version of
Python. Each instruction of the Dockerfile is then carried out in a copy of it, and its command is started as its user
says, without any capability, over a root that cannot be written to; only the volume and /tmp can. An instruction that
is not known here is an error.

Needs Linux, root, and the packages debootstrap, bubblewrap and util-linux. Everything is made in one folder
(`--folder`); a base that is there already is taken again. The environment's settings of pip (`PIP_...`) hold for the
steps, and `--bind` shows them folders of this machine, for one that reaches no package index.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

ROOT = Path(__file__).parents[1]
BASE_IMAGE = re.compile(r"python:(?P<python>\d+\.\d+)-slim-(?P<release>[a-z]+)")
BASE_PACKAGES = "ca-certificates,python3,python3-venv,python-is-python3"
"""What makes Debian's smallest root like the image python:X.Y-slim."""
BASE_PATH = "/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin"
START = 120
"""Seconds within which the server has to be healthy."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction of a Dockerfile."""

    name: str
    """In capitals."""
    value: str
    """The rest of its lines, joined."""


@dataclass(slots=True)
class Stage:
    """What a stage of the build has come to."""

    root: Path
    variables: dict[str, str] = field(default_factory=dict)
    """Of ARG and ENV."""
    environment: dict[str, str] = field(default_factory=lambda: {"PATH": BASE_PATH})
    """Of ENV: what the command finds."""
    folder: str = "/"
    user: str = "0:0"
    volumes: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    health: list[str] = field(default_factory=list)


def instructions(text: str) -> Iterator[Instruction]:
    """The instructions of a Dockerfile, in order.

    >>> list(instructions("# a\\nRUN a \\\\\\n    && b\\n"))
    [Instruction(name='RUN', value='a && b')]
    """
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]
    for line in re.sub(r"\\\n\s*", "", "\n".join(lines)).splitlines():
        name, _, value = line.partition(" ")
        yield Instruction(name.upper(), value.strip())


def copied(folder: Path, rules: Sequence[str], patterns: Sequence[str]) -> list[Path]:
    """Files that a COPY takes from the context, relative to it.

    Args:
        folder: the context.
        rules: of .dockerignore, in order: the last one that fits a file decides.
        patterns: what the instruction names; "." is everything.
    """

    def fits(path: str, pattern: str) -> bool:
        parts = path.split("/")
        starts = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
        if pattern.startswith("**/"):
            return any(fnmatch.fnmatchcase(part, pattern[3:]) for part in parts)
        return any(start.count("/") == pattern.count("/") and fnmatch.fnmatchcase(start, pattern) for start in starts)

    def ignored(path: str) -> bool:
        answer = False
        for rule in rules:
            if fits(path, rule.removeprefix("!").strip("/")):
                answer = not rule.startswith("!")
        return answer

    def entered(path: str) -> bool:
        return not ignored(path) or any(rule.startswith(f"!{path}/") for rule in rules)

    found = []
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if entered(Path(parent, name).relative_to(folder).as_posix())]
        paths = [Path(parent, name).relative_to(folder) for name in files]
        found += [path for path in paths if not ignored(path.as_posix())]
    return sorted(
        path for path in found if any(pattern == "." or fits(path.as_posix(), pattern) for pattern in patterns)
    )


class Build:
    """The stages of a Dockerfile, each a folder that a process can have as its root."""

    def __init__(
        self, folder: Path, mirror: str, arguments: Mapping[str, str], binds: Sequence[Path], *, built: bool = False
    ) -> None:
        """Args:
        folder: where all of it is made.
        mirror: of Debian's packages.
        arguments: of the build, in place of the defaults of ARG.
        binds: files and folders of this machine that the steps can read.
        built: take the files of the time before, and only read what the Dockerfile says of them.
        """
        self._folder, self._mirror, self._arguments, self._binds, self._built = folder, mirror, arguments, binds, built
        self._stages: dict[str, Stage] = {}
        self._rules = [
            line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")
        ]
        self._do: dict[str, Callable[[Stage, str], None]] = {
            "ARG": self._arg,
            "ENV": self._env,
            "WORKDIR": self._workdir,
            "RUN": self._run,
            "COPY": self._copy,
            "USER": lambda stage, value: setattr(stage, "user", value),
            "VOLUME": lambda stage, value: stage.volumes.append(value),
            "EXPOSE": lambda stage, value: None,
            "HEALTHCHECK": lambda stage, value: setattr(stage, "health", json.loads(value.partition(" CMD ")[2])),
            "CMD": lambda stage, value: setattr(stage, "command", json.loads(value)),
        }

    def carry_out(self, text: str) -> Stage:
        """All instructions of a Dockerfile; the last stage."""
        stage = None
        for number, step in enumerate(instructions(text), start=1):
            began = time.monotonic()
            print(f"[{number}] {step.name} {step.value[:110]}", flush=True)
            if step.name == "FROM":
                stage = self._from(step.value)
            elif stage is None or step.name not in self._do:
                raise SystemExit(
                    f"{step.name} is not known here, or comes before FROM; teach it to deploy/try_image.py."
                )
            elif not self._built or step.name not in {"RUN", "COPY"}:
                self._do[step.name](stage, step.value)
            if time.monotonic() - began > 2:
                print(f"    {time.monotonic() - began:.0f} s")
        if stage is None:
            raise SystemExit("The Dockerfile has no FROM.")
        return stage

    def _from(self, value: str) -> Stage:
        image, _, name = value.partition(" AS ")
        known = BASE_IMAGE.fullmatch(image)
        if not known:
            raise SystemExit(f"There is no stand-in for the image {image}, only for {BASE_IMAGE.pattern}.")
        base = self._folder / f"base-{known['release']}"
        if not base.exists():
            made = base.with_suffix(".partial")
            shutil.rmtree(made, ignore_errors=True)
            command = [
                "debootstrap",
                "--variant=minbase",
                f"--include={BASE_PACKAGES}",
                known["release"],
                str(made),
                self._mirror,
            ]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            made.rename(base)
        root = self._folder / f"stage-{len(self._stages)}"
        if not self._built:
            shutil.rmtree(root, ignore_errors=True)
            subprocess.run(["cp", "-a", "--reflink=auto", str(base), str(root)], check=True)
        stage = self._stages[name or str(len(self._stages))] = Stage(root)
        found = subprocess.run(
            ["chroot", str(root), "python", "--version"], check=True, capture_output=True, text=True
        ).stdout
        if known["python"] not in found:
            raise SystemExit(
                f"The Dockerfile wants Python {known['python']}; Debian {known['release']} has {found.strip()}."
            )
        return stage

    def _arg(self, stage: Stage, value: str) -> None:
        name, _, default = value.partition("=")
        stage.variables[name] = self._arguments.get(name, default)

    def _env(self, stage: Stage, value: str) -> None:
        for pair in shlex.split(value):
            name, _, said = pair.partition("=")
            known = {**stage.variables, **stage.environment}
            stage.environment[name] = stage.variables[name] = re.sub(r"\$(\w+)", lambda match: known[match[1]], said)  # noqa: B023

    def _workdir(self, stage: Stage, value: str) -> None:
        stage.folder = value
        _inside(stage.root, value).mkdir(parents=True, exist_ok=True)

    def _run(self, stage: Stage, value: str) -> None:
        command = [
            "bwrap",
            "--bind",
            str(stage.root),
            "/",
            "--proc",
            "/proc",
            "--dev",
            "/dev",
            "--perms",
            "1777",
            "--tmpfs",
            "/tmp",
        ]
        command += ["--unshare-pid", "--cap-add", "ALL", "--die-with-parent", "--clearenv", "--chdir", stage.folder]
        for place in (Path("/etc/resolv.conf"), *self._binds):
            command += ["--ro-bind", str(place), str(place)]
        settings = {name: said for name, said in os.environ.items() if name.startswith("PIP_")}
        for name, said in {**settings, **stage.variables, **stage.environment}.items():
            command += ["--setenv", name, said]
        subprocess.run([*command, "sh", "-c", value], check=True)

    def _copy(self, stage: Stage, value: str) -> None:
        *sources, target = value.split()
        place = _inside(stage.root, str(Path(stage.folder, target)))
        if sources[0].startswith("--from="):
            (source,) = sources[1:]
            place.mkdir(parents=True, exist_ok=True)
            subprocess.run(
                ["cp", "-a", f"{_inside(self._stages[sources[0][7:]].root, source)}/.", str(place)], check=True
            )
            return
        for path in copied(ROOT, self._rules, sources):
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, place / path)


def _inside(root: Path, path: str) -> Path:
    return root / path.lstrip("/")


class Running:
    """A stage's command under way, as a container engine would run it with a read-only root and no capabilities."""

    def __init__(self, stage: Stage, folder: Path, settings: Mapping[str, str]) -> None:
        """Args:
        stage: the last one.
        folder: for what the command may write: its volume and /tmp.
        settings: further variables of its environment.
        """
        self._stage, self._settings = stage, settings
        self.places = {place: folder / f"volume{place.replace('/', '-')}" for place in stage.volumes}
        self.places["/tmp"] = folder / "volume-tmp"
        user, group = (int(number) for number in stage.user.split(":"))
        for place, path in self.places.items():
            shutil.rmtree(path, ignore_errors=True)
            path.mkdir(parents=True)
            os.chown(path, user, group)
            path.chmod(0o1777 if place == "/tmp" else 0o755)
        self.log = folder / "server.log"
        self.log.unlink(missing_ok=True)

    def start(self, command: Sequence[str] = ()) -> subprocess.Popen[str]:
        """A process inside; the stage's own command where none is named. What it says goes to the log."""
        with self.log.open("a") as log:
            return subprocess.Popen(self._wrapped(command or self._stage.command), stdout=log, stderr=log, text=True)

    def run(self, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """A command inside, to its end."""
        return subprocess.run(self._wrapped(command), capture_output=True, text=True, check=False)

    def _wrapped(self, command: Sequence[str]) -> list[str]:
        user, group = self._stage.user.split(":")
        # First the user, then the sandbox: nothing of it is made by root.
        whole = [
            "setpriv",
            "--reuid",
            user,
            "--regid",
            group,
            "--clear-groups",
            "--no-new-privs",
            "--bounding-set=-all",
        ]
        whole += ["bwrap", "--ro-bind", str(self._stage.root), "/", "--proc", "/proc", "--dev", "/dev"]
        whole += ["--ro-bind", "/sys", "/sys", "--unshare-pid", "--unshare-ipc"]
        whole += ["--cap-drop", "ALL", "--die-with-parent", "--clearenv", "--chdir", self._stage.folder]
        for place, path in self.places.items():
            whole += ["--bind", str(path), place]
        for name, said in {**self._stage.environment, **self._settings}.items():
            whole += ["--setenv", name, said]
        return [*whole, *command]


def _healthy(running: Running, server: subprocess.Popen[str], check: Sequence[str]) -> float:
    """Seconds until the health check succeeded.

    Raises:
        SystemExit: the server ended, or is not healthy in time.
    """
    began = time.monotonic()
    while time.monotonic() - began < START:
        if server.poll() is not None:
            raise SystemExit(f"The server ended with {server.returncode}:\n{running.log.read_text()}")
        if running.run(check).returncode == 0:
            return time.monotonic() - began
        time.sleep(0.5)
    raise SystemExit(f"The server was not healthy within {START} s:\n{running.log.read_text()}")


TRIALS = {
    "the root cannot be written to": (
        "! touch /app/x 2>/dev/null && ! touch /opt/venv/x 2>/dev/null && ! touch /x 2>/dev/null"
    ),
    "the volume can": "touch /data/x && rm /data/x",
    "it is not root, and has no capabilities": "test $(id -u) -ne 0 && grep -q '^CapEff:\t0*$' /proc/self/status",
    "a file is parsed in its sandbox": "chunkscope parse sample_data > /tmp/parsed.json",
    "an index is built": "chunkscope index sample_data --workspace /data/trial > /tmp/built.json",
    "and searched": "chunkscope search 'restore a backup' --workspace /data/trial --k 3 | grep -q results",
}
"""What is tried inside, by name; shell commands that succeed."""


def main() -> None:
    """Build, run, try, and leave the folder behind."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    asked.add_argument("--mirror", required=True, help="address of a mirror of Debian's packages")
    asked.add_argument("--folder", type=Path, default=Path("/var/tmp/chunkscope-image"), help="where all of it is made")
    asked.add_argument(
        "--build-arg", action="append", default=[], metavar="NAME=VALUE", help="argument of the Dockerfile"
    )
    asked.add_argument(
        "--env", action="append", default=[], metavar="NAME=VALUE", help="variable for the running server"
    )
    asked.add_argument(
        "--bind", action="append", default=[], type=Path, help="file or folder of this machine that the steps can read"
    )
    asked.add_argument("--built", action="store_true", help="only run: the stages are there from the time before")
    asked.add_argument("--serve", action="store_true", help="leave the server running until Ctrl+C, to look at it")
    given = asked.parse_args()
    if os.geteuid() != 0 or not all(map(shutil.which, ("debootstrap", "bwrap", "setpriv"))):
        raise SystemExit("This needs root, and the packages debootstrap, bubblewrap and util-linux.")
    given.folder.mkdir(parents=True, exist_ok=True)
    build = Build(
        given.folder, given.mirror, dict(pair.split("=", 1) for pair in given.build_arg), given.bind, built=given.built
    )
    stage = build.carry_out((ROOT / "Dockerfile").read_text())
    size = subprocess.run(["du", "-sm", str(stage.root)], check=True, capture_output=True, text=True).stdout.split()[0]
    print(f"The image's root takes {size} MB.")

    running = Running(stage, given.folder, dict(pair.split("=", 1) for pair in given.env))
    address = "http://127.0.0.1:8501"
    try:
        urlopen(address, timeout=2)
    except URLError:
        pass  # the port is free
    else:
        raise SystemExit(f"Something answers at {address} already; stop it first.")
    server = running.start()
    try:
        print(f"Healthy after {_healthy(running, server, stage.health):.1f} s.")
        failed = []
        for name, command in TRIALS.items():
            done = running.run(["sh", "-c", command])
            print(f"{'ok    ' if done.returncode == 0 else 'FAILED'} {name}", flush=True)
            failed += [f"{name}:\n{done.stderr}"] if done.returncode else []
        for place, path in running.places.items():
            print(f"In {place} afterwards: {', '.join(sorted(one.name for one in path.iterdir())) or 'nothing'}")
        if given.serve:
            print(f"Serving {address}; Ctrl+C ends it.", flush=True)
            server.wait()
    except KeyboardInterrupt:
        failed = []
    finally:
        server.terminate()
        server.wait()
    if failed:
        sys.exit("\n".join(failed))


if __name__ == "__main__":
    main()
