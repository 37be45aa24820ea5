"""Count the rows, texts to embed and documents to encode of a planned run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chunking.config import Config
from chunking.errors import ParseError
from chunking.indexing.planning.index_differences import RemovedVectors
from chunking.indexing.run.document_encodings import RunEncodings
from chunking.indexing.run.run_records import Failure
from chunking.indexing.stages.row_splitting import DocumentRows
from chunking.model import Chunk, Document, Flag

if TYPE_CHECKING:
    from chunking.embedding import CachedEmbedder, LanguageCheck
    from chunking.splitting import Levels
    from chunking.store.cache_tables import VectorTable

__all__ = ["CacheMisses", "DocumentCount", "PlanCount", "flag_sentences", "language_check"]

_SAMPLE_CHARACTERS = 2_000
"""Characters of each document on which the model's vocabulary is tested."""

_CHARACTERS_A_TOKEN = 4
"""Estimated characters per token, for the length of titles."""

_FLAG_WORDS: tuple[tuple[Flag, str], ...] = (
    (
        Flag.OVER_MODEL_LIMIT,
        (
            "longer than the {limit} tokens the model reads; vector search sees only the beginning, a "
            "smaller size would fix that."
        ),
    ),
    (
        Flag.PREFIX_SHORTENED,
        (
            "given a shortened prefix, because the full one would take more than half of the size; a larger "
            "size keeps all of it."
        ),
    ),
    (
        Flag.DESCRIPTION_SHORTENED,
        "given a shortened table description, because the model's limit of {limit} tokens has no room for all of it; a "
        "smaller size leaves more.",
    ),
    (Flag.FALLBACK, "split by a simpler strategy, because the chosen one failed on their document."),
)
"""Warnings of a plan by the chunks' flags."""


@dataclass(frozen=True, slots=True)
class CacheMisses:
    """Number of vectors, tokens and document encodings of a plan that the caches lack."""

    vectors: int
    """Vectors that need the model; rows with the same text count once.

    In late mode also all rows of documents to encode, and rows whose context texts are not cached.
    """
    tokens: int
    """Tokens that go through the model."""
    encode: int
    """Documents to encode."""
    by_document: Mapping[str, float]
    """Texts and encodings that the caches lack, by sampled document."""


@dataclass(slots=True)
class DocumentCount:
    """Rows of one document by level, flags of its chunks, and cache keys of its texts and encoding."""

    levels: Counter[str] = field(default_factory=Counter)
    flags: Counter[Flag] = field(default_factory=Counter)
    keys: frozenset[str] = frozenset()
    failed: bool = False


