"""The searches of a session: each is made once, so that opening a hit costs nothing."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext

import streamlit as st

from chunking.config import SearchConfig, SearchMode
from chunking.embedding import load_embedder
from chunking.retrieval import SearchResult, search, search_documents
from chunking.retrieval.rerank.reranking import RERANKERS
from chunking.store import IndexRow, Workspace
from components.kit.wording import plain
from components.server.short_waits import leave_loaded_out
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
    """The search; the one before, where nothing has changed.

    Args:
        target: what is searched.
        row: the index; None where there is none yet: then whole documents are searched.
        query: as it was typed.
        config: how to search.
        filters: conditions, by key.
        key: of the session, where the last search of this kind is kept with what it was asked.
    Raises:
        ChunkscopeError: as `retrieval.search`; QuotaError where somebody searches in a loop.
    """
    asked = (query, target.uri, target.version(), row.name if row else "", config, tuple(sorted(filters.items())))
    last = st.session_state.get(key)
    if last is None or last[0] != asked:
        deployment().quotas.check_search(host().counted_as())
        last = st.session_state[key] = (asked, _searched(target, row, query, config, filters))
    result: SearchResult = last[1]
    return result


def _searched(
    target: Workspace, row: IndexRow | None, query: str, config: SearchConfig, filters: Mapping[str, str]
) -> SearchResult:
    """Searched again where the first search had to wait for the model: its times would tell of that only."""
    if row is None:
        return search_documents(target, query, config, where=filters)
    waits = _needs_model(config) and not load_embedder(row.config.embedding).loaded
    with st.spinner(f"Loading the model {plain(row.config.embedding.model)} (once) …") if waits else nullcontext():
        result = search(target, query, config, index=row.name, where=filters)
        if not waits:
            return result
        leave_loaded_out()  # the model, and four hundred thousand objects of the packages that run it
        return search(target, query, config, index=row.name, where=filters)


def _needs_model(config: SearchConfig) -> bool:
    """A search by words never does, but for a reranker that is a model."""
    by_meaning = config.mode is SearchMode.VECTOR or (config.mode is SearchMode.HYBRID and config.vector_weight > 0)
    return by_meaning or any(RERANKERS[name].index_model for name in config.rerank)
