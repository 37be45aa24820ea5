"""LangChain's text splitter and retriever with exported settings."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from chunking.errors import MissingPackageError
from chunking.export.frameworks import PageContent, as_langchain
from chunking.integrations.exported_settings import ConfigSource, load_settings
from chunking.integrations.index_search import IndexSearch
from chunking.integrations.text_splitting import TextSource, TextSplitting, chunk_metadata, content_choice
from chunking.paths import AnyPath

try:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables.config import run_in_executor
    from langchain_text_splitters import TextSplitter
    from pydantic import Field, PrivateAttr
except ImportError as error:
    raise MissingPackageError.of("langchain-text-splitters", "chunking.integrations for LangChain") from error

if TYPE_CHECKING:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun

    from chunking.model import Chunk

__all__ = ["ChunkscopeRetriever", "ChunkscopeTextSplitter"]


class ChunkscopeTextSplitter(TextSplitter):
    """Splits texts and files into the chunks that the app shows, as LangChain's Documents.

    `start_index` and `end_index` of their metadata are offsets in the input text; of a file, in the text that the app
    shows. The text's own metadata stay; `source`, `title`, `category` and `language` are added if missing.
    """

    def __init__(
        self,
        config: ConfigSource = None,
        *,
        text: PageContent | str = PageContent.CONTENT,
        text_format: str = "markdown",
        root: AnyPath = "",
    ) -> None:
        """Read the settings; the tokenizer is loaded with the first text.

        Args:
            config: the path of an exported YAML, its text, a `Config`; None: the defaults.
            text: `page_content`: `content`, the unchanged span, or `embedded`, prefix and content.
            text_format: `markdown` or `text`, for texts without a file name in their metadata (`source`, `file_path`).
            root: folder to which file names are made relative, so that ids are those of the app.
        Raises:
            ConfigError: a setting is unknown or out of range, or the YAML was written by a later version.
        """
        settings = load_settings(config)
        super().__init__(chunk_size=settings.config.chunk.size, chunk_overlap=0, add_start_index=True)
        self._text = content_choice(text)
        self._splitting = TextSplitting(settings, text_format=text_format, root=os.fspath(root))

    def split_text(self, text: str) -> list[str]:
        """Return the `page_content` of the chunks: the span, or the embedded text."""
        return [document.page_content for document in self.create_documents([text])]

    def create_documents(self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None) -> list[Document]:
        """Return the chunks of texts, each with the metadata of its text; empty texts give none."""
        sources_metadata = metadatas or [{}] * len(texts)
        sources = map(TextSource, texts, sources_metadata)
        splits = zip(self._splitting.split_texts(sources), sources_metadata, strict=True)
        return [document for split, own in splits if split for document in self._documents(split.chunks, own)]

    def split_files(self, paths: Iterable[AnyPath]) -> list[Document]:
        """Return the chunks of files and folders, of every format that the app reads.

        Raises:
            ParseError: a file cannot be read.
        """
        return [
            document for split in self._splitting.split_files(paths) for document in self._documents(split.chunks, {})
        ]

    def _documents(self, chunks: Sequence[Chunk], own: Mapping[str, Any]) -> list[Document]:
        documents = as_langchain(chunks, self._text)
        for document in documents:
            document.metadata = chunk_metadata(own, document.metadata)
        return documents


class ChunkscopeRetriever(BaseRetriever):
    """Retrieves from a workspace's index as the Search page does; results are Documents.

    Their metadata also has `score` and `citation`. `invoke(question, k=3)` returns three results for this question.
    """

    workspace: str
    """Folder of the workspace."""
    index: str = ""
    """Name of the index; empty: the newest."""
    config: str = ""
    """YAML of which the part `search` is used, from a path, a text or a `Config`; empty: the index's."""
    k: int | None = None
    """Number of results; None: as the settings say."""
    where: dict[str, str] = Field(default_factory=dict)
    """Filters on the results, such as `{"category": "faq"}`."""

    _search: IndexSearch = PrivateAttr()

    def __init__(self, workspace: AnyPath, *, config: ConfigSource = "", **options: Any) -> None:
        """Read the settings; the workspace is opened, and the model loaded, with the first question.

        Raises:
            ConfigError: a setting is unknown or out of range, or the YAML was written by a later version.
        """
        text = load_settings(config).text if config else ""
        super().__init__(workspace=os.fspath(workspace), config=text, **options)
        self._search = IndexSearch(self.workspace, self.index, self.config or None, self.k, self.where)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun | None = None, k: int | None = None
    ) -> list[Document]:
        return self._retrieve(query, k)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun | None = None, k: int | None = None
    ) -> list[Document]:
        return await run_in_executor(None, self._retrieve, query, k)

    def _retrieve(self, query: str, k: int | None) -> list[Document]:
        results = self._search.results(query, k)
        documents = as_langchain([result.part for result in results])
        for document, result in zip(documents, results, strict=True):
            document.metadata |= {"score": float(result.score), "citation": result.citation}
        return documents
