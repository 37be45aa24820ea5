"""Whether what the operator's list names is there: people are told no more of it than that it cannot be used."""

from __future__ import annotations

from collections.abc import Iterator

from chunking.config import remote_name
from chunking.deployment.forbidden_settings import check_embedding_model
from chunking.deployment.operator_settings import Mode
from chunking.errors import ConfigError, ModelError, StoreError
from chunking.llm.endpoints import Kind, endpoint
from hosting.hosted_deployment import HostedDeployment

__all__ = ["allow_list_faults"]

_ENDPOINTS: tuple[Kind, ...] = ("llm", "embedding")


def allow_list_faults(here: HostedDeployment) -> Iterator[str]:
    """A sentence for each thing of the list that cannot be used as it is, with what to do; for a process that may name
    everything.
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
    """Visitors of a demo can only search an index whose model they may name."""
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
                f"Visitors cannot search the index {row.name} of the base of demos: its model {name} is not on the "
                "list by that name. Add it to CHUNKSCOPE_ALLOW_MODELS unless it is a folder, or build the index with "
                "another model."
            )
