"""The driver of a run on a workspace with documents: workers do what has changed, and it writes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from chunking.errors import ParseError
from chunking.indexing.adding.adding_files import AddedDocuments, save
from chunking.indexing.adding.file_stream import UnchangedFile, UnchangedFiles, parse_key_of
from chunking.indexing.adding.intake import Ids, SourceFiles, keeps_file
from chunking.indexing.cluster.build_driver import BuildDriver
from chunking.indexing.cluster.build_tasks import ListedFile, named_documents, parse_file, text_part
from chunking.indexing.cluster.part_spans import part_spans
from chunking.indexing.cluster.run_folder import ALL
from chunking.indexing.planning.index_differences import compare
from chunking.indexing.run.fallback_levels import requested_level
from chunking.indexing.run.index_building import build_index
from chunking.indexing.run.run_records import Failure, IndexPhase, IndexProgress, IndexReport
from chunking.indexing.stages.document_ids import assign_ids
from chunking.model import Document
from chunking.store.engine.schema import EMBEDDINGS

__all__ = ["UpdateDriver"]


class UpdateDriver(BuildDriver):
    """Update of a workspace and an index by an engine; hold the workspace's lock as for `BuildDriver`.

    Workers read the files that are new or changed, split the changed documents and embed their texts. Documents and
    rows are written by the functions of the embedded engine, which finds the vectors in the cache. So edits, pins and
    other settings are no cases of their own here, and a run that was killed goes on from the workspace as it is.
    """

    def run(self) -> IndexReport:
        """Do what is missing, bring the index up to date, delete the run's folder, and return the report."""
        self.parse()
        doc_ids, failed = self.save()
        self.job = replace(self.job, model_key=self.model()["key"])
        self.split()
        embedded = self.embed_changed()
        report = self.index()
        self.folder.remove()
        read = AddedDocuments(self.workspace, doc_ids)
        warnings = (f"{document.source}: {warning}" for document in read for warning in document.warnings)
        embedded += report.embedded
        return replace(
            report,
            embedded=embedded,
            reused=report.vectors - embedded,
            failed=(*failed, *report.failed),
            seconds=time.perf_counter() - self.started,
            warnings=(*warnings, *report.warnings),
        )

    # -- files to stored documents

    def stored(self, files: Sequence[ListedFile]) -> Sequence[UnchangedFile]:
        """Return what the workspace has of some files, which are not parsed while they are that."""
        if self.reads_again:
            return ()
        sources = {file.source for file in files}
        return [one for one in self._stored_files if one.source in sources]

    @cached_property
    def _stored_files(self) -> frozenset[UnchangedFile]:
        """Files as the workspace has them before anything is saved."""
        return UnchangedFiles(self.workspace.documents()).all

    def save(self) -> tuple[list[str], list[Failure]]:
        """Save the documents that were parsed; returns the ids of all files' documents, and files not read.

        A run that goes on gives the same ids: what it has saved is the earlier version of its path.
        """
        rows = self.workspace.documents()
        stored, ids = UnchangedFiles(rows), Ids.among(rows)
        doc_ids: list[str] = []
        failed: list[Failure] = []
        parts = self.parts()
        for number, (part, files) in enumerate(parts.items(), start=1):
            families: list[tuple[str, ...]] = []
            again: list[Document] = []
            kept: dict[str, Path | bytes] = {}
            parse_keys: dict[str, str] = {}
            for file, one in zip(files, self._record("parse", part)["outcomes"], strict=True):
                if "error" in one:
                    failed.append(Failure(one["source"], one["error"]))
                elif "same" not in one:
                    families += assign_ids([one["sources"]], ids)
                    doc_ids += families[-1]
                    parse_keys[families[-1][0]] = one["parse_key"]
                    if one["kept"]:
                        kept[one["kept"]] = Path(file.path)
                elif claimed := stored.claim(UnchangedFile(*one["same"]), ids):
                    doc_ids += claimed
                else:  # it is another document's next version, or was changed since the run stopped
                    try:
                        family = ids.assign(parse_file(self.job, file))
                    except ParseError as error:
                        failed.append(Failure(file.source, str(error)))
                        continue
                    again += family
                    doc_ids += (document.doc_id for document in family)
                    parse_keys[family[0].doc_id] = parse_key_of(self.job.options(file), len(family))
                    if keeps_file(family[0]):
                        kept[family[0].hash] = Path(file.path)
            if not self._is_done("save", part):
                documents = [*named_documents(self.folder, part, families), *again]
                save(self.workspace, documents, SourceFiles(kept), parse_keys)
                self.folder.write("save", part, {"documents": len(documents)})
            self.on_stage(IndexPhase.PREPARE, "parts of the documents are saved", number, len(parts))
        return doc_ids, failed

    # -- changed documents to vectors

    def split(self) -> None:
        """Split the documents that the index lacks or has otherwise, for the texts to embed."""
        if not self._is_done("changed", ALL):
            level = requested_level(self.config)
            changed = compare(self.workspace, self.config, self.name, self.job.model_key, fallback=level).changed
            sizes = {row.doc_id: row.characters for row in self.workspace.documents()}
            spans = part_spans([sizes[doc_id] for doc_id in changed], self.engine.workers)
            self.folder.write("changed", ALL, {"parts": [changed[first:end] for first, end in spans]})
        parts = zip(self.text_parts(), self._record("changed", ALL)["parts"], strict=True)
        missing = self._missing("cut", {part: (doc_ids,) for part, doc_ids in parts})
        self._all_done(self._each(IndexPhase.SPLIT, "parts of the documents are split", text_part, missing))

    def text_parts(self) -> list[str]:
        """Return the parts of the changed documents."""
        return [f"{number:06d}" for number in range(len(self._record("changed", ALL)["parts"]))]

    def embed_changed(self) -> int:
        """Embed the texts that the cache lacks, into it; returns the number of vectors."""
        if not self.text_parts():
            return 0
        self.embed()
        if not self._is_done("tables", ALL):
            self.folder.write("tables", ALL, {"versions": {EMBEDDINGS: self.writer.create_shared(EMBEDDINGS)}})
        self.commit(EMBEDDINGS, "embed", self._record("tables", ALL)["versions"])
        self.workspace.vectors.index()
        return sum(self._record("embed", part)["vectors"] for part in self._partitions())

    def index(self) -> IndexReport:
        """Bring the index up to date as the embedded engine does, with the vectors in the cache."""

        def on_progress(progress: IndexProgress) -> None:
            message = progress.message if progress.step else "Writing the rows of changed documents"
            self.on_stage(IndexPhase.FINISH, message, progress.step, progress.steps)

        embedder = self.job.load_embedder()
        return build_index(self.workspace, self.config, name=self.name, on_progress=on_progress, embedder=embedder)
