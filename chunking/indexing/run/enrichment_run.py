"""Write contexts, summaries and descriptions, by rule or by the configured language model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from chunking.allowed import allowed
from chunking.config import Config
from chunking.errors import EndpointError
from chunking.indexing.run.chunk_vectors import DocumentRows
from chunking.indexing.run.fallback_levels import uses_endpoint
from chunking.model import Document
from chunking.store import Workspace

if TYPE_CHECKING:
    from chunking.embedding import SentenceVectors
    from chunking.enrichment import Enricher
    from chunking.llm import Client
    from chunking.splitting import Levels

__all__ = ["DocumentWriter", "counter", "llm_client", "no_language_model"]


class DocumentWriter:
    """Writes about one document after the other, and about clusters; asks nobody before it has to.

    Args:
        spans: vectors of spans of a document: summaries by rule are made of the sentences nearest the middle.
        say: gets a sentence now and then; may raise to stop.
        stopped: asked between requests; likewise.
    Attributes:
        written: texts so far by kind and writer, such as `context by llm`.
        model: name of the language model; empty where rules write.
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
        """A document's rows with what is written about them.

        Raises:
            EndpointError: the server of the language model, or the one that embeds; its `kind` says which.
        """
        self._say(f"Enriching {document.source}")
        enriched = self.enricher.enrich(document, levels)
        self.written += enriched.written
        return DocumentRows(document, enriched.levels, tuple(enriched.nodes))

    @property
    def by_rules(self) -> tuple[str, ...]:
        """One sentence for each kind of text of which rules wrote some, though a language model is to write."""
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
        """Of the language model; None where rules write."""
        client = llm_client(self._stopped) if uses_endpoint(self._config) else None
        self.model = client.endpoint.model if client else ""
        return client

    @cached_property
    def enricher(self) -> Enricher:
        """What writes."""
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
    """What is said where a language model is to write and there is none, or it may not be used here."""
    if not allowed().everything:
        return "No language model can be used on this server; set enrich.generator=rules."
    return (
        "No language model endpoint is configured; set CHUNKSCOPE_LLM_URL and CHUNKSCOPE_LLM_MODEL, or "
        "enrich.generator=rules."
    )


def llm_client(stopped: Callable[[], bool] | None = None) -> Client:
    """The client of the language model that is configured.

    Raises:
        EndpointError: there is none.
    """
    from chunking.llm import Client, endpoint

    configured = endpoint("llm")
    if configured is None:
        raise EndpointError(no_language_model())
    return Client(configured, cancelled=stopped)


def counter(config: Config) -> Callable[[str], int]:
    """Counts tokens as sizes are counted."""
    from chunking.embedding.model_folder import counting_folder
    from chunking.splitting import token_counter

    return token_counter(counting_folder(config.embedding).path).count
