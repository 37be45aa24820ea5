"""Read the settings of an embedding model from its files, without loading it.

The files are those sentence-transformers writes: `modules.json`, `config.json`, `sentence_bert_config.json`,
`config_sentence_transformers.json`, `tokenizer.json`, `1_Pooling/config.json`. Only these small ones are read, and the
weights hashed.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from chunking.errors import ModelError
from chunking.text.sentence_pieces import MODEL_FILE

__all__ = ["TOKENIZER_FILES", "ModelFacts", "ModelFolder", "is_snapshot", "model_facts", "read_model", "sha256_of"]

_COMMIT = re.compile(r"[0-9a-f]{40}")
_WEIGHTS = (".safetensors", ".bin")
TOKENIZER_FILES = ("tokenizer.json", MODEL_FILE)
"""Files of a tokenizer that this program reads; the first one there counts."""
_SETTINGS_FILES = frozenset(
    {"config.json", "modules.json", "sentence_bert_config.json", "tokenizer.json", "tokenizer_config.json", MODEL_FILE}
)
_ASSUMED_MAX_TOKENS = 512
"""Limit of a model whose files state none."""
_COUNTS_POSITIONS_FROM_PAD = frozenset({"roberta", "xlm-roberta", "camembert", "mpnet", "longformer"})
"""Architectures that leave the first `pad_token_id + 1` positions unused."""
_POOLING_KEYS = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
"""Pooling settings of models saved before sentence-transformers 6."""

_Stamp = tuple[tuple[str, int, int], ...]
_RECHECK_SECONDS = 1.0
"""Seconds after which a model's files are checked for changes again.

A page asks for its model with every step of a slider, and each file access lets another user's run go first.
"""
_last_checks: dict[Path, tuple[float, _Stamp]] = {}
"""Folder to the time and result of its last check; a process uses few models."""


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """Settings of a sentence-transformers model on this machine."""

    name: str
    """Published name, or the folder's name."""
    path: Path
    """Folder with `tokenizer.json` and `modules.json`."""
    revision: str
    """Commit of the model hub, or 12 hex digits over weights, tokenizer and module settings."""
    dimension: int
    """Numbers in a vector."""
    max_tokens: int
    """Maximum tokens the model reads, special tokens included; longer texts are truncated."""
    special_tokens: int
    """Tokens its tokenizer adds to every text, such as [CLS] and [SEP]."""
    query_prefix: str = ""
    """Prefix of queries from the model's own prompts; empty for most models."""
    passage_prefix: str = ""
    """Prefix of searched texts."""
    pooling: str = "mean"
    """Pooling of token states into one vector; several modes are joined by `+`."""
    languages: tuple[str, ...] = ()
    """BCP 47 codes from the model card; empty if it names none."""

    @property
    def content_tokens(self) -> int:
        """Maximum tokens of a text before it is truncated, special tokens not counted."""
        return self.max_tokens - self.special_tokens


def read_model(name: str, path: Path, known_hashes: frozenset[tuple[str, str]] = frozenset()) -> ModelFolder:
    """Return the settings of the model in a folder, cached until its files change.

    A change is noticed within a second.

    Args:
        known_hashes: names and SHA-256 of files that are checked before use, and not read for the revision.
    Raises:
        ModelError: it is incomplete, or a file cannot be read.
    """
    try:
        stamp = _recent_stamp(path)
    except OSError as error:  # such as of a folder whose files come and go meanwhile
        raise ModelError(
            f"The folder {path} cannot be read ({error.strerror}); choose the folder of a model.", where=str(path)
        ) from error
    return _read(name, path, stamp, known_hashes)


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Dimension, token limit, languages and size of a model, from its small files."""

    dimension: int
    max_tokens: int
    languages: tuple[str, ...]
    size: int
    """Bytes of its weights; 0 without any."""


def model_facts(path: Path) -> ModelFacts:
    """Read a model's dimension, limit, languages and size, without its tokenizer and weights.

    Raises:
        ModelError: its files say too little.
        OSError: they cannot be read.
    """
    modules, config = _json(path, "modules.json", default=[]), _json(path, "config.json")
    pooling = _json(path, f"{_module(modules, 'Pooling') or '1_Pooling'}/config.json", default={})
    dimension = _dimension(path, modules, config, pooling, _pooling_modes(pooling))
    weights = [file for file in _files(path) if file.suffix in _WEIGHTS]
    kind = max((file.suffix for file in weights), default="")  # both kinds are the same weights twice
    size = sum(file.stat().st_size for file in weights if file.suffix == kind)
    return ModelFacts(dimension, _max_tokens(path, config), _languages(path), size)


def is_snapshot(path: Path) -> bool:
    """True if a path is named like a model in the Hugging Face cache (`…/snapshots/<commit>`)."""
    return path.parent.name == "snapshots" and _COMMIT.fullmatch(path.name) is not None


def _files(path: Path) -> Iterator[Path]:
    """Files that decide the vectors, in the folder and its modules' folders, in a fixed order."""
    for file in sorted([*path.iterdir(), *path.glob("*/*")]):
        if (file.name in _SETTINGS_FILES or file.suffix in _WEIGHTS) and file.is_file():
            yield file


