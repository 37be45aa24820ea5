"""What an index run would do, before it does it: chunks new, reused and removed, and seconds."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chunking.config import Config
from chunking.errors import ParseError
from chunking.indexing.comparing import Comparison, Removed, compare
from chunking.indexing.records import Failure, Plan
from chunking.model import Document, Flag
from chunking.model_folder import same_model
from chunking.store import Workspace

if TYPE_CHECKING:
    from chunking.embedding import Embedder, LanguageCheck

__all__ = ["DEFAULT_NAME", "make_plan"]

DEFAULT_NAME = "main"
_GUESSED_SPEED = 2_000.0
"""Tokens a second, for the first run in a workspace: half of what two slow cores do."""
_SAMPLE_CHARACTERS = 2_000
"""Of each document, to see whether the model knows its words."""

_FLAG_WORDS: tuple[tuple[Flag, str], ...] = (
    (
        Flag.OVER_MODEL_LIMIT,
        "longer than the {limit} tokens the model reads; search by meaning sees only the beginning, a smaller size would mend that.",
    ),
    (
        Flag.PREFIX_SHORTENED,
        "given a shortened prefix, because all of it would take more than half of the size; a larger size keeps it whole.",
    ),
    (Flag.FALLBACK, "cut by a simpler strategy, because the chosen one failed on their document."),
)
"""What a plan warns of, by the chunks' flags."""


def make_plan(
    workspace: Workspace,
    config: Config,
    *,
    name: str | None = None,
    doc_ids: Collection[str] | None = None,
    documents: Sequence[Document] = (),
    embedder: Embedder | None = None,
) -> Plan:
    """Cut what has changed, look up which texts are embedded already, and write nothing.

    The model is not loaded for it.

    Args:
        name: of the index; `main` where there is none.
        doc_ids: the documents to index; None: all of the workspace.
        documents: not saved yet, counted as if they were.
        embedder: the configuration's where there is none.
    Raises:
        NotFoundError: one of `doc_ids` is not in the workspace.
        ModelError: the model is not at hand.
        StoreError: the workspace cannot be read.
    """
    from chunking.embedding import load_embedder

    started = time.perf_counter()
    embedder = embedder or load_embedder(config.embedding)
    name = name or DEFAULT_NAME
    found = compare(workspace, config, name, embedder.key, doc_ids, documents)
    count = _Count(config, embedder, Removed(found.index, found.unchanged))
    for document in _changed(workspace, found, documents):
        count.add(document, stays=not found.rebuild)
    new = count.tokens.keys() - workspace.vectors.known(list(count.tokens))
    kept = sum(known.chunks for known in found.unchanged.values())
    language = count.language()
    unread = found.index.row.unknown_share if found.index is not None else 0.0
    chunks = kept + count.chunks
    return Plan(
        name=name,
        config=config,
        doc_ids=None if doc_ids is None else tuple(doc_ids),
        documents=len(found.unchanged) + count.documents,
        chunks=chunks,
        new=len(new),
        reused=chunks - len(new),
        removed=count.removed.total,
        unchanged=len(found.unchanged),
        rebuild=found.rebuild,
        unknown_share=(language.share * count.chunks + unread * kept) / chunks if chunks else 0.0,
        seconds_expected=time.perf_counter() - started + sum(count.tokens[key] for key in new) / _speed(workspace, embedder.key),
        warnings=tuple(sentence for sentence in (language.sentence, *count.flag_sentences()) if sentence),
        failed=tuple(count.failed),
    )


def _changed(workspace: Workspace, found: Comparison, unsaved: Sequence[Document]) -> Iterator[Document]:
    """The documents to cut; an unsaved one stands for the saved one of its id."""
    given = {document.doc_id: document for document in unsaved}
    yield from (given[doc_id] for doc_id in found.changed if doc_id in given)
    yield from workspace.read_documents([doc_id for doc_id in found.changed if doc_id not in given])


def _speed(workspace: Workspace, model_key: str) -> float:
    """Tokens a second that this model did last in this workspace."""
    measured = (row.tokens_per_second for row in workspace.indexes() if same_model(row.model_key, model_key))
    return next((speed for speed in measured if speed > 0), _GUESSED_SPEED)


@dataclass(slots=True)
class _Count:
    """Adds up what the changed documents come to; keeps no chunk."""

    config: Config
    embedder: Embedder
    removed: Removed
    tokens: dict[str, int] = field(default_factory=dict)
    """Cache key of each different text to its tokens."""
    documents: int = 0
    chunks: int = 0
    flags: Counter[Flag] = field(default_factory=Counter)
    samples: list[str] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)

    def add(self, document: Document, *, stays: bool) -> None:
        """Cut a document and count its chunks.

        Args:
            stays: what the index holds of it stays if it cannot be cut.
        """
        from chunking.cutting import chunk_document

        try:
            chunks = chunk_document(document, self.config)
        except ParseError as error:
            self.failed.append(Failure(document.source, str(error)))
            if stays:
                self.removed.keep(document.doc_id)
            return
        self.documents += 1
        self.chunks += len(chunks)
        self.tokens.update((self.embedder.cache_key(chunk.embedding_content), chunk.token_count) for chunk in chunks)
        self.flags.update(flag for chunk in chunks for flag in chunk.flags)
        self.removed.replace(document.doc_id, chunks)
        self.samples.append(document.text[:_SAMPLE_CHARACTERS])

    def language(self) -> LanguageCheck:
        """Whether the model knows the words of the texts."""
        from chunking.cutting import token_counter
        from chunking.embedding import check_language
        from chunking.model_folder import find_model

        folder = find_model(self.config.embedding.model, allow_download=self.config.embedding.allow_download)
        return check_language(self.samples, token_counter(folder.path), folder.name)

    def flag_sentences(self) -> list[str]:
        """What to say of chunks that are not as one would expect."""
        counts = ((self.flags[flag], words) for flag, words in _FLAG_WORDS)
        verbs = ((f"{number:,} {'chunk is' if number == 1 else 'chunks are'}", words) for number, words in counts if number)
        return [f"{verb} {words.format(limit=self.embedder.max_tokens)}" for verb, words in verbs]
