"""A document measured once and cut many times; preview and index use the same function (law 5)."""

from __future__ import annotations

import logging
from copy import copy
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from chunking.config import ChunkConfig, Config, EmbeddingConfig, Prefix, Strategy, Unit
from chunking.errors import Cancelled, ChunkscopeError
from chunking.model import CHUNK, PARENT, Chunk, Document, Flag, Pin, larger_level
from chunking.splitting.chunks.chunk_building import Links, build_chunks
from chunking.splitting.chunks.chunk_list import Chunks
from chunking.splitting.chunks.embedded_sizes import with_embedded_sizes
from chunking.splitting.chunks.embedded_text import EmbeddedTexts, SizeCache
from chunking.splitting.chunks.generated_prefix import room_for
from chunking.splitting.chunks.levels import Levels
from chunking.splitting.chunks.size_flags import flagged_by_size, with_flag
from chunking.splitting.document_patterns import Patterned, patterned
from chunking.splitting.measure.cut_marks import Marks, mark
from chunking.splitting.measure.measure_cache import cached_measures
from chunking.splitting.measure.prefix_costs import PrefixTable
from chunking.splitting.measure.table_facts import TableFacts
from chunking.splitting.measure.token_counter import TokenCounter, token_counter
from chunking.splitting.measure.token_positions import measure
from chunking.splitting.measure.unit_survey import Survey
from chunking.splitting.packing.boundaries import FLAG_BITS, Boundaries, make_boundaries
from chunking.splitting.packing.chunk_columns import ChunkColumns
from chunking.splitting.packing.parent_grouping import group, grouped
from chunking.splitting.pins.pin_places import place_pins
from chunking.splitting.pins.pin_states import pin_states, pin_warnings
from chunking.splitting.splitting_job import Job
from chunking.splitting.strategies.strategy_inputs import Answers, SentenceVectors
from chunking.splitting.strategies.strategy_table import STRATEGIES, whole_document

__all__ = ["WHOLE_DOCUMENT", "Chunker", "LargerLevel", "chunk_document", "model_sentences", "split_document"]

_log = logging.getLogger(__name__)

WHOLE_DOCUMENT = "whole document"
"""`Boundaries.strategy_used` where every strategy failed."""


