"""Settings as a YAML file with instructions in its head, without paths or addresses of this machine.

A configuration, an index or a run holds no keys or addresses of servers (see `llm/endpoints.py`), but an error message
may name a server, and a model may be named by its folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Any

import yaml

from chunking.config import Config, remote_name
from chunking.config.config import DOCUMENTS, LONGEST_YAML

if TYPE_CHECKING:
    from chunking.indexing import DocumentInputs

__all__ = ["comment", "configuration_yaml", "counted", "own_model", "scrubbed", "shared_config"]

_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]+")

_MODELS = (("embedding", "model"), ("search", "rerank_model"))
"""Settings that may hold a folder."""
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)?")
_ADDRESS = re.compile(
    r"\b[a-z][a-z0-9+.-]*://[^\s<>\"'`]+|\b(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:]+\])(?::\d+)\b",
    re.IGNORECASE,
)
_ROOTS = (
    "home|root|Users|tmp|var|opt|mnt|srv|usr|etc|private|media|data|work|workspace|workspaces|app|Volumes|content|"
    "nix|run"
)
_PATH = re.compile(
    rf"(?<![\w/.])/(?:{_ROOTS})(?:/[^\s'\"`:;,<>()]*)+|\b[A-Za-z]:\\[^\s'\"`;,<>()]+|\\\\[\w.-]+\\[^\s'\"`;,<>()]+|~/[^\s'\"`:;,<>()]+"
)
_PLACE, _SERVER = "[a folder of this machine]", "[a server]"


def configuration_yaml(
    config: Config,
    *,
    of: str = "",
    fingerprint: str = "",
    inputs: DocumentInputs | None = None,
    with_texts: bool = True,
) -> str:
    """Return all settings as YAML with a commented head, for `Config.from_yaml` and `--config`.

    A model's folder on this machine is replaced by its name.

    Args:
        of: words for the head that name their index or run, such as `the index main`.
        fingerprint: of that index, for the head.
        inputs: edits, pins, encodings and parsers of its documents; `--config` uses them too. If they are too long for
            the file, its head names them.
        with_texts: False leaves edits and pins out, which quote the documents, and names them in the head.
    """
    lines = [
        "Settings of Chunkscope"
        + (f", of {of}" if of else "")
        + (f", fingerprint {fingerprint}" if fingerprint else "")
    ]
    lines.append("Use them: python -m chunking index DOCUMENTS --workspace W --config THIS_FILE")
    record = inputs.as_record() if inputs else {}
    part = _documents_part(record) if with_texts else ""
    if len(part) > LONGEST_YAML // 2:
        part = ""
    if inputs and record and part:
        lines.append(f"With manual decisions about its documents: {counted(inputs.counts)}; see `documents` below.")
    elif inputs and record:
        lines.append(f"Its documents have {counted(inputs.counts)}, which are not in this file.")
        lines += [f"Export {one}.json and add --{one} {one}.json." for one in ("edits", "pins") if one in record]
    if own_model(config):
        lines.append("embedding.model was a folder on the machine that wrote this: put yours there.")
    return "".join(f"# {comment(line)}\n" for line in lines) + shared_config(config).to_yaml() + part


def counted(counts: Mapping[str, int]) -> str:
    """Format counts by plural noun in words, zeros included.

    >>> counted({"edits": 1, "pins": 1200})
    '1 edit, 1,200 pins'
    """
    return ", ".join(f"{number:,} {name[:-1] if number == 1 else name}" for name, number in counts.items())


def _documents_part(record: Mapping[str, Any]) -> str:
    return (
        yaml.safe_dump({DOCUMENTS: dict(record)}, sort_keys=False, allow_unicode=False, width=10**9) if record else ""
    )


def comment(text: str) -> str:
    """Return a user's text on one line, so that it cannot end the comment it is put in.

    >>> comment("main\\nimport os")
    'main import os'
    """
    return _UNSEEN.sub(" ", text).strip()


def shared_config(config: Config) -> Config:
    """Return the settings with the name of each model instead of its folder on this machine."""
    parts: dict[str, Any] = {}
    for part, name in _MODELS:
        settings_part = parts.get(part, getattr(config, part))
        parts[part] = settings_part.model_copy(update={name: _model_name(getattr(settings_part, name))})
    return config.model_copy(update=parts)


def own_model(config: Config) -> bool:
    """True if the embedding model is a folder on this machine, which other machines lack."""
    return shared_config(config).embedding.model != config.embedding.model


def _model_name(model: str) -> str:
    if remote_name(model) is not None or _HUB_NAME.fullmatch(model):
        return model
    return PureWindowsPath(model).name or "model"  # reads the paths of both kinds of system


def scrubbed(text: str, private: Iterable[str] = ()) -> str:
    """Replace this machine's paths and server addresses in a message by placeholders.

    Not for texts of documents.

    Args:
        private: known paths to remove, such as the workspace's.
    >>> scrubbed("The model /home/me/models/x is missing; http://10.0.0.3:8080/v1 did not answer.")
    'The model [a folder of this machine] is missing; [a server] did not answer.'
    >>> scrubbed("handbook/install.md has no page 3; GET /v1/readings is cut.")
    'handbook/install.md has no page 3; GET /v1/readings is cut.'
    """
    for place in sorted({*private, str(Path.cwd()), str(Path.home())}, key=len, reverse=True):
        if len(place) > 1:
            text = re.sub(re.escape(place) + r"[^\s'\"`:;,<>()]*", _PLACE, text)
    return _PATH.sub(_PLACE, _ADDRESS.sub(_SERVER, text))
