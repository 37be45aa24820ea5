"""Faults of the operator's settings: misspelt variables, and unusable names in the allow list.

Users learn only that something cannot be used; the operator's doctor says why.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from chunking.config import remote_name
from chunking.deployment.forbidden_settings import check_embedding_model
from chunking.deployment.operator_settings import Mode
from chunking.deployment.operator_sources import operator_rows, variable
from chunking.errors import ConfigError, ModelError, StoreError
from chunking.llm.endpoints import Kind, endpoint, endpoint_variables
from hosting.hosted_deployment import HostedDeployment

__all__ = ["allow_list_faults", "misspelt_variables"]

_ENDPOINTS: tuple[Kind, ...] = ("llm", "embedding")

_PREFIX = "CHUNKSCOPE_"
_OTHERS = ("ENGINES", "MODELS", "SETTINGS", "SPLITTERS", "TRACEBACKS", "WORKSPACE", "WORKSPACE_NAME")
"""Variables read besides the operator's settings and the model servers'; a test holds that these are all."""
_ALIKE = 0.7
"""Least similarity to a known name: `OPERATOR` and `LLM_API_KEY` reach it, `PORT` and `SERVICE_HOST` do not."""


def allow_list_faults(here: HostedDeployment) -> Iterator[str]:
    """Yield a sentence with a remedy for each unusable entry of the allow list.

    For a process that may name everything.
    """
    if not here.settings.shared:
        return
    yield from _models(here)
    yield from _endpoints(here)
    yield from _folders(here)
    yield from _base(here)


def _models(here: HostedDeployment) -> Iterator[str]:
    from chunking.embedding.model_folder import find_model

    local = sorted(entry for entry in here.settings.models if remote_name(entry) is None)
    for entry in [] if here.settings.allow.downloads else local:
        try:
            find_model(entry)
        except ModelError as error:
            try:
                find_model(entry, publisher="cross-encoder")
            except ModelError:
                yield f"CHUNKSCOPE_ALLOW_MODELS names {entry}, which cannot be used. {error}"


def _endpoints(here: HostedDeployment) -> Iterator[str]:
    if not here.settings.allow.endpoints:
        return
    configured = 0
    for kind in _ENDPOINTS:
        try:
            configured += endpoint(kind) is not None
        except ConfigError as error:
            configured += 1
            yield str(error)
    if not configured:
        yield (
            "CHUNKSCOPE_ALLOW_ENDPOINTS is on, and no server is configured: set CHUNKSCOPE_LLM_URL or "
            "CHUNKSCOPE_EMBEDDING_URL."
        )


def _folders(here: HostedDeployment) -> Iterator[str]:
    for folder in here.settings.folders:
        if not folder.expanduser().is_dir():
            yield f"CHUNKSCOPE_ALLOW_FOLDERS names {folder}, which is not a folder here: change it."


def _base(here: HostedDeployment) -> Iterator[str]:
    """Yield a sentence for each index of a demo's base that visitors cannot search for lack of its model."""
    if here.settings.sharing.mode is not Mode.DEMO or here.base.named is None:
        return
    try:
        base = here.base.check()
        rows = base.indexes() if base is not None else []
    except StoreError:
        return  # said by the check of the base itself
    for row in rows:
        name = row.config.embedding.model
        try:
            check_embedding_model(here.allowed, name)
        except (ModelError, ConfigError):
            yield (
                f"Visitors cannot search the index {row.name} of the demo template: its model {name} is not "
                f"on the list by that name. Add it to CHUNKSCOPE_ALLOW_MODELS unless it is a folder, or "
                f"build the index with another model."
            )


def misspelt_variables(environment: Mapping[str, str] | None = None) -> Iterator[str]:
    """Yield a sentence for each unread `CHUNKSCOPE_*` variable whose name resembles a known one.

    Others are left alone: Kubernetes, for one, sets `CHUNKSCOPE_PORT` for a service of that name.

    Args:
        environment: instead of the process's own.

    >>> list(misspelt_variables({"CHUNKSCOPE_OPERATOR": "ann@example.com", "CHUNKSCOPE_PORT": "tcp://10.0.0.1:80"}))
    ['Nothing reads CHUNKSCOPE_OPERATOR; did you mean CHUNKSCOPE_OPERATORS?']
    """
    environment = os.environ if environment is None else environment
    read = [*map(variable, operator_rows()), *endpoint_variables("llm"), *endpoint_variables("embedding")]
    names = [*(name.removeprefix(_PREFIX) for name in read), *_OTHERS]
    for name in sorted(name.removeprefix(_PREFIX) for name in environment if name.startswith(_PREFIX)):
        matches = get_close_matches(name, names, 1, _ALIKE)
        if matches and name not in names:
            yield f"Nothing reads {_PREFIX}{name}; did you mean {_PREFIX}{matches[0]}?"
