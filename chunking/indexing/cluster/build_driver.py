"""The driver of a build on a cluster: the one process that commits, indexes and publishes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from chunking.config import Config, remote_name
from chunking.errors import StoreError
from chunking.indexing.adding.file_stream import UnchangedFile
from chunking.indexing.cluster.build_tasks import (
    BuildJob,
    ListedFile,
    cut_part,
    describe_model,
    join_part,
    parse_part,
)
from chunking.indexing.cluster.key_partitions import key_spans, partition_count
from chunking.indexing.cluster.ray_engine import BuildEngine
from chunking.indexing.cluster.run_folder import ALL, Record, RunFolder
from chunking.indexing.cluster.segment_tasks import merge_part, segment_part, train_part
from chunking.indexing.planning.index_differences import vector_count
from chunking.indexing.run.failures import Failure, merge_similar
from chunking.indexing.run.fallback_levels import requested_level
from chunking.indexing.run.run_records import IndexPhase, IndexReport
from chunking.indexing.stages.document_ids import assign_ids
from chunking.model import CHUNK
from chunking.store import Index, IndexRow, Workspace, measured_vector_index
from chunking.store.bulk.build_parts import documents_to_arrow
from chunking.store.bulk.bulk_writer import SHARED_TABLES
from chunking.store.bulk.index_segments import fragment_groups, plan_merges, segmented_indexes
from chunking.store.engine.schema import EMBEDDINGS
from chunking.store.index.build_record import BuildReport, index_fingerprint
from chunking.store.index.vector_index import segment_count
from chunking.versions import chunks_version

__all__ = ["BuildDriver", "OnStage"]

T = TypeVar("T")
OnStage = Callable[[IndexPhase, str, int, int], None]
"""Called with the phase, what its parts are, and how many of how many are done; may raise to stop."""

_SAMPLES = 200
"""Documents whose beginnings are checked for words that the model cannot read, as many as in any plan."""
_FILES_PER_SEGMENT = 4
"""Files of a segment, about: workers merge them side by side, and segments get about as many rows each."""


class BuildDriver:
    """Build of an index by an engine; hold the workspace's lock from the constructor to `run`'s end.

    Each step first asks the run's folder what is done.

    Args:
        job: the run's, without model and table.
        name: of the index.
    """

    def __init__(self, workspace: Workspace, engine: BuildEngine, job: BuildJob, name: str, on_stage: OnStage) -> None:
        self.workspace, self.engine, self.job, self.name, self.on_stage = workspace, engine, job, name, on_stage
        self.folder: RunFolder = job.folder
        self.config: Config = job.config
        self.writer = workspace.bulk_writer()
        self.started = time.perf_counter()
        listed = self.folder.plan
        self._files = [ListedFile(*file) for file in listed["files"]]
        self.reads_again: bool = listed["again"]
        """Files are parsed again that the workspace has unchanged."""
        self._spans: Sequence[tuple[int, int]] = [(first, end) for first, end in listed["parts"]]

    def run(self) -> IndexReport:
        """Do what is missing, publish the index, delete the run's folder, and return the report."""
        self.parse()
        model = self.model()
        row, versions = self.tables(model)
        self.job = replace(self.job, model_key=model["key"], table=row.table)
        self.cut()
        self.embed()
        self.commit(EMBEDDINGS, "embed", versions)
        self.workspace.vectors.index()
        self.join(row.dimension)
        for table in (*SHARED_TABLES[1:], row.table):
            self.commit(table, "join" if table == row.table else "cut", versions)
        row = self.publish(row)
        report = self.report(row)
        self.folder.remove()
        return report

    # -- files to documents

    def parse(self) -> None:
        """Read all files; one whose reader always ends its worker is a failure of its own."""
        while missing := self._missing("parse", self.parts()):
            calls = {part: (files, self.stored(files)) for part, files in missing.items()}
            for part, fault in self._each(IndexPhase.PREPARE, "parts of the files are read", parse_part, calls):
                if fault:
                    self._give_up(part, missing[part], fault)

    def stored(self, files: Sequence[ListedFile]) -> Sequence[UnchangedFile]:
        """Return what the workspace has of some files already: nothing."""
        return ()

    def _give_up(self, part: str, files: Sequence[ListedFile], fault: str) -> None:
        """Try each file of a part alone, or record the one file as unreadable."""
        if len(files) > 1:
            self.folder.write("split", part, {"files": len(files)})
            return
        source = files[0].source
        reason = f"{source} was not read: each worker that read it ended ({fault}); leave it out, or split it."
        self.folder.write_table("parse", part, documents_to_arrow([]))
        self.folder.write("parse", part, {"outcomes": [{"source": source, "error": reason}]})

    def parts(self) -> dict[str, Sequence[ListedFile]]:
        """Return the files of each part, in the order of the listing."""
        parts: dict[str, Sequence[ListedFile]] = {}
        divided = self.folder.done("split")
        for number, (first, end) in enumerate(self._spans):
            name, files = f"{number:06d}", self._files[first:end]
            if name not in divided:
                parts[name] = files
            else:
                parts |= {f"{name}-{place:04d}": [file] for place, file in enumerate(files)}
        return parts

    # -- documents to rows

    def model(self) -> Record:
        """Return key and dimension of the model, loaded by a worker."""
        if not self._is_done("model", ALL):
            self._all_done(self._each(IndexPhase.LOAD, "models are loaded", describe_model, {ALL: ()}))
        return self._record("model", ALL)

    def tables(self, model: Record) -> tuple[IndexRow, Mapping[str, int]]:
        """Return the index's row, and the version of each table before the run; creates missing ones."""
        row = IndexRow.new(
            self.name,
            self.config,
            model_key=model["key"],
            dimension=model["dimension"],
            code_version=chunks_version(),
        )
        if not self._is_done("tables", ALL):
            versions = self.writer.create(row)
            self.folder.write("tables", ALL, {"table": row.table, "created": row.created, "versions": versions})
        record = self._record("tables", ALL)
        return replace(row, table=record["table"], created=record["created"]), record["versions"]

    def cut(self) -> None:
        """Give the documents their final ids, which takes all outcomes, and split them."""
        parts = self.parts()
        outcomes = {part: self._record("parse", part)["outcomes"] for part in parts}
        read = [(part, one) for part, some in outcomes.items() for one in some if "error" not in one]
        families: dict[str, list[tuple[str, ...]]] = {part: [] for part in parts}
        for (part, _), doc_ids in zip(read, assign_ids(one["sources"] for _, one in read), strict=True):
            families[part].append(doc_ids)
        kept, hashes = {part: dict[str, str]() for part in parts}, set[str]()
        for part, files in parts.items():
            for file, one in zip(files, outcomes[part], strict=True):
                if one.get("kept") and one["kept"] not in hashes:
                    hashes.add(one["kept"])
                    kept[part][one["kept"]] = file.path
        calls = {part: (files, families[part], kept[part]) for part, files in parts.items()}
        missing = self._missing("cut", calls)
        self._all_done(self._each(IndexPhase.SPLIT, "parts of the documents are split", cut_part, missing))

    # -- texts to vectors

    def embed(self) -> None:
        """Embed the texts that the cache lacks, each partition of their keys by one worker."""
        parts = self.text_parts()
        if not self._is_done("partitions", ALL):
            texts = sum(self._record("cut", part)["texts"] for part in parts)
            self.folder.write("partitions", ALL, {"count": partition_count(texts, self.engine.workers)})
        spans = self._partitions()
        missing = self._missing("embed", {part: (span, parts) for part, span in spans.items()})
        ended = self.engine.embed(self.job, missing)
        self._all_done(self._counted(IndexPhase.EMBED, "parts of the texts are embedded", ended, len(missing)))
        if self._missing("embed", spans):
            raise self._stopped("its workers ended each time they embedded")

    def text_parts(self) -> list[str]:
        """Return the parts with texts to embed."""
        return list(self.parts())

    def _partitions(self) -> dict[str, tuple[str, str]]:
        spans = key_spans(self._record("partitions", ALL)["count"])
        return {f"{place:06d}": span for place, span in enumerate(spans)}

    def join(self, dimension: int) -> None:
        """Give all rows their vectors."""
        missing = self._missing("join", dict.fromkeys(self.parts(), (dimension,)))
        self._all_done(self._each(IndexPhase.EMBED, "parts of the rows have their vectors", join_part, missing))

    # -- what only one process may do

    def commit(self, table: str, stage: str, versions: Mapping[str, int]) -> None:
        """Commit what a stage wrote for a table, exactly once."""
        if self._is_done("commit", table):
            return
        self.on_stage(IndexPhase.FINISH, f"Writing the table {table}", 0, 0)
        parts = self._partitions() if stage == "embed" else self.parts()
        fragments = [one for part in parts for one in self._record(stage, part)["fragments"][table]]
        self.writer.commit(table, fragments, f"{self.folder.id}/{table}", versions[table])
        self.folder.write("commit", table, {"fragments": len(fragments)})

    def publish(self, row: IndexRow) -> IndexRow:
        """Build the search structures, and list the index, unless it is listed already."""
        listed = next((one for one in self.workspace.indexes() if one.table == row.table), None)
        if listed is not None:
            return listed
        cuts = [self._record("cut", part) for part in self.parts()]
        documents = [one for cut in cuts for one in cut["documents"]]
        levels: Counter[str] = sum((Counter(cut["levels"]) for cut in cuts), Counter())
        share, unread = self._unread([(source, doc_id) for doc_id, source, _, _ in documents])
        index = self.writer.index(row)
        self._index_rows(index, self._groups(index))
        self.on_stage(IndexPhase.FINISH, "Building the vector index", 3, 4)
        level = requested_level(self.config)
        vector_index, vector_recall = measured_vector_index(index, updated=True)
        built = BuildReport(
            asked=level,
            ran=level,
            levels=dict(sorted(levels.items())),
            vector_index=vector_index,
            vector_recall=vector_recall,
            unread=unread,
            languages=tuple(sorted({language for _, _, language, _ in documents})),
        )
        embeds = [self._record("embed", part) for part in self._partitions()]
        seconds = sum(one["seconds"] for one in embeds)
        row = replace(
            row,
            state="complete",
            fingerprint=index_fingerprint(fingerprint for _, _, _, fingerprint in documents),
            documents=len(documents),
            chunks=levels[CHUNK],
            unknown_share=share,
            tokens_per_second=sum(one["tokens"] for one in embeds) / seconds if seconds else 0.0,
            built=built,
        )
        self.on_stage(IndexPhase.FINISH, "Listing the index", 4, 4)
        published = self.workspace.publish(index, row)
        self.workspace.tidy()
        return published.row

    def _groups(self, index: Index) -> list[list[int]]:
        """Merge small files, and return the fragments of each segment of the search structures; none for one piece."""
        if not self._is_done("segments", ALL):
            rows, uri = sum(index.levels.values()), self.writer.uri(index.row.table)
            segments = min(self.engine.workers, segment_count(rows))
            if segments > 1:
                self._merge_files(index, rows // (segments * _FILES_PER_SEGMENT))
            else:
                self.on_stage(IndexPhase.FINISH, "Merging small files", 1, 4)
                index.optimize()
            self.folder.write("segments", ALL, {"fragments": fragment_groups(uri, segments) if segments > 1 else []})
        return list(self._record("segments", ALL)["fragments"])

    def _merge_files(self, index: Index, rows: int) -> None:
        """Merge small files of a large table to files of so many rows, by workers."""
        version, tasks = plan_merges(self.writer.uri(index.row.table), rows)
        parts = {f"{version}-{number}": task for number, task in enumerate(tasks)}  # once committed, another version's
        missing = self._missing("merge", {part: (task,) for part, task in parts.items()})
        self._all_done(self._each(IndexPhase.FINISH, "parts of the small files are merged", merge_part, missing))
        self.writer.commit_merged(index.row.table, [self._record("merge", part)["merged"] for part in parts])

    def _index_rows(self, index: Index, groups: Sequence[Sequence[int]]) -> None:
        """Build the search structures: of a large table a segment for each group by a worker, else all here.

        A vector index in one piece comes later, with its measuring.
        """
        if len(groups) < 2:
            self.on_stage(IndexPhase.FINISH, "Building the full-text index", 2, 4)
            index.build()
            return
        indexes = segmented_indexes(index)
        trained = {one.name: one.name if one.is_trained else "" for one in indexes}
        untrained = self._missing("train", {one.name: (one,) for one in indexes if one.is_trained})
        self._all_done(self._each(IndexPhase.FINISH, "vector indexes are trained", train_part, untrained))
        parts = {one.name: [f"{one.name}-{place}" for place in range(len(groups))] for one in indexes}
        segments = {
            part: (one, group, trained[one.name])
            for one in indexes
            for part, group in zip(parts[one.name], groups, strict=True)
        }
        missing = self._missing("segment", segments)
        self._all_done(
            self._each(IndexPhase.FINISH, "segments of the search structures are built", segment_part, missing)
        )
        for one in indexes:
            written = [self._record("segment", part)["segment"] for part in parts[one.name]]
            self.writer.commit_segments(index.row.table, one, written)

    def _unread(self, documents: Sequence[tuple[str, str]]) -> tuple[float, dict[str, float]]:
        """Share of words that the model cannot read, of the same sample as in a plan."""
        from chunking.embedding import check_language
        from chunking.embedding.model_folder import counting_folder
        from chunking.splitting import token_counter

        folder = counting_folder(self.config.embedding)
        if remote_name(folder.name) is not None or not documents:
            return 0.0, {}
        by_source = sorted(documents, key=lambda one: (one[0], len(one[1]), one[1]))
        sample = [doc_id for _, doc_id in by_source[:: max(1, -(-len(by_source) // _SAMPLES))]]
        texts = [document.text for document in self.workspace.read_documents(sample)]
        check = check_language(texts, token_counter(folder.path), folder.name)
        return check.share, dict(check.by_language)

    def report(self, row: IndexRow) -> IndexReport:
        """Return the report of the run; every file is in it as a document or a failure."""
        parses = [self._record("parse", part) for part in self.parts()]
        cuts = [self._record("cut", part) for part in self.parts()]
        outcomes = [one for parse in parses for one in parse["outcomes"]]
        failed = [*(one for one in outcomes if "error" in one), *(one for cut in cuts for one in cut["failed"])]
        warned = [(source, text) for cut in cuts for source, text in cut["warnings"]]
        read = [f"{source}: {text}" for one in outcomes for source, text in one.get("warnings", ())]
        vectors = vector_count(row.built.levels)
        embedded = sum(self._record("embed", part)["vectors"] for part in self._partitions())
        return IndexReport(
            documents=row.documents,
            chunks=row.chunks,
            vectors=vectors,
            embedded=embedded,
            reused=vectors - embedded,
            removed=0,
            failed=tuple(Failure(one["source"], one["error"]) for one in failed),
            seconds=time.perf_counter() - self.started,
            fingerprint=row.fingerprint,
            name=row.name,
            fallback_level=row.built.ran,
            levels=row.built.levels,
            warnings=(*read, *merge_similar(warned)),
        )

    # -- records and progress

    def _is_done(self, stage: str, part: str) -> bool:
        return self.folder.read(stage, part) is not None

    def _missing(self, stage: str, calls: Mapping[str, T]) -> dict[str, T]:
        """Return what is not done of a stage, by part."""
        done = self.folder.done(stage)
        return {part: call for part, call in calls.items() if part not in done}

    def _record(self, stage: str, part: str) -> Record:
        record = self.folder.read(stage, part)
        if record is None:
            raise StoreError(
                f"The record {stage}/{part} of the run {self.folder.id} is missing; start the index again.",
                where=self.folder.id,
            )
        return record

    def _each(
        self, phase: IndexPhase, what: str, task: Callable[..., Any], calls: Mapping[str, tuple[Any, ...]]
    ) -> Iterator[tuple[str, str]]:
        return self._counted(phase, what, self.engine.each(self.job, task, calls), len(calls))

    def _counted(
        self, phase: IndexPhase, what: str, ended: Iterator[tuple[str, str]], total: int
    ) -> Iterator[tuple[str, str]]:
        """Yield what has ended, reporting its number, first that it is none."""
        if total:
            self.on_stage(phase, what, 0, total)
        for number, one in enumerate(ended, start=1):
            yield one
            self.on_stage(phase, what, number, total)

    def _all_done(self, ended: Iterator[tuple[str, str]]) -> None:
        """Wait for all parts. Raises StoreError if one was given up."""
        for part, fault in ended:
            if fault:
                raise self._stopped(f"each worker that did the part {part} ended ({fault})")

    def _stopped(self, why: str) -> StoreError:
        return StoreError(
            f"The run {self.folder.id} stopped: {why}; add memory or take fewer workers, then go on with --resume "
            f"{self.folder.id}.",
            where=self.folder.id,
        )
