"""LlamaIndex' node parser and retriever with exported settings."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from chunking.errors import MissingPackageError
from chunking.export.frameworks import as_llama_index
from chunking.integrations.exported_settings import ConfigSource, load_settings
from chunking.integrations.index_search import IndexSearch
from chunking.integrations.text_splitting import TextSource, TextSplitting, chunk_metadata
from chunking.model import CHUNK
from chunking.paths import AnyPath

try:
    from llama_index.core.bridge.pydantic import Field, PrivateAttr
    from llama_index.core.node_parser import NodeParser
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import BaseNode, MetadataMode, NodeRelationship, NodeWithScore, QueryBundle, TextNode
except ImportError as error:
    raise MissingPackageError.of("llama-index-core", "chunking.integrations for LlamaIndex") from error

if TYPE_CHECKING:
    from llama_index.core.schema import Document

    from chunking.model import Chunk

__all__ = ["ChunkscopeNodeParser", "ChunkscopeNodeRetriever"]


class ChunkscopeNodeParser(NodeParser):
    """Splits LlamaIndex' Documents, and files, into the app's chunks: nodes with their relations.

    A node has the chunk's id, and its Document as source. Of its metadata only the prefix is embedded, in front of the
    content, as in the app. The Document's metadata stay, and stay visible or hidden to the language model.
    """

    config: str = Field(default="", description="Settings, as YAML; given as a path, a text or a Config.")
    levels: list[str] = Field(default=[CHUNK], description="Levels that become nodes: chunk, parent, x2 ...")
    text_format: str = Field(default="markdown", description="markdown or text, for texts without a file name.")
    root: str = Field(default="", description="Base folder of relative file names.")

    _splitting: TextSplitting = PrivateAttr()

    def __init__(self, config: ConfigSource = None, **options: Any) -> None:
        """Read the settings; the tokenizer is loaded with the first text.

        Args:
            config: the path of an exported YAML, its text, a `Config`; None or empty: the defaults.
            options: `levels`, `text_format`, `root` and arguments of `NodeParser`.
        Raises:
            ConfigError: a setting is unknown or out of range, or the YAML was written by a later version.
        """
        settings = load_settings(config or None)
        if not callable(options.get("id_func")):  # saved by name only; ids are the chunks' anyway
            options.pop("id_func", None)
        super().__init__(config=settings.text, **options)
        self._splitting = TextSplitting(settings, tuple(self.levels), self.text_format, self.root)

    @classmethod
    def class_name(cls) -> str:
        return "ChunkscopeNodeParser"

    def get_nodes_from_files(self, paths: Iterable[AnyPath]) -> list[BaseNode]:
        """Return the nodes of files and folders in any format the app reads.

        The source of a node is the id of its document.

        Raises:
            ParseError: a file cannot be read.
        """
        return [node for split in self._splitting.split_files(paths) for node in self._nodes(split.chunks)]

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any) -> list[BaseNode]:
        sources = (TextSource(node.get_content(metadata_mode=MetadataMode.NONE), node.metadata) for node in nodes)
        splits = zip(self._splitting.split_texts(sources), nodes, strict=True)
        return [node for split, own in splits if split for node in self._nodes(split.chunks, own)]

    def _postprocess_parsed_nodes(self, nodes: list[BaseNode], parent_doc_map: dict[str, Document]) -> list[BaseNode]:
        """Keep the nodes: the base class searches the text for offsets, and a text may occur several times."""
        return nodes

    def _nodes(self, chunks: Sequence[Chunk], own: BaseNode | None = None) -> list[BaseNode]:
        nodes = as_llama_index(chunks)
        for node in nodes:
            if not self.include_prev_next_rel:
                node.relationships.pop(NodeRelationship.PREVIOUS, None)
                node.relationships.pop(NodeRelationship.NEXT, None)
            if own is not None:
                self._inherit(node, own)
        return list(nodes)

    def _inherit(self, node: TextNode, own: BaseNode) -> None:
        """Set a node's source Document, and add the Document's metadata."""
        node.relationships[NodeRelationship.SOURCE] = own.source_node or own.as_related_node_info()
        if not self.include_metadata:
            return
        metadata = node.metadata
        node.metadata = chunk_metadata(own.metadata, metadata)
        node.excluded_embed_metadata_keys = [key for key in node.metadata if key != "prefix"]
        hidden = {
            *own.excluded_llm_metadata_keys,
            *(key for key in node.excluded_llm_metadata_keys if key not in own.metadata),
        }
        node.excluded_llm_metadata_keys = [key for key in node.metadata if key in hidden]


class ChunkscopeNodeRetriever(BaseRetriever):
    """Retrieves from a workspace's index as the Search page does; results are nodes with scores."""

    def __init__(
        self,
        workspace: AnyPath,
        *,
        index: str = "",
        config: ConfigSource = None,
        similarity_top_k: int | None = None,
        where: dict[str, str] | None = None,
        **options: Any,
    ) -> None:
        """Read the settings; the workspace is opened, and the model loaded, with the first question.

        Args:
            workspace: its folder.
            index: its name; empty: the newest.
            config: settings of which the part `search` is used; None: the index's settings.
            similarity_top_k: results; None: as the settings say.
            where: filters on the results, such as `{"category": "faq"}`.
            options: arguments of `BaseRetriever`.
        Raises:
            ConfigError: a setting is unknown or out of range, or the YAML was written by a later version.
        """
        super().__init__(**options)
        self._search = IndexSearch(os.fspath(workspace), index, config, similarity_top_k, where or {})

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """Retrieve in a thread: a search must not block the event loop."""
        return await asyncio.to_thread(self._retrieve, query_bundle)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        results = self._search.results(query_bundle.query_str)
        nodes = as_llama_index([result.part for result in results])
        return [
            NodeWithScore(node=node, score=float(result.score)) for node, result in zip(nodes, results, strict=True)
        ]
