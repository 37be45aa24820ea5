"""Splitters and retrievers for LangChain, LlamaIndex and Haystack, and writers to vector stores.

exported_settings.py   exported YAML, with the edits and pins of its documents
text_splitting.py      splitting of texts and files; index_search.py: search of an index
langchain.py  llama_index.py  haystack.py   objects of each framework, built on these two
writers/               synchronisation of an index with another vector store

A framework is imported on first use of one of its names.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chunking.integrations.exported_settings import ConfigSource as ConfigSource
    from chunking.integrations.haystack import ChunkscopeDocumentRetriever as ChunkscopeDocumentRetriever
    from chunking.integrations.haystack import ChunkscopeDocumentSplitter as ChunkscopeDocumentSplitter
    from chunking.integrations.langchain import ChunkscopeRetriever as ChunkscopeRetriever
    from chunking.integrations.langchain import ChunkscopeTextSplitter as ChunkscopeTextSplitter
    from chunking.integrations.llama_index import ChunkscopeNodeParser as ChunkscopeNodeParser
    from chunking.integrations.llama_index import ChunkscopeNodeRetriever as ChunkscopeNodeRetriever
    from chunking.integrations.writers.index_writing import WriteReport as WriteReport
    from chunking.integrations.writers.index_writing import write_index as write_index
    from chunking.integrations.writers.writer_table import WRITERS as WRITERS
    from chunking.integrations.writers.writer_table import StoreWriter as StoreWriter

_NAMES = {
    "exported_settings": ("ConfigSource",),
    "haystack": ("ChunkscopeDocumentRetriever", "ChunkscopeDocumentSplitter"),
    "langchain": ("ChunkscopeRetriever", "ChunkscopeTextSplitter"),
    "llama_index": ("ChunkscopeNodeParser", "ChunkscopeNodeRetriever"),
    "writers.index_writing": ("WriteReport", "write_index"),
    "writers.writer_table": ("WRITERS", "StoreWriter"),
}
_HOMES = {name: f"chunking.integrations.{module}" for module, names in _NAMES.items() for name in names}

__all__ = [
    "WRITERS",
    "ChunkscopeDocumentRetriever",
    "ChunkscopeDocumentSplitter",
    "ChunkscopeNodeParser",
    "ChunkscopeNodeRetriever",
    "ChunkscopeRetriever",
    "ChunkscopeTextSplitter",
    "ConfigSource",
    "StoreWriter",
    "WriteReport",
    "write_index",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'chunking.integrations' has no attribute '{name}'")
    return getattr(importlib.import_module(_HOMES[name]), name)
