"""The RAPTOR tree over all chunks of an index, as rows of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from chunking.config import Config
from chunking.indexing.run.enrichment_run import DocumentWriter, counter
from chunking.model import CHUNK, Chunk, Flag
from chunking.store import Index

if TYPE_CHECKING:
    import numpy as np

    from chunking.embedding import CachedEmbedder

__all__ = ["cluster_tree"]


def cluster_tree(
    index: Index,
    config: Config,
    embedder: CachedEmbedder,
    writer: DocumentWriter,
    say: Callable[[str], None],
    stopped: Callable[[], bool],
) -> tuple[list[Chunk], np.ndarray]:
    """Group the chunks of an index and summarise the groups, again and again, until there is one.

    Returns:
        The nodes level by level, and (n, d) float32, a row each; none of either over fewer than two chunks.
    Raises:
        EndpointError: the language model that summarises, or the server that embeds; its `kind` says which.
        Cancelled, LimitReached: as `stopped` says.
    """
    import numpy as np

    from chunking.embedding import embed_chunks
    from chunking.enrichment import cluster_texts, tree_nodes
    from chunking.enrichment.raptor import build_tree

    def embed(texts: Sequence[str]) -> np.ndarray:
        return embed_chunks(
            embedder, texts, [count(text) for text in texts], on_progress=lambda _: say("Embedding summaries")
        ).vectors

    count = counter(config)
    ids, _, vectors = index.vectors_of(CHUNK)
    chunks = {chunk.chunk_id: chunk for chunk in index.by_level(CHUNK)}
    tree = build_tree(
        ids,
        cluster_texts(chunks[chunk_id] for chunk_id in ids),
        vectors,
        embed=embed,
        summarise=writer.enricher.cluster_summaries(embed),
        count=count,
        config=config.enrich,
        on_progress=say,
        cancelled=stopped,
    )
    by_llm, by_rule = writer.client is not None, writer.enricher.clusters_by_rule
    nodes = tree_nodes(tree, count=count, by_llm=by_llm, by_rule=by_rule)
    generated = sum(Flag.GENERATED in node.flags for node in nodes)
    writer.written += Counter({"cluster by llm": generated, "cluster by rules": len(nodes) - generated})
    rows = [node.vector for node in tree]
    return nodes, np.array(rows, np.float32).reshape(len(rows), index.dimension)
