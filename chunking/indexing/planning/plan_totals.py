"""Totals over the documents that a planned run splits: counted, or estimated from a sample of many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from chunking.config import Config
from chunking.embedding.model_folder import counting_folder
from chunking.indexing.planning.index_differences import IndexDifferences, RemovedVectors, vector_count
from chunking.indexing.planning.plan_counting import CacheMisses, DocumentCount, PlanCount
from chunking.indexing.planning.plan_sample import (
    MOST_EXACT,
    SAMPLE_SIZES,
    Content,
    EstimatedTotal,
    Stratum,
    draw_sample,
    interval,
)
from chunking.indexing.run.document_encodings import RunEncodings
from chunking.indexing.run.enrichment_run import DocumentWriter, counter
from chunking.indexing.run.fallback_levels import adds_text, uses_endpoint
from chunking.indexing.run.run_records import Failure, PlanEstimate
from chunking.indexing.stages.row_splitting import DocumentRows
from chunking.model import CHUNK, CLUSTER, Document, Flag
from chunking.store import Workspace

if TYPE_CHECKING:
    from chunking.embedding import CachedEmbedder
    from chunking.enrichment import RequestEstimate

__all__ = ["PlanTotals", "PlannedDocuments"]

T = TypeVar("T")

_READ_TEXTS, _READ_CHARACTERS = 200, 2_000
"""Documents whose beginnings are read for the language check of an estimate, and characters of each."""


@dataclass(frozen=True, slots=True)
class PlanTotals:
    """Totals over the documents that a run splits."""

    documents: int
    """Documents that can be split."""
    levels: Counter[str]
    """Rows of each level."""
    flags: Counter[Flag]
    """Chunks with each flag."""
    misses: CacheMisses
    removed: int
    """Vectors of the current index that go, of these documents and of deleted ones."""
    failed: tuple[Failure, ...]
    beginnings: list[str]
    """First characters of documents, for the language check."""
    needs: RequestEstimate | None
    lacks_spans: bool
    """True if documents are not encoded whose sentences decide rows: `misses` are then inexact."""
    pooling_note: str | None
    """Note for a model that late mode pools differently."""
    estimate: PlanEstimate | None = None
    """The sample, and the interval of the chunks of these documents; None: all were counted."""

    @property
    def chunks(self) -> int:
        """Rows of level chunk."""
        return self.levels[CHUNK]


class PlannedDocuments:
    """The documents that a planned run splits.

    Args:
        unsaved: documents to treat as if they were saved.
    """

    def __init__(
        self,
        workspace: Workspace,
        config: Config,
        embedder: CachedEmbedder,
        differences: IndexDifferences,
        unsaved: Sequence[Document] = (),
    ) -> None:
        self._workspace, self._config, self._embedder = workspace, config, embedder
        self._differences = differences
        self._unsaved = {document.doc_id: document for document in unsaved}

    def totals(self, *, exact: bool = False) -> PlanTotals:
        """Count the documents, or estimate their totals from a sample if they are long together.

        Args:
            exact: count them however long they are.
        """
        if not exact:
            contents = self._contents()
            if sum(one.documents * one.characters for one in contents) > MOST_EXACT:
                for most in SAMPLE_SIZES:
                    strata = draw_sample(contents, most)
                    if sum(len(one.sample) for one in strata) >= len(self._differences.changed):
                        break
                    samples = [self._split_sample(stratum) for stratum in strata]
                    if most == SAMPLE_SIZES[-1] or _is_enough(strata, samples):
                        return self._estimated(strata, samples)
        return self._counted()

    def _counted(self) -> PlanTotals:
        count, needs = self._split(
            self._differences.changed, RemovedVectors(self._differences, self._config, self._embedder.key)
        )
        return PlanTotals(
            documents=count.documents,
            levels=count.levels,
            flags=count.flags,
            misses=count.misses(self._workspace.vectors),
            removed=count.removed.total,
            failed=tuple(count.failed),
            beginnings=count.samples,
            needs=needs,
            lacks_spans=bool(count.encodings.lacking),
            pooling_note=_pooling(count),
        )

    def _estimated(self, strata: Sequence[Stratum], samples: Sequence[_Sample]) -> PlanTotals:
        """Scale the counts of the sampled documents stratum by stratum."""
        counts = [one.counts for one in samples]
        by_document = _by_document(samples)
        chunks = _chunks(strata, by_document)

        def total(values: Iterable[float]) -> int:
            return round(interval(strata, dict(zip(by_document, values, strict=True))).total)

        each = by_document.values()
        levels = dict.fromkeys(level for one in each for level in one.levels)
        flags = dict.fromkeys(flag for one in each for flag in one.flags)
        scaled = [(stratum.texts_factor, one.misses, one.needs) for stratum, one in zip(strata, samples, strict=True)]
        changed = len(self._differences.changed)
        return PlanTotals(
            documents=max(0, changed - total(one.failed for one in each)),
            levels=Counter({level: total(one.levels[level] for one in each) for level in levels}),
            flags=Counter({flag: total(one.flags[flag] for one in each) for flag in flags}),
            misses=CacheMisses(
                vectors=round(sum(factor * one.vectors for factor, one, _ in scaled)),
                tokens=round(sum(factor * one.tokens for factor, one, _ in scaled)),
                encode=round(sum(factor * one.encode for factor, one, _ in scaled)),
                by_document={},
            ),
            removed=self._removed(strata, counts),
            failed=tuple(failure for count in counts for failure in count.failed),
            beginnings=self._beginnings(),
            needs=_added([(factor, needs) for factor, _, needs in scaled if needs is not None]),
            lacks_spans=any(count.encodings.lacking for count in counts),
            pooling_note=next((note for count in counts if (note := _pooling(count))), None),
            estimate=PlanEstimate(
                sampled=sum(len(one.sample) for one in strata),
                documents=changed,
                least_chunks=floor(chunks.least),
                most_chunks=ceil(chunks.most),
            ),
        )

    def _removed(self, strata: Sequence[Stratum], counts: Sequence[PlanCount]) -> int:
        """Estimate the vectors that go from the current index: all, or those of texts that change or are deleted."""
        index = self._differences.index
        if index is None:
            return 0
        if every := self._vectors_of(()).total:  # another model
            return every
        changed = sum(one.rows_factor * count.removed.total for one, count in zip(strata, counts, strict=True))
        indexed = index.indexed_documents()
        differences = self._differences
        gone = (
            indexed.among(differences.changed, but=True) if differences.rebuild else indexed.among(differences.gone)
        ).chunks
        clusters = index.levels.get(CLUSTER, 0)
        each = (vector_count(index.levels) - clusters) / max(1, indexed.chunks)
        return round(changed + gone * each) + (0 if self._config.enrich.raptor else clusters)

    def _vectors_of(self, doc_ids: Iterable[str]) -> RemovedVectors:
        """Return a counter over some documents' rows, which alone are read from the current index."""
        of_some = replace(self._differences, rebuild=False, gone=(), replaced=frozenset(doc_ids))
        return RemovedVectors(of_some, self._config, self._embedder.key)

    def _split_sample(self, stratum: Stratum) -> _Sample:
        doc_ids = [one.doc_id for one in stratum.sample]
        count, needs = self._split(doc_ids, self._vectors_of(doc_ids), each=True)
        return _Sample(count, count.misses(self._workspace.vectors), needs)

    def _split(
        self, doc_ids: Sequence[str], removed: RemovedVectors, *, each: bool = False
    ) -> tuple[PlanCount, RequestEstimate | None]:
        """Split documents and count them; also returns the language model requests, if any.

        Args:
            each: count each document by itself, too.
        """
        config, workspace = self._config, self._workspace
        encodings = RunEncodings(config, self._embedder, workspace, may_encode=False)
        count = PlanCount(
            config,
            self._embedder,
            encodings,
            removed,
            keeps_failed=not self._differences.rebuild,
            by_document={} if each else None,
        )
        if uses_endpoint(config):
            from chunking.enrichment import estimate
            from chunking.llm import endpoint

            return count, estimate(
                count.split(self._read(doc_ids)),
                config,
                workspace.texts,
                counter(config),
                max_tokens=counting_folder(config.embedding).content_tokens,
                endpoint=endpoint("llm"),
                vectors=encodings.spans,
                on_enriched=lambda document, enriched: count.add(
                    DocumentRows(document, enriched.levels, tuple(enriched.nodes))
                ),
            )
        writer = (
            DocumentWriter(config, workspace, encodings.spans, lambda _: None, lambda: False)
            if adds_text(config)
            else None
        )
        for document, levels in count.split(self._read(doc_ids)):
            count.add(writer.with_generated_texts(document, levels) if writer else DocumentRows(document, levels))
        return count, None

    def _read(self, doc_ids: Iterable[str]) -> Iterator[Document]:
        """Read documents; an unsaved one replaces the saved one of its id."""
        saved: list[str] = []
        for doc_id in doc_ids:
            if doc_id in self._unsaved:
                yield self._workspace.with_changes(self._unsaved[doc_id])
            else:
                saved.append(doc_id)
        yield from self._workspace.read_documents(saved)

    def _contents(self) -> list[Content]:
        """Return the contents of the documents; equal files are one."""
        changed = self._differences.changed
        rows = {row.doc_id: row for row in self._workspace.documents(changed)}
        first: dict[tuple[object, ...], Content] = {}
        for doc_id in changed:
            one = self._unsaved.get(doc_id)
            if one is not None:
                key, characters = (one.hash, one.format, one.category, one.parser, one.read_options), len(one.text)
            else:
                row = rows[doc_id]
                key, characters = (row.hash, row.format, row.category, row.parser, row.read_options), row.characters
            same = (*key, characters)
            earlier = first.get(same)
            first[same] = (
                Content(doc_id, characters) if earlier is None else earlier._replace(documents=earlier.documents + 1)
            )
        return list(first.values())

    def _beginnings(self) -> list[str]:
        """Return the beginnings of evenly spread documents: those that the language check takes of all."""
        changed = self._differences.changed
        spread = changed[:: max(1, -(-len(changed) // _READ_TEXTS))]
        return [document.text[:_READ_CHARACTERS] for document in self._read(spread)]


class _Sample(NamedTuple):
    """Counts of a stratum's sampled documents."""

    counts: PlanCount
    misses: CacheMisses
    needs: RequestEstimate | None


def _is_enough(strata: Sequence[Stratum], samples: Sequence[_Sample]) -> bool:
    """True if documents are alike: in their number of chunks, and of texts that the caches lack.

    What is rare, such as documents that cannot be split, is for the larger sample, and so are paid requests.
    """
    if any(one.needs is not None or one.counts.failed for one in samples):
        return False
    by_document = _by_document(samples)
    chunks, lacking = _chunks(strata, by_document), interval(strata, _merged(one.misses.by_document for one in samples))
    texts = interval(strata, {doc_id: float(len(one.keys)) for doc_id, one in by_document.items()})
    return chunks.is_narrow(chunks.total) and lacking.is_narrow(texts.total)


def _by_document(samples: Iterable[_Sample]) -> dict[str, DocumentCount]:
    return _merged(one.counts.by_document or {} for one in samples)


def _chunks(strata: Sequence[Stratum], by_document: Mapping[str, DocumentCount]) -> EstimatedTotal:
    return interval(strata, {doc_id: float(one.levels[CHUNK]) for doc_id, one in by_document.items()})


def _merged(parts: Iterable[Mapping[str, T]]) -> dict[str, T]:
    return {key: value for part in parts for key, value in part.items()}


def _pooling(count: PlanCount) -> str | None:
    return count.encodings.encoder.note if count.documents and count.encodings.late else None


def _added(scaled: Sequence[tuple[float, RequestEstimate]]) -> RequestEstimate | None:
    """Return the sum of scaled estimates of requests; None if there are none."""
    if not scaled:
        return None
    costs = [factor * one.cost for factor, one in scaled if one.cost is not None]
    return replace(
        scaled[0][1],
        requests=round(sum(factor * one.requests for factor, one in scaled)),
        cached=round(sum(factor * one.cached for factor, one in scaled)),
        prompt_tokens=round(sum(factor * one.prompt_tokens for factor, one in scaled)),
        answer_tokens=round(sum(factor * one.answer_tokens for factor, one in scaled)),
        cost=sum(costs) if len(costs) == len(scaled) else None,
    )
