"""What a file that leaves this machine must not tell: where things lie on it, and which servers it asks.

Keys and addresses of servers are no part of a configuration, an index or a run (see `llm/endpoints.py`), but a sentence
about a
server that failed may name one, and a model may be named by its folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path, PureWindowsPath
from typing import Any

from chunking.config import Config, remote_name

__all__ = ["own_model", "scrubbed", "shared_config"]

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


def shared_config(config: Config) -> Config:
    """The same settings, with the name of a model in the place of its folder on this machine."""
    parts: dict[str, Any] = {}
    for part, name in _MODELS:
        known = parts.get(part, getattr(config, part))
        parts[part] = known.model_copy(update={name: _model_name(getattr(known, name))})
    return config.model_copy(update=parts)


def own_model(config: Config) -> bool:
    """Whether the embedding model is a folder of this machine: whoever gets the file has to put it in place."""
    return shared_config(config).embedding.model != config.embedding.model


def _model_name(model: str) -> str:
    if remote_name(model) is not None or _HUB_NAME.fullmatch(model):
        return model
    return PureWindowsPath(model).name or "model"  # reads the paths of both kinds of system


def scrubbed(text: str, known: Iterable[str] = ()) -> str:
    """A sentence of ours without paths of this machine and addresses of servers. Not for texts of documents: those stay
    as they are.

    Args:
        known: what is a path for certain, such as where the workspace is.

    >>> scrubbed("The model /home/me/models/x is missing; http://10.0.0.3:8080/v1 did not answer.")
    'The model [a folder of this machine] is missing; [a server] did not answer.'
    >>> scrubbed("handbook/install.md has no page 3; GET /v1/readings is cut.")
    'handbook/install.md has no page 3; GET /v1/readings is cut.'
    """
    for place in sorted({*known, str(Path.cwd()), str(Path.home())}, key=len, reverse=True):
        if len(place) > 1:
            text = re.sub(re.escape(place) + r"[^\s'\"`:;,<>()]*", _PLACE, text)
    return _PATH.sub(_PLACE, _ADDRESS.sub(_SERVER, text))
