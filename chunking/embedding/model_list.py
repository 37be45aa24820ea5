"""List the available embedding models: packaged, cached, in an operator's folders, at the endpoint.

Nothing is loaded, hashed or downloaded: the facts of a model are in its small settings files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from chunking.allowed import Allowed, allowed
from chunking.config import ENGLISH_MODEL, MULTILINGUAL_MODEL, REMOTE, remote_name
from chunking.embedding.model_files import TOKENIZER_FILES, is_snapshot, model_facts
from chunking.embedding.model_folder import english_folder, published_name
from chunking.embedding.packaged.e5_model import E5_LANGUAGES, E5_SIZE, e5_is_available
from chunking.errors import ConfigError, ModelError
from chunking.llm.endpoints import endpoint

__all__ = ["ENVIRONMENT", "AvailableModel", "available_models"]

ENVIRONMENT = "CHUNKSCOPE_MODELS"
"""Variable with folders of models, or folders that contain such; separated as in PATH."""
_OLDER = "SENTENCE_TRANSFORMERS_HOME"
"""Variable with the folder where sentence-transformers stores its models."""
_CHINESE = frozenset({"zh", "chinese", "multilingual"})


@dataclass(frozen=True, slots=True)
class AvailableModel:
    """Embedding model that can be chosen without a download."""

    value: str
    """Value for the setting `embedding.model`."""
    name: str
    place: str
    """`packaged`, `cache`, `folder` or `endpoint`."""
    dimension: int = 0
    """Numbers in a vector; 0 if unknown before the first request."""
    max_tokens: int = 0
    """Maximum tokens it reads; 0 as for `dimension`."""
    languages: tuple[str, ...] = ()
    """From its model card; empty if it names none."""
    size: int = 0
    """Bytes of its weights on this machine."""

    @property
    def reads_chinese(self) -> bool | None:
        """True if its model card names Chinese, or `multilingual`; None if it names no languages.

        The plan of an index measures which words of a corpus its tokenizer knows.
        """
        stated = {language.lower().partition("-")[0] for language in self.languages}
        return bool(stated & _CHINESE) if stated else None

    @property
    def facts(self) -> str:
        """Dimension, token limit, languages, and size in one line; or that it is remote.

        >>> AvailableModel("e5", "e5", "cache", 384, 512, ("multilingual", "en", "zh"), 471_000_000).facts
        '384 dimensions · 512 tokens · multilingual · 471 MB'
        >>> AvailableModel("remote:large", "large", "endpoint").facts
        'at the configured endpoint'
        """
        if self.place == "endpoint":
            return "at the configured endpoint"
        parts = [
            f"{self.dimension:,} dimensions",
            f"{self.max_tokens:,} tokens",
            self._reads,
            f"{self.size / 1e6:,.0f} MB",
        ]
        return " · ".join(filter(None, parts))

    @property
    def _reads(self) -> str:
        if "multilingual" in self.languages:
            return "multilingual"
        chinese = {True: "reads Chinese", False: "no Chinese", None: ""}
        return "English only" if self.languages == ("en",) else chinese[self.reads_chinese]

    def as_record(self) -> dict[str, Any]:
        """Return the record that `chunkscope models` prints."""
        return {**asdict(self), "languages": list(self.languages), "reads_chinese": self.reads_chinese}


def available_models() -> list[AvailableModel]:
    """Return the packaged models, then the endpoint's, then those of caches and folders by name.

    On a shared server, only those that may be named; folders by the last part of their paths.
    """
    at_hand: dict[str, AvailableModel] = {}
    here = allowed()
    local = _folders() if here.everything else _listed(here)
    for one in (*_packaged(), *_remote(here), *sorted(local, key=lambda model: model.name.lower())):
        at_hand.setdefault(one.value, one)
    return list(at_hand.values())


def _packaged() -> Iterator[AvailableModel]:
    with suppress(ModelError):  # not installed: choosing it raises an error that says so
        yield from _model(english_folder(), ENGLISH_MODEL, "packaged", name=ENGLISH_MODEL)
    if e5_is_available():  # listed without unpacking it
        name = MULTILINGUAL_MODEL
        yield AvailableModel(name, name, "packaged", 384, 512, E5_LANGUAGES, E5_SIZE)


def _remote(here: Allowed) -> Iterator[AvailableModel]:
    """The endpoint's own model, if it names one, and remote ones of the operator's list."""
    try:
        server = endpoint("embedding")
    except ConfigError:
        return  # shown with the endpoint's settings
    if server is None:
        return
    own = [server.model] if server.model else []
    for model in (*own, *(entry for entry in sorted(here.models) if remote_name(entry) is not None)):
        value = model if remote_name(model) is not None else f"{REMOTE}{model}"
        yield AvailableModel(value, model.removeprefix(REMOTE), "endpoint", max_tokens=server.max_tokens)


def _listed(here: Allowed) -> Iterator[AvailableModel]:
    """Models of the operator's list that are on this machine."""
    for model in _cached():
        try:
            here.model(model.value)
        except ModelError:
            continue
        yield model
    for folder in here.model_folders:
        yield from _model(folder, folder.name, "folder", name=folder.name)


def _cached() -> Iterator[AvailableModel]:
    from huggingface_hub.constants import HF_HUB_CACHE

    for snapshot in _snapshots(Path(HF_HUB_CACHE)):
        name = published_name(snapshot) or snapshot.name
        yield from _model(snapshot, name, "cache", name=name)


def _folders() -> Iterator[AvailableModel]:
    yield from _cached()
    named = [*os.environ.get(ENVIRONMENT, "").split(os.pathsep), os.environ.get(_OLDER, "")]
    for folder in (Path(name).expanduser() for name in named if name.strip()):
        for path in (folder, *_children(folder), *_snapshots(folder)):
            yield from _model(path, str(path.resolve()), "folder", name=published_name(path))


def _children(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.is_dir())
    except OSError:
        return []  # not there, or not ours to read


def _snapshots(cache: Path) -> Iterator[Path]:
    """Newest snapshot of each repository in a cache of the hub."""
    for repository in _children(cache):
        commits = [path for path in _children(repository / "snapshots") if is_snapshot(path)]
        if repository.name.startswith("models--") and commits:
            yield max(commits, key=lambda path: path.stat().st_mtime_ns)


def _model(path: Path, value: str, place: str, name: str | None = None) -> Iterator[AvailableModel]:
    """The model in a folder; empty if the folder has no embedding model."""
    if not ((path / "modules.json").is_file() and any((path / name).is_file() for name in TOKENIZER_FILES)):
        return
    try:
        facts = model_facts(path)
    except (ModelError, OSError):
        return
    if facts.size:
        yield AvailableModel(
            value, name or path.name, place, facts.dimension, facts.max_tokens, facts.languages, facts.size
        )
