"""Splitters and retrievers for LangChain, LlamaIndex and Haystack, and writers to vector stores.

exported_settings.py   the exported YAML, with the edits and pins of its documents
text_splitting.py      texts and files to the app's chunks; index_search.py: questions to the app's results
langchain.py  llama_index.py  haystack.py   the objects of each framework over these two
writers/               an index with its vectors to another store, of which a second run writes only what has changed

Each framework is imported with the first of its names, and is needed for nothing else.
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
