"""Haystack's document splitter and retriever with exported settings, saved with their pipeline."""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chunking.errors import MissingPackageError
from chunking.export.frameworks import PageContent, langchain_row
from chunking.integrations.exported_settings import ConfigSource, load_settings
from chunking.integrations.index_search import IndexSearch
from chunking.integrations.text_splitting import (
    FileContent,
    SplitText,
    TextSource,
    TextSplitting,
    chunk_metadata,
    content_choice,
    metadata_name,
)

try:
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.dataclasses import ByteStream
except ImportError as error:
    raise MissingPackageError.of("haystack-ai", "chunking.integrations for Haystack") from error

if TYPE_CHECKING:
    from chunking.model import Chunk

__all__ = ["ChunkscopeDocumentRetriever", "ChunkscopeDocumentSplitter"]

_FORM_FEED = "\f"
"""End of a page in texts of Haystack's converters."""


@component
class ChunkscopeDocumentSplitter:
    """Splits Haystack's Documents, and files, into the chunks that the app shows.

    A chunk's Document has the chunk's id. Its meta are `source_id`, `split_id`, `split_idx_start` and `page_number`, as
    Haystack's splitters give them, the metadata of the export for LangChain, and the meta of the Document that was
    split.
    """

    def __init__(
        self, config: ConfigSource = None, text: str = "content", text_format: str = "markdown", root: str = ""
    ) -> None:
        """Read the settings; the tokenizer is loaded with the first text.

        Args:
            config: the path of an exported YAML, its text, a `Config`; None: the defaults. A pipeline saves it as text.
            text: content of a Document: `content`, the unchanged span, or `embedded`, prefix and content.
            text_format: `markdown` or `text`, for texts without a file name in their meta (`file_path`).
            root: folder to which file names are made relative, so that ids are those of the app.
        Raises:
            ConfigError: a setting is unknown or out of range, or the YAML was written by a later version.
        """
        settings = load_settings(config)
        self.config, self.text, self.text_format, self.root = settings.text, text, text_format, os.fspath(root)
        self._text = content_choice(text)
        self._splitting = TextSplitting(settings, text_format=text_format, root=self.root)

    @component.output_types(documents=list[Document])
    def run(
        self, documents: list[Document] | None = None, sources: list[str | Path | ByteStream] | None = None
    ) -> dict[str, list[Document]]:
        """Split Documents, and files that are read as the app reads them.

        Args:
            documents: Documents to split; empty ones are omitted.
            sources: paths of files and folders; files in memory, with a `file_path` or `file_name` in their meta.
        Returns:
            `documents`: the chunks.
        Raises:
            ParseError: a file cannot be read.
        """
        texts = documents or []
        splits = self._splitting.split_texts(TextSource(one.content or "", one.meta) for one in texts)
        split = [(parts, one.id, one.meta) for parts, one in zip(splits, texts, strict=True) if parts]
        split += [(parts, parts.document.doc_id, {}) for parts in self._split_files(sources or [])]
        return {"documents": [document for parts, of, meta in split for document in self._documents(parts, of, meta)]}

    def _split_files(self, sources: Sequence[str | Path | ByteStream]) -> Iterator[SplitText]:
        streams = [one for one in sources if isinstance(one, ByteStream)]
        contents = [FileContent(one.data, metadata_name(one.meta) or "document") for one in streams]
        return self._splitting.split_files([one for one in sources if not isinstance(one, ByteStream)], contents)

    def to_dict(self) -> dict[str, Any]:
        """Return the constructor's arguments as plain values, with the settings as YAML."""
        return default_to_dict(self, config=self.config, text=self.text, text_format=self.text_format, root=self.root)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ChunkscopeDocumentSplitter:
        """Restore a component from the result of `to_dict`."""
        component: ChunkscopeDocumentSplitter = default_from_dict(cls, data)
        return component

    def _documents(self, split: SplitText, source_id: str, own: Mapping[str, Any]) -> list[Document]:
        pages = _pages(split.document.text, split.chunks)
        return [
            _document(
                chunk,
                self._text,
                own,
                source_id=source_id,
                split_id=chunk.chunk_index,
                split_idx_start=chunk.start,
                page_number=page,
            )
            for chunk, page in zip(split.chunks, pages, strict=True)
        ]


@component
class ChunkscopeDocumentRetriever:
    """Retrieves from a workspace's index as the Search page does; results are scored Documents."""

    def __init__(
        self,
        workspace: str,
        index: str = "",
        config: ConfigSource = None,
        top_k: int | None = None,
        where: dict[str, str] | None = None,
    ) -> None:
        """Read the settings; the workspace is opened, and the model loaded, with the first question.

        Args:
            workspace: its folder.
            index: its name; empty: the newest.
            config: settings of which the part `search` is used; None: the index's settings.
            top_k: results; None: as the settings say.
            where: filters on the results, such as `{"category": "faq"}`.
        Raises:
            ConfigError: a setting is unknown or out of range, or the YAML was written by a later version.
        """
        self.workspace, self.index, self.top_k, self.where = os.fspath(workspace), index, top_k, dict(where or {})
        self.config = None if config is None else load_settings(config).text
        self._search = IndexSearch(self.workspace, index, self.config, top_k, self.where)

    @component.output_types(documents=list[Document])
    def run(self, query: str, top_k: int | None = None) -> dict[str, list[Document]]:
        """Search the index and return the results as Documents with score and citation.

        Args:
            query: the question.
            top_k: results, for this question only.
        Returns:
            `documents`: the results, best first.
        Raises:
            QueryError, NotFoundError, ModelError: as `retrieval.search`.
        """
        results = self._search.results(query, top_k)
        documents = [
            _document(result.part, PageContent.CONTENT, {}, score=float(result.score), citation=result.citation)
            for result in results
        ]
        return {"documents": documents}

    def to_dict(self) -> dict[str, Any]:
        """Return the constructor's arguments as plain values, with the settings as YAML."""
        return default_to_dict(
            self, workspace=self.workspace, index=self.index, config=self.config, top_k=self.top_k, where=self.where
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ChunkscopeDocumentRetriever:
        """Restore a component from the result of `to_dict`."""
        component: ChunkscopeDocumentRetriever = default_from_dict(cls, data)
        return component


def _document(
    chunk: Chunk, text: PageContent, own: Mapping[str, Any], *, score: float | None = None, **meta: Any
) -> Document:
    row = langchain_row(chunk, text)
    return Document(
        id=row["id"], content=row["page_content"], meta=chunk_metadata(own, row["metadata"]) | meta, score=score
    )


def _pages(text: str, chunks: Sequence[Chunk]) -> list[int]:
    """Return the page on which each chunk starts, from 1: the document's own, or counted by form feeds."""
    ends = [match.start() for match in re.finditer(_FORM_FEED, text)]
    return [chunk.pages[0] if chunk.pages else 1 + bisect_left(ends, chunk.start) for chunk in chunks]