@dataclass(slots=True)
class PlanCount:
    """Counts of a planned run over its changed documents: rows, texts to embed, encodings, flags.

    The documents' chunks are not kept.

    Args:
        keeps_failed: True if a document that cannot be split keeps its rows in the index.
    """

    config: Config
    embedder: CachedEmbedder
    encodings: RunEncodings
    removed: RemovedVectors
    keeps_failed: bool
    documents: int = 0
    levels: Counter[str] = field(default_factory=Counter)
    flags: Counter[Flag] = field(default_factory=Counter)
    samples: list[str] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)
    by_document: dict[str, DocumentCount] | None = None
    """Counts of each document, for a sample; None: only those of all together."""
    _tokens: dict[str, int] = field(default_factory=dict)
    """Cache key of each distinct chunk text to its tokens."""
    _other_tokens: dict[str, int] = field(default_factory=dict)
    """Cache key of each distinct text of other levels to its tokens."""
    _other_rows: set[tuple[str, ...]] = field(default_factory=set)
    """Cache keys of each distinct text of other levels: several if it is embedded in windows."""
    _encodings: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Key of each document's encoding to the rows pooled from it, and its chunks' tokens, in late mode."""
    _context: dict[str, dict[str, int]] = field(default_factory=dict)
    """Key of each document's encoding to its context texts, with estimated tokens."""
    _context_rows: dict[str, list[frozenset[str]]] = field(default_factory=dict)
    """Key of each document's encoding to the keys of context texts for each of its rows."""

    def split(self, documents: Iterable[Document]) -> Iterator[tuple[Document, Levels]]:
        """Split documents, yielding each with its rows of all sizes; failures go to `failed`.

        A yielded document has the sections that its rows refer to.
        """
        from chunking.splitting import shaped, split_document

        for document in documents:
            try:
                yield (
                    shaped(document, self.config),
                    split_document(document, self.config, sentences=self.encodings.sentences),
                )
            except ParseError as error:
                self.failed.append(Failure(document.source, str(error)))
                if self.keeps_failed:
                    self.removed.keep(document.doc_id)
                if self.by_document is not None:
                    self.by_document[document.doc_id] = DocumentCount(failed=True)

    def add(self, rows: DocumentRows) -> None:
        """Add a document's rows, flags, texts and encoding to the counts."""
        document, chunks = rows.document, rows.levels.chunks
        self.documents += 1
        levels = Counter(row.level for row in rows)
        flags = Counter(flag for chunk in chunks for flag in chunk.flags)
        self.levels.update(levels)
        self.flags.update(flags)
        self.removed.replace(document.doc_id, rows)
        self.samples.append(document.text[:_SAMPLE_CHARACTERS])
        if self.encodings.late:
            keys = {self._add_encoded(document, chunks, [row for row in rows.others if row.content])}
            keys |= self._add_others([row for row in rows.others if not row.content])
        else:
            tokens = {self.embedder.cache_key(chunk.embedding_content): chunk.token_count for chunk in chunks}
            self._tokens.update(tokens)
            keys = {*tokens, *self._add_others(rows.others)}
        if self.by_document is not None:
            self.by_document[document.doc_id] = DocumentCount(levels, flags, frozenset(keys))

    def _add_encoded(self, document: Document, chunks: Sequence[Chunk], others: Sequence[Chunk]) -> str:
        """Count rows whose vectors are pooled from the document's encoding, and return its key."""
        key, pooled = self.encodings.encoder.encoding_key(document), [*chunks, *others]
        context = self.encodings.encoder.context_texts(document, pooled)
        rows, _ = self._encodings.get(key, (0, 0))
        self._encodings[key] = rows + len(pooled), sum(chunk.token_count for chunk in chunks)
        self._context.setdefault(key, {}).update(
            (text_key, len(text) // _CHARACTERS_A_TOKEN) for text_key, text in context.texts.items()
        )
        self._context_rows.setdefault(key, []).extend(context.of_rows)
        return key

    def _add_others(self, rows: list[Chunk]) -> set[str]:
        """Count rows embedded alone, or in windows if they are too long; returns the keys of their texts."""
        from chunking.embedding import window_texts

        every = set[str]()
        for row, texts in zip(rows, window_texts(self.embedder, rows), strict=True):
            keys = tuple(self.embedder.cache_key(text) for text in texts)
            self._other_rows.add(keys)
            self._other_tokens.update(dict.fromkeys(keys, row.token_count // len(keys)))
            every.update(keys)
        return every

    def misses(self, vectors: VectorTable) -> CacheMisses:
        """Count the vectors and encodings that the caches lack, and the tokens to compute them."""
        unknown = set(self.encodings.unknown(list(self._encodings)))
        encode = [self._encodings[key] for key in unknown]
        # Rows of documents to encode count anyway, whatever their context.
        kept = (context for key, context in self._context.items() if key not in unknown)
        other_tokens = {key: tokens for context in kept for key, tokens in context.items()} | self._other_tokens
        stored = vectors.stored_keys([*self._tokens, *other_tokens])
        chunks = self._tokens.keys() - stored
        others = other_tokens.keys() - self._tokens.keys() - stored
        rows = sum(not others.isdisjoint(keys) for keys in self._other_rows)
        tokens = sum(self._tokens[key] for key in chunks) + sum(other_tokens[key] for key in others)
        return CacheMisses(
            vectors=len(chunks)
            + rows
            + sum(number for number, _ in encode)
            + self._context_unknown(unknown, set(others)),
            tokens=tokens + sum(length for _, length in encode),
            encode=len(encode) if self.encodings.late else len(self.encodings.lacking),
            by_document={
                doc_id: float(len(one.keys - stored - (self._encodings.keys() - unknown)))
                for doc_id, one in (self.by_document or {}).items()
            },
        )

    def _context_unknown(self, unknown: set[str], texts: set[str]) -> int:
        """Number of rows of encoded documents that are the first to need one of `texts`."""
        rows = 0
        for document, of_rows in self._context_rows.items():
            if document not in unknown:
                rows += sum(not texts.isdisjoint(keys) for keys in of_rows)
            texts -= self._context[document].keys()
        return rows


def language_check(config: Config, beginnings: Sequence[str]) -> LanguageCheck:
    """Measure the share of words that the model cannot read, in the documents' beginnings.

    0 for a remote model, whose tokenizer is unknown.
    """
    from chunking.config import remote_name
    from chunking.embedding import LanguageCheck, check_language
    from chunking.embedding.model_folder import counting_folder
    from chunking.splitting import token_counter

    folder = counting_folder(config.embedding)
    if remote_name(folder.name) is not None:  # the counting tokenizer is not the remote model's
        return LanguageCheck(folder.name, 0.0, {})
    return check_language(beginnings, token_counter(folder.path), folder.name)


def flag_sentences(flags: Mapping[Flag, int], limit: int, about: Callable[[int], str]) -> list[str]:
    """Return warnings, each with a number of chunks.

    There is one for chunks over the model's limit, with a shortened prefix, with a shortened table description, and
    split by a fallback strategy.

    Args:
        limit: tokens that the model reads.
        about: writes a number, which may be an estimate.
    """
    counts = ((flags.get(flag, 0), words) for flag, words in _FLAG_WORDS)
    verbs = (
        (f"{about(number)} {'chunk is' if number == 1 else 'chunks are'}", words) for number, words in counts if number
    )
    return [f"{verb} {words.format(limit=limit)}" for verb, words in verbs]