class Chunker:
    """Cuts one document with any configuration, without another look at its text.

    The first pass, in `__init__`, finds every place where a cut is allowed and the running token count at each; titles are
    counted there too. `boundaries` is then binary search: under a tenth of a second for 10 MB and 27,000 chunks.
    """

    def __init__(
        self, document: Document, counter: TokenCounter, *, max_tokens: int | None = None, sentences: SentenceVectors | None = None
    ) -> None:
        """Measure a document.

        Args:
            counter: of the embedding model's tokenizer.
            max_tokens: most tokens of text the model reads, its special tokens not counted
                (`ModelFolder.content_tokens`: 254 for MiniLM); None: no chunk is flagged for it.
            sentences: vectors of spans of a document, for the strategy semantic; asked once. None: that falls back.
        """
        self.document = document
        self.marks = mark(document, counter)
        self.measured = measure(document.text, self.marks, counter)
        self.pins = place_pins(document, self.marks)
        self._counter = counter
        self._max_tokens = max_tokens
        self._sentences = sentences
        self._prefixes = {kind: PrefixTable(document, kind, counter) for kind in Prefix}
        self._tables = TableFacts(document, self.marks, self.measured, counter)
        self._answers = Answers(document, self.marks, sentences, counter.count)
        self._surveys: dict[Unit, Survey] = {}
        self._sizes = SizeCache()
        self._last: tuple[ChunkConfig, _Split] | None = None
        self._built: tuple[ChunkConfig, list[Chunk]] | None = None
        self._pin_warnings: tuple[str, ...] | None = None
        self._patterned: Patterned | None = None
        self._asked: list[int] = []  # offsets before which patterns ask for a boundary
        self._with_patterns: tuple[tuple[str, str], Chunker] | None = None
        self._pinned: Chunker | None = None
        """The same document with the pins that it was given last."""

    def shaped(self, config: ChunkConfig) -> Chunker:
        """What cuts the document as the patterns of a configuration make it; itself where there are none.

        Its `document` has the sections that boundaries and chunks of this configuration name. The text is not measured again.
        """
        key = (config.headings_from, config.split_before)
        if key == ("", "") or self._patterned is not None:
            return self
        known = self._with_patterns  # read once: several sessions may share a chunker
        if known is None or known[0] != key:
            known = self._with_patterns = key, self._applied(patterned(self.document, config))
        return known[1]

    def _applied(self, made: Patterned) -> Chunker:
        """The same measure of the text under other blocks and sections."""
        other = copy(self)
        other._patterned, other._with_patterns, other._last, other._built, other._pin_warnings = made, None, None, None, None
        if made.document is not self.document:
            other.document = made.document
            other.marks = mark(made.document, self._counter, self.marks.places)
            other._prefixes = {}
            other._tables = self._tables.under(made.document, other.marks)
            other._answers = Answers(made.document, other.marks, self._sentences, self._counter.count)
            other._surveys = {}
        other._asked = _at_places(made.offsets, other.marks, self.document.text)
        other.pins, other._pinned = place_pins(other.document, other.marks, other._asked), None
        return other

    def with_pins(self, pins: tuple[Pin, ...]) -> Chunker:
        """The same document with other pins; nothing is measured again, and what is known of its text is shared (law 6)."""
        if pins == self.document.pins:
            return self
        known = self._pinned
        if known is not None and known.document.pins == pins:
            return known
        other = copy(self)
        other.document = replace(self.document, pins=pins)
        other.pins = place_pins(other.document, self.marks, self._asked)
        other._last = other._built = other._pin_warnings = other._pinned = None
        if self._with_patterns is not None:
            key, shaped = self._with_patterns
            other._with_patterns = key, shaped.with_pins(pins)
        self._pinned = other
        return other

    @property
    def patterns(self) -> Patterned | None:
        """What the patterns found that this one was `shaped` by; None without patterns."""
        return self._patterned

    def pin_states(self) -> list[str]:
        """For each pin of the document, why it does not hold as it was set; empty where it does."""
        return pin_states(self.document, self.marks, self.pins)

    def pin_warnings(self) -> tuple[str, ...]:
        """The same in a sentence for each reason; looked up once."""
        if self._pin_warnings is None:
            self._pin_warnings = tuple(pin_warnings(self.document, self.marks, self.pins))
        return self._pin_warnings

    def boundaries(self, config: ChunkConfig) -> Boundaries:
        """Where the chunks begin and end, and what they hold and cost."""
        if (own := self.shaped(config)) is not self:
            return own.boundaries(config)
        return self._cut(config).boundaries

    def chunks(self, config: ChunkConfig) -> list[Chunk]:
        """The chunks at those boundaries, complete, with the ids of their parents and larger ones.

        For tokenizers that cross white space each chunk is counted once more here, exactly.
        """
        if (own := self.shaped(config)) is not self:
            return own.chunks(config)
        built = self._built
        if built is None or built[0] != config:
            built = self._built = (config, self._build(config, None))
        return list(built[1])

    def chunk(self, config: ChunkConfig, number: int) -> Chunk:
        """One of the chunks, without making the others.

        Raises:
            IndexError: there are not as many.
        """
        if (own := self.shaped(config)) is not self:
            return own.chunk(config, number)
        built = self._built
        if built is not None and built[0] == config:
            return built[1][number]
        return self._build(config, (number,))[0]

    def levels(self, config: ChunkConfig) -> Levels:
        """The chunks, their parents, and the chunks of the larger sizes, made of whole chunks."""
        if (own := self.shaped(config)) is not self:
            return own.levels(config)
        larger = {multiple: self._together(config, larger_level(multiple), config.size * multiple) for multiple in config.granularities}
        parents = self._together(config, PARENT, config.parent_size) if config.parent_size else []
        return Levels(self.chunks(config), parents, larger, self._cut(config).warnings)

    def groups(self, config: ChunkConfig, size: int, *, across: bool = False) -> NDArray[np.int32]:
        """Which parent of a size each chunk belongs to.

        Args:
            across: over headings that split, as for larger sizes.
        Returns:
            (n,) numbers from 0 on, ascending.
        """
        if (own := self.shaped(config)) is not self:
            return own.groups(config, size, across=across)
        lengths = [len(some) for some in self._grouped(config, size, across)[1]]
        return np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)

    def above(self, config: ChunkConfig, level: str) -> LargerLevel:
        """The groups of a level above the chunks as boundaries, without making chunks of them.

        Args:
            level: `PARENT`, or `larger_level` of one of the larger sizes.
        """
        if (own := self.shaped(config)) is not self:
            return own.above(config, level)
        multiple = next((one for one in config.granularities if larger_level(one) == level), None)
        size = config.parent_size if multiple is None else config.size * multiple
        return LargerLevel(self._bounds(config, level, size)[1], self.groups(config, size, across=level != PARENT))

    def tokens_between(self, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> NDArray[np.int32]:
        """Tokens of spans of the text.

        Args:
            starts, ends: (k,) offsets at which chunks of any configuration start and end.
        Returns:
            (k,) exact where counts of words add up, else at least as many.
        """
        first = self.marks.places.first
        return self.measured.tokens(np.searchsorted(first, starts).astype(np.int32), np.searchsorted(first, ends).astype(np.int32))

    def descriptions(self, config: ChunkConfig, boundaries: Boundaries) -> dict[int, str]:
        """What the full text reads of the tables in chunks besides their rows, by the number of the chunk.

        Args:
            boundaries: of the chunks, or of a level above, under this configuration.
        """
        if (own := self.shaped(config)) is not self:
            return own.descriptions(config, boundaries)
        return EmbeddedTexts(self._tables, boundaries, config, self._max_tokens).descriptions()

    def _grouped(self, config: ChunkConfig, size: int, across: bool) -> tuple[Job, list[range]]:
        groups = self._cut(config).groups
        if (size, across) not in groups:
            plain = Prefix.TITLE_PATH if config.prefix.written else config.prefix  # what is written is written about chunks
            job = self._job(config.model_copy(update={"size": size, "prefix": plain}))
            groups[size, across] = job, group(job, self._cut(config).pieces, across=across)
        return groups[size, across]

    def _together(self, config: ChunkConfig, level: str, size: int) -> list[Chunk]:
        """The chunks of a level above, of whole chunks."""
        job, boundaries = self._bounds(config, level, size)
        _, groups = self._grouped(config, size, level != PARENT)
        boundaries = boundaries if level == PARENT else self._with_embedded(boundaries, job.config)
        texts = EmbeddedTexts(self._tables, boundaries, config, self._max_tokens)
        return self._counted(build_chunks(texts, None, Links(level, groups)), job.config, texts)

    def _bounds(self, config: ChunkConfig, level: str, size: int) -> tuple[Job, Boundaries]:
        cut = self._cut(config)
        job, groups = self._grouped(config, size, level != PARENT)
        boundaries = make_boundaries(
            job,
            grouped(job, cut.pieces, groups),
            cut.boundaries.strategy_used,
            max_tokens=None if level == PARENT else self._max_tokens,  # a parent is returned, never embedded
            beyond=Flag.MEAN_OF_WINDOWS,
            fallback=cut.boundaries.strategy_used != config.strategy,
        )
        return job, boundaries

    def _with_embedded(self, boundaries: Boundaries, config: ChunkConfig) -> Boundaries:
        return with_embedded_sizes(boundaries, EmbeddedTexts(self._tables, boundaries, config, self._max_tokens), config, self._sizes)

    def _build(self, config: ChunkConfig, numbers: tuple[int, ...] | None) -> list[Chunk]:
        texts = EmbeddedTexts(self._tables, self.boundaries(config), config, self._max_tokens)
        parents = self.groups(config, config.parent_size).tolist() if config.parent_size else ()
        larger = {multiple: self.groups(config, config.size * multiple, across=True).tolist() for multiple in config.granularities}
        return self._counted(build_chunks(texts, numbers, Links(parents=parents, larger=larger)), config, texts)

    def _cut(self, config: ChunkConfig) -> _Split:
        last = self._last  # read once: several sessions may share a chunker
        if last is None or last[0] != config:
            job = self._job(config)
            pieces, used, warnings = _with_fallback(job, config.strategy)
            warnings = (*(self._patterned.warnings if self._patterned else ()), *warnings, *self.pin_warnings())
            boundaries = make_boundaries(
                job, pieces, used, max_tokens=self._max_tokens, warnings=warnings, fallback=used != config.strategy
            )
            last = self._last = (config, _Split(pieces, self._with_embedded(boundaries, config), warnings))
        return last[1]

    def _job(self, config: ChunkConfig) -> Job:
        survey = self._surveys.get(config.unit)
        if survey is None:
            survey = self._surveys[config.unit] = Survey.of(self.document, self.marks, self.measured, config.unit)
        table = self._prefixes.get(config.prefix)
        if table is None:
            table = self._prefixes[config.prefix] = PrefixTable(self.document, config.prefix, self._counter)
        prefixes = table.fit(config.unit, config.size)
        return Job(self.document, self.marks, self.measured, survey, config, prefixes, self._answers, self.pins)

    def _counted(self, chunks: list[Chunk], config: ChunkConfig, texts: EmbeddedTexts) -> list[Chunk]:
        return [self._recounted(chunk, config, texts) for chunk in chunks] if self._counter.crosses_space else chunks

    def _recounted(self, chunk: Chunk, config: ChunkConfig, texts: EmbeddedTexts) -> Chunk:
        """A chunk with its exact count, the flags that depend on it, and its tables as cells where sentences are too long."""
        count = self._counter.count
        tokens, free = count(chunk.counted_text), room_for(chunk, config, count).tokens
        beyond = self._max_tokens is not None and tokens + free > self._max_tokens
        over = {Flag.OVER_MODEL_LIMIT: beyond and chunk.level == CHUNK, Flag.MEAN_OF_WINDOWS: beyond and chunk.level not in (CHUNK, PARENT)}
        if config.unit is Unit.TOKENS:
            over[Flag.OVER_SIZE] = tokens > config.size
            over[Flag.KEPT_OVER_SIZE] = tokens > config.size and Flag.KEPT_OVER_SIZE in chunk.flags
        flags = tuple(flag for flag in FLAG_BITS if over.get(flag, flag in chunk.flags))
        chunk = replace(chunk, token_count=count(chunk.embedding_content), flags=flags)
        longer = chunk.description or "related_chunk_ids" in chunk.metadata
        if longer and self._max_tokens is not None and tokens <= self._max_tokens < chunk.token_count + free:
            plain = texts.plain(chunk.chunk_index)
            chunk = with_flag(chunk, Flag.DESCRIPTION_SHORTENED)
            chunk = replace(chunk, embedding_content=plain, token_count=count(plain), description="")
        return chunk if chunk.level == PARENT else flagged_by_size(chunk, config)


@dataclass(frozen=True, slots=True, eq=False)
class LargerLevel:
    """A level above the chunks, without its texts."""

    boundaries: Boundaries
    groups: NDArray[np.int32]
    """(n,) for each chunk the number of the one it stands in, ascending from 0."""


@dataclass(frozen=True, slots=True)
class _Split:
    """What came of one configuration."""

    pieces: ChunkColumns
    boundaries: Boundaries
    warnings: tuple[str, ...] = ()
    """Those of the boundaries that the strategy made, not the prefixes."""
    groups: dict[tuple[int, bool], tuple[Job, list[range]]] = field(default_factory=dict)
    """By size, and whether they reach over headings; made when they are asked for."""


def _at_places(offsets: list[int], marks: Marks, text: str) -> list[int]:
    """The offsets at which a cut is allowed, with something to read before each: not those inside a word."""
    first, places = marks.places.first, marks.places_of(offsets).tolist()
    rows = zip(offsets, places, strict=True)
    return [offset for offset, place in rows if place and first[place] == offset and text[first[place - 1] : offset].strip()]


def _with_fallback(job: Job, wanted: Strategy) -> tuple[ChunkColumns, str, tuple[str, ...]]:
    """Cut with a strategy; if it fails with a simpler one, in the end into one chunk: nothing is lost, and it is said."""
    warnings: list[str] = []
    strategy: Strategy | None = wanted
    while strategy is not None:
        row = STRATEGIES[strategy]
        try:
            return row.cut(job), strategy.value, (*warnings, *job.notes)
        except Cancelled:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a strategy raises, the document is not lost (C8); the cause is shown
            cause = str(error).rstrip(".") if isinstance(error, ChunkscopeError) else f"{type(error).__name__}: {error}".rstrip(": ")
            strategy = row.simpler
            instead = strategy.value if strategy else "one chunk"
            job.notes.clear()
            if not isinstance(error, ChunkscopeError):
                _log.exception("The strategy %s failed on %s", row.name.value, job.document.source)
            warnings.append(f"The strategy {row.name.value} failed on {job.document.source} ({cause}); {instead} was used instead.")
    return whole_document(job), WHOLE_DOCUMENT, tuple(warnings)


def chunk_document(document: Document, config: Config | None = None, *, sentences: SentenceVectors | None = None) -> Chunks:
    """Split a document into chunks; `split_document` gives their parents and larger sizes, too.

    Args, Raises: as `split_document`.

    >>> from chunking import Config, parse
    >>> document = parse(b"# Backups\\n\\nThey run at two.\\n\\n# Users\\n\\nAsk an administrator.", "handbook.md")
    >>> chunk_document(document, Config.from_settings({"size": "40", "min_size": "0"}))
    <Chunks: 2 chunks · 6–9 tokens, median 8 · handbook>
       0      9 tokens  # Backups They run at two.
       1      6 tokens  # Users Ask an administrator.
    """
    chunker, own = _chunker(document, config, sentences)
    return Chunks(chunker.chunks(own.chunk))


def split_document(document: Document, config: Config | None = None, *, sentences: SentenceVectors | None = None) -> Levels:
    """Cut a document with the tokenizer of the configured model: chunks, parents and larger sizes.

    Args:
        config: None: the defaults; its settings for the document's category count.
        sentences: vectors of spans, for the strategy semantic; None: the configured model's, loaded when they are needed.
    Raises:
        ModelError: the model's folder cannot be found or read.
    """
    chunker, own = _chunker(document, config, sentences)
    return chunker.levels(own.chunk)


def model_sentences(embedding: EmbeddingConfig) -> SentenceVectors:
    """The vectors of a configured model, for `Chunker`; the model is not loaded before it is asked."""

    def vectors(document: Document, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> NDArray[np.float32]:
        from chunking.embedding import sentence_vectors

        return sentence_vectors(embedding)(document, starts, ends)

    return vectors


def _chunker(document: Document, config: Config | None, sentences: SentenceVectors | None) -> tuple[Chunker, Config]:
    from chunking.embedding.model_folder import counting_folder

    config = (config or Config()).for_category(document.category)
    sentences = sentences or model_sentences(config.embedding)
    folder = counting_folder(config.embedding)

    def measured() -> Chunker:
        return Chunker(document, token_counter(folder.path), max_tokens=folder.content_tokens, sentences=sentences)

    kept = cached_measures()
    if kept is None or config.chunk.strategy is Strategy.SEMANTIC:  # else it would remember whom it asked about sentences
        return measured(), config
    return kept.of(document, f"{folder.path} {folder.content_tokens}", measured), config