def _recent_stamp(path: Path) -> _Stamp:
    """Stamp of a model's files, at most `_RECHECK_SECONDS` seconds old."""
    now = time.monotonic()
    at, stamp = _last_checks.get(path, (0.0, ()))
    if not stamp or now - at > _RECHECK_SECONDS:
        stamp = _stamp(path)
        _last_checks[path] = now, stamp
    return stamp


def _stamp(path: Path) -> _Stamp:
    """Sizes and times of all files that are read, to detect changes."""
    extra = [path / "config_sentence_transformers.json", path / "README.md"]
    files = [*_files(path), *(file for file in extra if file.is_file())]
    return tuple((str(file), (stat := file.stat()).st_size, stat.st_mtime_ns) for file in files)


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file in hex, cached until the file changes."""
    stat = file.stat()
    return _hash_once(file, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=256)
def _hash_once(file: Path, size: int, mtime_ns: int) -> str:
    """Hash a file; size and time in the cache key have it hashed again when it changes."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@lru_cache(maxsize=32)
def _read(name: str, path: Path, stamp: _Stamp, known_hashes: frozenset[tuple[str, str]]) -> ModelFolder:
    modules = _json(path, "modules.json", default=[])
    if modules and not str(modules[0].get("type", "")).endswith(".Transformer"):
        raise _fault(path, "does not begin with a transformer", "choose another sentence-transformers model")
    config = _json(path, "config.json")
    has_pieces = (path / MODEL_FILE).is_file() and not (path / "tokenizer.json").is_file()
    tokenizer = {"post_processor": {"type": "RobertaProcessing"}} if has_pieces else _json(path, "tokenizer.json")
    if not any(file.suffix in _WEIGHTS for file in _files(path)):
        raise _fault(path, "has no weights (model.safetensors)", "copy the whole model folder")
    pooling = _json(path, f"{_module(modules, 'Pooling') or '1_Pooling'}/config.json", default={})
    modes = _pooling_modes(pooling)
    query, passage = _prefixes(path)
    return ModelFolder(
        name=name,
        path=path,
        revision=path.name if is_snapshot(path) else _revision(path, dict(known_hashes)),
        dimension=_dimension(path, modules, config, pooling, modes),
        max_tokens=_max_tokens(path, config),
        special_tokens=_special_tokens(tokenizer.get("post_processor")),
        query_prefix=query,
        passage_prefix=passage,
        pooling="+".join(modes),
        languages=_languages(path),
    )


def _fault(path: Path, fault: str, remedy: str) -> ModelError:
    return ModelError(f"The model folder '{path.name}' {fault}: {remedy}.", where=str(path))


def _json(path: Path, name: str, *, default: Any = None) -> Any:
    """Parse a JSON file of the model; `default`, if there is one, replaces a missing file."""
    file = path / name
    if not file.is_file():
        if default is not None:
            return default
        raise _fault(
            path, f"has no {name}", "give the folder of a model saved by sentence-transformers with a fast tokenizer"
        )
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _fault(path, f"has a {name} that cannot be read ({error})", "copy the model again") from error
    if not isinstance(content, list if isinstance(default, list) else dict):
        raise _fault(path, f"has a {name} of an unknown form", "copy the model again")
    return content


