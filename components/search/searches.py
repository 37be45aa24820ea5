"""The searches of a session, each made once, so that opening a hit costs nothing."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext

import streamlit as st

from chunking.config import SearchConfig, SearchMode
from chunking.embedding import load_embedder
from chunking.retrieval import SearchResult, search, search_documents
from chunking.retrieval.ranking.reranking import RERANKERS
from chunking.store import IndexRow, Workspace
from components.kit.wording import plain
from components.server.process_settings import leave_loaded_out
from components.session.host import deployment, host

__all__ = ["search_once"]


def search_once(
    target: Workspace,
    row: IndexRow | None,
    query: str,
    config: SearchConfig,
    filters: Mapping[str, str],
    *,
    key: str = "search.last",
) -> SearchResult:
    """Search, or return the last result of this kind where nothing has changed.

    Args:
        row: the index; None without one: whole documents are searched.
        query: as typed.
        filters: conditions, by key.
        key: session key of the last search of this kind.
    Raises:
        ChunkscopeError: as `retrieval.search`; QuotaError where searches come too fast.
    """
    request = (query, target.uri, target.version(), row.name if row else "", config, tuple(sorted(filters.items())))
    last = st.session_state.get(key)
    if last is None or last[0] != request:
        deployment().quotas.check_search(host().counted_as())
        last = st.session_state[key] = (request, _searched(target, row, query, config, filters))
    result: SearchResult = last[1]
    return result


def _searched(
    target: Workspace, row: IndexRow | None, query: str, config: SearchConfig, filters: Mapping[str, str]
) -> SearchResult:
    if row is None:
        return search_documents(target, query, config, where=filters)
    embedder = load_embedder(row.config.embedding)
    loads = _needs_model(config) and not embedder.loaded
    with st.spinner(f"Loading the model {plain(row.config.embedding.model)} (once) …") if loads else nullcontext():
        result = search(target, query, config, index=row.name, where=filters)
    if loads:
        leave_loaded_out()  # the model, and four hundred thousand objects of the packages that run it
    return result


def _needs_model(config: SearchConfig) -> bool:
    """Whether vectors or a reranker need the index's model; a search by words alone does not."""
    by_meaning = config.mode is SearchMode.VECTOR or (config.mode is SearchMode.HYBRID and config.vector_weight > 0)
    return by_meaning or any(RERANKERS[name].index_model for name in config.rerank)
