"""Generate contexts, summaries, descriptions and the RAPTOR tree, by rule or by the language model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from chunking.allowed import allowed
from chunking.config import Config
from chunking.errors import EndpointError
from chunking.indexing.run.fallback_levels import uses_endpoint
from chunking.indexing.stages.row_splitting import DocumentRows
from chunking.model import CHUNK, Chunk, Document, Flag
from chunking.store import Index, Workspace

if TYPE_CHECKING:
    import numpy as np

    from chunking.embedding import CachedEmbedder, SentenceVectors
    from chunking.enrichment import Enricher
    from chunking.llm import Client
    from chunking.splitting import Levels

__all__ = ["DocumentWriter", "cluster_tree", "counter", "llm_client", "no_language_model"]


class DocumentWriter:
    """Generator of contexts, summaries and descriptions for the documents and clusters of one run.

    The language model's endpoint is not contacted before it is needed.

    Args:
        spans: vectors of spans of a document; rules choose central sentences by them.
        say: called with a progress sentence; may raise to stop.
        stopped: called between requests; likewise.
    Attributes:
        written: texts so far by kind and writer, such as `context by llm`.
        model: name of the language model; empty if rules write.
    """

    def __init__(
        self,
        config: Config,
        workspace: Workspace,
        spans: SentenceVectors,
        say: Callable[[str], None],
        stopped: Callable[[], bool],
    ) -> None:
        self.written: Counter[str] = Counter()
        self.model = ""
        self._config, self._workspace, self._spans = config, workspace, spans
        self._say, self._stopped = say, stopped

    def with_generated_texts(self, document: Document, levels: Levels) -> DocumentRows:
        """Generate the texts for a document's rows, and return its rows with them.

        Raises:
            EndpointError: the language model's server or the embedding server failed; its `kind` says which.
        """
        self._say(f"Enriching {document.source}")
        enriched = self.enricher.enrich(document, levels)
        self.written += enriched.written
        return DocumentRows(document, enriched.levels, tuple(enriched.nodes))

    @property
    def by_rules(self) -> tuple[str, ...]:
        """Sentences, one for each kind of text that rules wrote for lack of a usable LLM answer.

        Empty if no language model was asked.
        """
        kinds = sorted({name.partition(" by ")[0] for name in self.written}) if self.model else []
        counts = ((kind, self.written[f"{kind} by llm"], self.written[f"{kind} by rules"]) for kind in kinds)
        return tuple(
            (
                f"Of {by_llm + by_rules:,} texts ({kind}) {by_rules:,} are by rule: nothing of the language "
                f"model's answer could be used."
            )
            for kind, by_llm, by_rules in counts
            if by_rules
        )

    @cached_property
    def client(self) -> Client | None:
        """Client of the configured language model, also setting `model`; None if rules write.

        Raises:
            EndpointError: no endpoint is configured.
        """
        client = llm_client(self._stopped) if uses_endpoint(self._config) else None
        self.model = client.endpoint.model if client else ""
        return client

    @cached_property
    def enricher(self) -> Enricher:
        """Object that generates the texts, with client, cache and limits; created at first use."""
        from chunking.embedding.model_folder import counting_folder
        from chunking.enrichment import Enricher

        return Enricher(
            self._config,
            client=self.client,
            texts=self._workspace.texts,
            vectors=self._spans,
            count=counter(self._config),
            max_tokens=counting_folder(self._config.embedding).content_tokens,
            on_progress=self._say,
            cancelled=self._stopped,
        )


def no_language_model() -> str:
    """Return the sentence for a language model that is missing, or not allowed here."""
    if not allowed().everything:
        return "No language model can be used on this server; set enrich.generator=rules."
    return (
        "No language model endpoint is configured; set CHUNKSCOPE_LLM_URL and CHUNKSCOPE_LLM_MODEL, or "
        "enrich.generator=rules."
    )


def llm_client(stopped: Callable[[], bool] | None = None) -> Client:
    """Return a client of the configured language model; nothing is sent.

    Raises:
        EndpointError: no endpoint is configured.
    """
    from chunking.llm import Client, endpoint

    configured = endpoint("llm")
    if configured is None:
        raise EndpointError(no_language_model())
    return Client(configured, cancelled=stopped)


def counter(config: Config) -> Callable[[str], int]:
    """Return a function that counts a text's tokens by the tokenizer that measures chunk sizes."""
    from chunking.embedding.model_folder import counting_folder
    from chunking.splitting import token_counter

    return token_counter(counting_folder(config.embedding).path).count


# -- the RAPTOR tree over all chunks


def cluster_tree(
    index: Index,
    config: Config,
    embedder: CachedEmbedder,
    writer: DocumentWriter,
    say: Callable[[str], None],
    stopped: Callable[[], bool],
) -> tuple[list[Chunk], np.ndarray]:
    """Build the RAPTOR tree of an index: cluster its chunks, summarise the clusters, and repeat.

    It ends with one cluster, or after `enrich.raptor_levels`. Nothing is written to the index.

    Returns:
        The nodes level by level, and their vectors (n, d) float32; both empty for fewer than two chunks.
    Raises:
        EndpointError: the language model's server or the embedding server failed; its `kind` says which.
        Cancelled, LimitReached: `stopped` returned True, or raised.
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
    languages = {chunk_id: chunk.language for chunk_id, chunk in chunks.items()}
    nodes = tree_nodes(tree, count=count, by_llm=by_llm, by_rule=by_rule, languages=languages)
    generated = sum(Flag.GENERATED in node.flags for node in nodes)
    writer.written += Counter({"cluster by llm": generated, "cluster by rules": len(nodes) - generated})
    rows = [node.vector for node in tree]
    return nodes, np.array(rows, np.float32).reshape(len(rows), index.dimension)
