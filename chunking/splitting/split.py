"""Split of a document by one configuration: boundaries, and chunks and levels on demand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from chunking.config import ChunkConfig, Prefix
from chunking.model import PARENT, Chunk, Flag, larger_level
from chunking.splitting.chunks.chunk_building import Links, build_chunks
from chunking.splitting.chunks.embedded_sizes import recount_chunks, with_embedded_sizes
from chunking.splitting.chunks.embedded_text import EmbeddedTexts
from chunking.splitting.document_view import DocumentView
from chunking.splitting.measure.measured_document import Memo
from chunking.splitting.packing.boundaries import Boundaries, make_boundaries
from chunking.splitting.packing.parent_grouping import group, merge_groups
from chunking.splitting.packing.split_inputs import SplitInputs
from chunking.splitting.strategies.strategy_table import StrategyResult, run_strategy

__all__ = ["LargerLevel", "Levels", "Split"]

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Levels:
    """Chunks, parents and larger chunks (`x2`, `x4` ...) of a split document, with warnings.

    Each level alone keeps laws 1 to 3, and all but parents law 4.
    """

    chunks: list[Chunk]
    """Chunks, with `parent_id` and `larger_ids`."""
    parents: list[Chunk]
    """Parents of neighbouring chunks of a section; empty if `parent_size` is 0."""
    larger: Mapping[int, list[Chunk]] = field(default_factory=dict)
    """Larger chunks by multiple of the size."""
    warnings: tuple[str, ...] = ()
    """Warnings about abandoned patterns, failed strategies, and pins that do not hold."""

    def __iter__(self) -> Iterator[Chunk]:
        """Yield every row, level by level."""
        yield from self.chunks
        yield from self.parents
        for rows in self.larger.values():
            yield from rows


@dataclass(frozen=True, slots=True, eq=False)
class LargerLevel:
    """Boundaries of a level above the chunks (parents or a larger size), and each chunk's group."""

    boundaries: Boundaries
    groups: Ints
    """(n,) number in this level of each chunk's group, ascending from 0."""


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """A view of a document split by one configuration.

    Pages and indexes both use it (law 5); no text is measured (law 6).
    """

    view: DocumentView
    config: ChunkConfig
    boundaries: Boundaries
    _result: StrategyResult
    _memo: Memo = field(default_factory=Memo, init=False, repr=False)

    @classmethod
    def of(cls, view: DocumentView, config: ChunkConfig) -> Split:
        """Split a view of a document into boundaries with sizes; texts are built when asked for.

        Binary search over its places takes under 0.1 s for 10 MB and 27,000 chunks; the strategies semantic and custom
        run their model or splitter first.
        """
        inputs = SplitInputs(view, config)
        result = run_strategy(inputs)
        from_patterns = view.patterns.warnings if view.patterns else ()
        result = result._replace(warnings=(*from_patterns, *result.warnings, *view.pin_warnings))
        boundaries = make_boundaries(
            inputs,
            result.pieces,
            result.strategy,
            max_tokens=view.measured.max_tokens,
            warnings=result.warnings,
            fallback=result.strategy != config.strategy,
        )
        texts = EmbeddedTexts(view.measured, boundaries, config)
        return cls(view, config, with_embedded_sizes(boundaries, texts, config), result)

    def chunks(self) -> list[Chunk]:
        """Return all chunks, with the ids of their parents and larger ones; built once.

        If tokens cross white space, each chunk is counted again, exactly.
        """
        return list(self._memo.of("chunks", lambda: tuple(self._build(None))))

    def chunk(self, number: int) -> Chunk:
        """Return one chunk, without building the others.

        Args:
            number: from 0, not negative (not checked).
        Raises:
            IndexError: there is no such number.
        """
        chunks: tuple[Chunk, ...] | None = self._memo.get("chunks")
        return self._build((number,))[0] if chunks is None else chunks[number]

    def levels(self) -> Levels:
        """Return the chunks, their parents, and the chunks of larger sizes."""
        config = self.config
        larger = {n: self._build_level(larger_level(n), config.size * n) for n in config.granularities}
        parents = self._build_level(PARENT, config.parent_size) if config.parent_size else []
        return Levels(self.chunks(), parents, larger, self._result.warnings)

    def groups(self, size: int, *, across: bool = False) -> Ints:
        """Number the groups of neighbouring chunks that fill a size.

        Args:
            across: True if groups cross headings that split, as larger sizes do; parents do not.
        Returns:
            (n,) number of each chunk's group, ascending from 0.
        """
        lengths = [len(some) for some in self._groups(size, across)[1]]
        return np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)

    def level(self, name: str) -> LargerLevel:
        """Return the boundaries of a level above the chunks, and the number of each chunk's group.

        Args:
            name: `PARENT`, or `larger_level` of one of the larger sizes.
        """
        multiple = next((one for one in self.config.granularities if larger_level(one) == name), None)
        size = self.config.parent_size if multiple is None else self.config.size * multiple
        return LargerLevel(self._level_boundaries(name, size)[1], self.groups(size, across=name != PARENT))

    def descriptions(self, boundaries: Boundaries) -> dict[int, str]:
        """Return by chunk number the sentences about its tables, for full-text search.

        Empty unless the setting `table_text` is sentences.

        Args:
            boundaries: of the chunks, or of a level above.
        """
        return EmbeddedTexts(self.view.measured, boundaries, self.config).descriptions()

    def _groups(self, size: int, across: bool) -> tuple[SplitInputs, list[range]]:
        def make() -> tuple[SplitInputs, list[range]]:
            # Generated text belongs to chunks, not to what holds several of them.
            plain = Prefix.TITLE_PATH if self.config.prefix.written else self.config.prefix
            inputs = SplitInputs(self.view, self.config.model_copy(update={"size": size, "prefix": plain}))
            return inputs, group(inputs, self._result.pieces, across=across)

        return self._memo.of((size, across), make)

    def _level_boundaries(self, level: str, size: int) -> tuple[SplitInputs, Boundaries]:
        inputs, groups = self._groups(size, level != PARENT)
        strategy = self._result.strategy
        return inputs, make_boundaries(
            inputs,
            merge_groups(inputs, self._result.pieces, groups),
            strategy,
            max_tokens=None if level == PARENT else self.view.measured.max_tokens,  # a parent is never embedded
            beyond=Flag.MEAN_OF_WINDOWS,
            fallback=strategy != self.config.strategy,
        )

    def _build_level(self, level: str, size: int) -> list[Chunk]:
        """Build the chunks of a level above, each made of neighbouring chunks."""
        measured = self.view.measured
        inputs, boundaries = self._level_boundaries(level, size)
        _, groups = self._groups(size, level != PARENT)
        if level != PARENT:
            texts = EmbeddedTexts(measured, boundaries, inputs.config)
            boundaries = with_embedded_sizes(boundaries, texts, inputs.config)
        texts = EmbeddedTexts(measured, boundaries, self.config)
        return recount_chunks(build_chunks(texts, None, Links(level, groups)), inputs.config, texts)

    def _build(self, numbers: tuple[int, ...] | None) -> list[Chunk]:
        config = self.config
        parents = self.groups(config.parent_size).tolist() if config.parent_size else ()
        larger = {n: self.groups(config.size * n, across=True).tolist() for n in config.granularities}
        texts = EmbeddedTexts(self.view.measured, self.boundaries, config)
        return recount_chunks(build_chunks(texts, numbers, Links(parents=parents, larger=larger)), config, texts)
