"""Chunks as documents of LangChain and nodes of LlamaIndex: objects, or JSON that needs no package.

Metadata is flat (texts and numbers only): some vector stores take nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from chunking.errors import ChunkscopeError
from chunking.model import CHUNK, PARENT, Chunk

if TYPE_CHECKING:
    from langchain_core.documents import Document as LangChainDocument
    from llama_index.core.schema import TextNode

__all__ = ["PageContent", "as_langchain", "as_llama_index", "flat_metadata", "langchain_row", "llama_index_row"]
_SOURCE, _BEFORE, _AFTER, _PARENT, _CHILD = "1", "2", "3", "4", "5"
"""LlamaIndex' NodeRelationship."""
_TEXT_NODE, _DOCUMENT_NODE = "1", "4"
"""LlamaIndex' ObjectType."""


class PageContent(StrEnum):
    """Source of `page_content`, which LangChain both embeds and passes to the language model."""

    CONTENT = "content"
    """Span of the document, unchanged."""
    EMBEDDED = "embedded"
    """Text that this project embeds: title path or other prefix, and the cleaned content."""


def flat_metadata(chunk: Chunk) -> dict[str, str | int]:
    """Return a chunk's ids, titles, pages, counts and span as a flat mapping without empty texts.

    `source` and `start_index` are LangChain's keys. A chunk without content has no span.
    """
    texts: dict[str, str | int] = {
        "source": str(chunk.metadata.get("relative_path") or chunk.metadata.get("file_path") or ""),
        "title": str(chunk.metadata.get("title", "")),
        "title_path": " > ".join(chunk.title_path),
        "doc_id": chunk.doc_id,
        "chunk_id": chunk.chunk_id,
        "section_id": chunk.section_id,
        "parent_id": chunk.parent_id,
        "level": chunk.level,
        "content_type": chunk.content_type,
        "category": str(chunk.metadata.get("category", "")),
        "language": str(chunk.metadata.get("language", "")),
        "pages": ", ".join(str(page) for page in dict.fromkeys(chunk.pages)),
        "flags": ", ".join(chunk.flags),
        "hash": chunk.hash,
    }
    numbers = {"chunk_index": chunk.chunk_index, "total_chunks": chunk.total_chunks, "token_count": chunk.token_count}
    spans = {"start_index": chunk.start, "end_index": chunk.end} if chunk.content else {}
    return {name: value for name, value in texts.items() if value} | numbers | spans


def langchain_row(chunk: Chunk, text: PageContent = PageContent.CONTENT) -> dict[str, Any]:
    """Return a chunk as `Document.model_dump` of LangChain gives it, for `model_validate`."""
    page_content = chunk.embedding_content if text is PageContent.EMBEDDED else chunk.content or chunk.summary
    return {"id": chunk.chunk_id, "metadata": flat_metadata(chunk), "page_content": page_content, "type": "Document"}


def llama_index_row(chunk: Chunk, levels: Collection[str] = (CHUNK,)) -> dict[str, Any]:
    """Return a chunk as LlamaIndex' `TextNode.to_dict` gives it, for `TextNode.from_dict`.

    The text is the unchanged span. The prefix is the only embedded metadata, so that LlamaIndex embeds prefix and
    content, as this project counts them.

    Args:
        levels: exported levels; a relation to a missing node would make LlamaIndex' retrievers fail.
    """
    metadata = flat_metadata(chunk) | ({"prefix": chunk.prefix} if chunk.prefix else {})
    relations: dict[str, Any] = {}
    if chunk.doc_id:
        relations[_SOURCE] = _related(chunk.doc_id, _DOCUMENT_NODE)
    if chunk.prev_id:
        relations[_BEFORE] = _related(chunk.prev_id)
    if chunk.next_id:
        relations[_AFTER] = _related(chunk.next_id)
    if chunk.level == CHUNK and PARENT in levels and "_parent" in chunk.parent_id:
        relations[_PARENT] = _related(chunk.parent_id)
    if chunk.level == PARENT and CHUNK in levels:
        relations[_CHILD] = [_related(child) for child in chunk.children]
    return {
        "id_": chunk.chunk_id,
        "embedding": None,
        "metadata": metadata,
        "excluded_embed_metadata_keys": [name for name in metadata if name != "prefix"],
        "excluded_llm_metadata_keys": [name for name in metadata if name not in ("source", "title_path")],
        "relationships": relations,
        "metadata_template": "{value}",
        "metadata_separator": "\n",
        "text": chunk.content or chunk.summary,
        "mimetype": "text/plain",
        "start_char_idx": chunk.start if chunk.content else None,
        "end_char_idx": chunk.end if chunk.content else None,
        "text_template": "{metadata_str}\n\n{content}",
        "class_name": "TextNode",
    }


def _related(node_id: str, kind: str = _TEXT_NODE) -> dict[str, Any]:
    return {"node_id": node_id, "node_type": kind, "metadata": {}, "hash": None, "class_name": "RelatedNodeInfo"}


def as_langchain(chunks: Iterable[Chunk], text: PageContent = PageContent.CONTENT) -> list[LangChainDocument]:
    """Convert chunks to LangChain's Documents.

    Raises:
        ChunkscopeError: langchain-core is not installed.
    """
    try:
        from langchain_core.documents import Document
    except ImportError as error:
        raise _missing("langchain-core") from error
    return [Document.model_validate(langchain_row(chunk, text)) for chunk in chunks]


def as_llama_index(chunks: Iterable[Chunk]) -> list[TextNode]:
    """Convert chunks to LlamaIndex' nodes, with their relations.

    Raises:
        ChunkscopeError: llama-index-core is not installed.
    """
    try:
        from llama_index.core.schema import TextNode
    except ImportError as error:
        raise _missing("llama-index-core") from error
    listed = list(chunks)
    levels = {chunk.level for chunk in listed}
    return [TextNode.from_dict(llama_index_row(chunk, levels)) for chunk in listed]


def _missing(package: str) -> ChunkscopeError:
    return ChunkscopeError(
        f"The package {package} is not installed; run pip install {package}, or export JSON, which needs no package."
    )
