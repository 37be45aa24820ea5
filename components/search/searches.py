"""Searches of a session, run once and kept while a hit is read; and staleness of the index."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext

import streamlit as st

from chunking.config import SearchConfig, SearchMode, settings
from chunking.embedding import load_embedder
from chunking.retrieval import SearchResult, search, search_documents
from chunking.retrieval.ranking.reranking import RERANKERS
from chunking.store import IndexRow, Workspace
from components.kit.wording import plain
from components.server.process_settings import exclude_new_objects
from components.session import share
from components.session.host import deployment, host
from components.session.index_state import documents_changed

__all__ = ["index_staleness", "search_once"]


def search_once(
    target: Workspace,
    row: IndexRow | None,
    query: str,
    config: SearchConfig,
    filters: Mapping[str, str],
    *,
    key: str = "search.last",
) -> SearchResult:
    """Search, or return the session's last result if the request is the same.

    A request is the query, the index, the settings, the filters, and the workspace in its present version.

    Args:
        row: the index; None searches whole documents.
        query: query as typed.
        filters: filter key to value.
        key: session key of the last search of this kind.
    Raises:
        ChunkscopeError: as `retrieval.search`; QuotaError if searches come too fast.
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
        exclude_new_objects()  # the model, and four hundred thousand objects of the packages that run it
    return result


def _needs_model(config: SearchConfig) -> bool:
    """True if the search needs query vectors or a reranker that uses the index's model."""
    by_meaning = config.mode is SearchMode.VECTOR or (config.mode is SearchMode.HYBRID and config.vector_weight > 0)
    return by_meaning or any(RERANKERS[name].index_model for name in config.rerank)


def index_staleness(target: Workspace, row: IndexRow) -> str:
    """Return why an index is out of date as a sentence, or "".

    Compares the settings first, and only if these are equal the documents and the code.
    """
    now, then = share.config(), row.config
    if now.fingerprint() == then.fingerprint():
        return documents_changed(target, row)
    different = [
        f"{s.title} {s.text(now) or 'empty'}"
        for s in settings()
        if s.part != "search" and s.value(now) != s.value(then)
    ]
    return (
        f"Out of date: the settings are now {', '.join(different[:3])}{(' and more' if len(different) > 3 else '')}. "
        "Build it again."
    )
