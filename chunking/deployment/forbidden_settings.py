"""Checks of a configuration's names against the allow list.

For links, files and forms, which report them before any work begins. The binding check is where models, splitters and
servers are loaded or contacted (`chunking.allowed`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from chunking.allowed import Allowed, allowed
from chunking.config import Config, Strategy, remote_name
from chunking.config.choices import Rerank
from chunking.errors import ConfigError, ModelError
from chunking.llm.endpoints import endpoint
from chunking.splitting.strategies.custom_splitters import LOADED, splitter_names

__all__ = ["check_embedding_model", "check_names", "forbidden"]


def forbidden(config: Config) -> dict[str, str]:
    """Return an error sentence by key for each setting with a name that this server forbids.

    Splitters stored in a workspace are not checked: the workspace is not known here.
    """
    here = allowed()
    return {} if here.everything else dict(_forbidden(config, here))


def check_names(config: Config, keys: Collection[str] | None = None) -> None:
    """Raise ConfigError unless a configuration may be used here.

    Args:
        keys: of the settings to check; None: all.
    Raises:
        ConfigError: a setting has a forbidden name; `where` is its key.
    """
    for key, sentence in forbidden(config).items():
        if keys is None or key in keys:
            raise ConfigError(sentence, where=key)


def check_embedding_model(here: Allowed, name: str) -> None:
    """Raise ModelError unless `here` allows an embedding model, local or `remote:` on the server.

    Raises:
        ConfigError: the server's settings are invalid.
    """
    served = remote_name(name)
    if served is None:
        here.model(name)
    else:
        configured = endpoint("embedding")
        here.served_model(served, configured.model if configured else "")


def _forbidden(config: Config, here: Allowed) -> Iterator[tuple[str, str]]:
    try:
        check_embedding_model(here, config.embedding.model)
    except (ModelError, ConfigError) as error:
        yield "embedding.model", str(error)
    if Rerank.CROSS_ENCODER in config.search.rerank:
        try:
            here.model(config.search.rerank_model)
        except ModelError as error:
            yield "search.rerank_model", str(error)
    for category in ("", *(name for name, _ in config.categories)):
        own = config.for_category(category).chunk
        named = own.splitter if own.strategy is Strategy.CUSTOM and not own.splitter.startswith(LOADED) else ""
        if named and named not in splitter_names():
            yield f"category.{category}.splitter" if category else "splitter", str(here.no_splitter(named))
