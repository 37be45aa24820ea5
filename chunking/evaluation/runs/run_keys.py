"""What a measurement depends on, as a key: equal keys, equal result, so a known one is looked up and not made again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from chunking.config import Config, Strategy
from chunking.config.renamed_settings import earlier_names
from chunking.embedding.model_folder import model_of
from chunking.errors import ChunkscopeError
from chunking.evaluation.questions.question import QuestionSet
from chunking.evaluation.runs.run import EvaluationRun
from chunking.splitting.strategies.custom_splitters import splitter_version
from chunking.store import DocumentRow
from chunking.versions import results_version

__all__ = ["DEPTH", "documents_key", "is_current", "model_key", "run_key"]

DEPTH = 30
"""Results kept of each question where nothing else is asked for: enough for 1,000 tokens of small chunks."""
_DIGITS = 16
_NO_MATTER = {"embedding": {"batch_tokens", "allow_download"}}
"""Settings that change how long a run takes, and nothing of its result."""


def run_key(documents: str, questions: QuestionSet, config: Config, *, n: int, depth: int, model: str = "") -> str:
    """16 hex digits over everything that a run depends on.

    Args:
        documents: `documents_key` of the workspace.
        questions: those that are asked; their fingerprint counts, not their name.
        config: all of it, how is searched included.
        model: `model_key` of the configuration.
    """
    return _key(documents, questions.fingerprint, config, n, depth, model)


def is_current(run: EvaluationRun, documents: str, *, depth: int = DEPTH) -> bool:
    """Whether a run would come out the same now: of these documents, with this version and the model as it is.

    Args:
        documents: `documents_key` of the workspace as it is now.
        depth: that it was asked for.
    """
    return run.key == _key(documents, run.questions, run.config, run.n, depth, model_key(run.config))


def _key(documents: str, questions: str, config: Config, n: int, depth: int, model: str) -> str:
    settings = config.model_dump(mode="json", exclude=_NO_MATTER)
    settings["search"]["k"] = n
    return _digest(
        [
            documents,
            questions,
            earlier_names(settings),
            depth,
            model,
            _splitters(config),
            _writer(config),
            results_version(),
        ]
    )


def documents_key(documents: Iterable[DocumentRow]) -> str:
    """16 hex digits over everything of some documents that reaches their chunks."""
    return _digest(sorted((row.doc_id, row.stamp) for row in documents))


def model_key(config: Config) -> str:
    """Name and revision of the model that embeds; empty where it is not at hand. It is not loaded."""
    from chunking.embedding import load_embedder

    try:
        return model_of(load_embedder(config.embedding).key)
    except ChunkscopeError:
        return ""


def _splitters(config: Config) -> list[str]:
    """Versions of the user's own splitters."""
    chunks = [config.chunk, *(config.for_category(category).chunk for category, _ in config.categories)]
    return [splitter_version(chunk.splitter) for chunk in chunks if chunk.strategy is Strategy.CUSTOM]


def _writer(config: Config) -> str:
    """The language model that writes; empty where none does."""
    from chunking.indexing.run.fallback_levels import uses_endpoint
    from chunking.llm import endpoint

    configured = endpoint("llm") if uses_endpoint(config) else None
    return configured.model if configured else ""


def _digest(facts: object) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:_DIGITS]