def _revision(path: Path, known_hashes: Mapping[str, str]) -> str:
    names = {file.relative_to(path).as_posix(): file for file in _files(path)}
    lines = [f"{name} {known_hashes.get(name) or sha256_of(file)}\n" for name, file in names.items()]
    return hashlib.sha256("".join(lines).encode()).hexdigest()[:12]


def _module(modules: Iterable[Mapping[str, Any]], kind: str) -> str | None:
    """Folder of the last module of a kind."""
    return next((str(m["path"]) for m in reversed(list(modules)) if str(m.get("type", "")).endswith(f".{kind}")), None)


def _pooling_modes(pooling: Mapping[str, Any]) -> tuple[str, ...]:
    mode = pooling.get("pooling_mode")
    if mode:
        return (mode,) if isinstance(mode, str) else tuple(mode)
    return tuple(name for key, name in _POOLING_KEYS.items() if pooling.get(key)) or ("mean",)


def _dimension(
    path: Path,
    modules: Iterable[Mapping[str, Any]],
    config: Mapping[str, Any],
    pooling: Mapping[str, Any],
    modes: tuple[str, ...],
) -> int:
    dense = _module(modules, "Dense")
    width = (
        pooling.get("embedding_dimension")
        or pooling.get("word_embedding_dimension")
        or config.get("hidden_size")
        or config.get("dim")
    )
    size = _json(path, f"{dense}/config.json").get("out_features") if dense else width and width * len(modes)
    if not isinstance(size, int) or size < 1:
        raise _fault(path, "does not state the size of its vectors", "give the folder of a sentence-transformers model")
    return size


def _max_tokens(path: Path, config: Mapping[str, Any]) -> int:
    """Lowest limit in the files: of the model, or else its tokenizer, and of positions."""
    positions = config.get("max_position_embeddings")
    if isinstance(positions, int) and config.get("model_type") in _COUNTS_POSITIONS_FROM_PAD:
        positions -= int(config.get("pad_token_id") or 0) + 1
    own = _json(path, "sentence_bert_config.json", default={}).get("max_seq_length")
    tokenizer = _json(path, "tokenizer_config.json", default={}).get("model_max_length")
    # Tokenizers without a limit state 10**30. The model's own limit overrides its tokenizer's.
    limits = [limit for limit in (own or tokenizer, positions) if isinstance(limit, (int, float)) and 0 < limit < 10**7]
    return int(min(limits, default=_ASSUMED_MAX_TOKENS))


def _special_tokens(processor: Mapping[str, Any] | None) -> int:
    """Number of tokens that a tokenizer's `post_processor` adds to a single text."""
    kind = (processor or {}).get("type")
    if processor is None or kind == "ByteLevel":
        return 0
    if kind == "Sequence":
        return sum(_special_tokens(part) for part in processor["processors"])
    if kind == "TemplateProcessing":
        added = [piece["SpecialToken"]["id"] for piece in processor["single"] if "SpecialToken" in piece]
        return sum(len(processor["special_tokens"][token]["ids"]) for token in added)
    return 2  # BertProcessing and RobertaProcessing put one token before and one after


def _prefixes(path: Path) -> tuple[str, str]:
    """Prefixes (query, passage) from the model's prompts, where a passage may be called document."""
    config = _json(path, "config_sentence_transformers.json", default={})
    prompts = config.get("prompts") or {}
    fallback = prompts.get(config.get("default_prompt_name")) or ""

    def role(*names: str) -> str:
        # Saving a model adds an empty "document" to its own "passage": the one with words counts.
        stated = [prompts[name] for name in names if prompts.get(name) is not None]
        return next(filter(None, stated), "") if stated else fallback

    return role("query"), role("document", "passage", "corpus")


def _languages(path: Path) -> tuple[str, ...]:
    """Languages of the model card's front matter; empty if the card is missing or broken."""
    card = path / "README.md"
    match = (
        re.match(r"---\n(.*?)\n---", card.read_text(encoding="utf-8", errors="replace"), re.DOTALL)
        if card.is_file()
        else None
    )
    try:
        front = yaml.safe_load(match[1]) if match else None
    except yaml.YAMLError:
        return ()
    stated = front.get("language") if isinstance(front, dict) else None
    return tuple(str(code) for code in ([stated] if isinstance(stated, str) else stated or ()))
