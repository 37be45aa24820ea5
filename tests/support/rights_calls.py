"""Calls of every public function that reads or writes a workspace, with the rights each needs.

The matrix test runs them on a small workspace, created once, with a stand-in model.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from pathlib import Path
from typing import NamedTuple

import lancedb
import numpy as np
import pyarrow as pa

from chunking import evaluation, export, indexing, retrieval
from chunking.agents import AppAddress, CallControl, Toolbox
from chunking.agents.answers.collect_answer import collect_documents, text_document
from chunking.agents.answers.evaluation_answer import evaluate_settings, measured_recall
from chunking.agents.answers.fetch_answer import fetch_piece
from chunking.agents.answers.search_answer import SearchOptions, search_hits
from chunking.agents.answers.shown_chunks import draw_shown_chunks
from chunking.agents.long_calls import build_in_process
from chunking.config import Config, SearchConfig, SearchMode
from chunking.embedding import CachedEmbedder, LateEncoder, LocalEmbedder, load_embedder
from chunking.errors import AccessError, NotFoundError, StoreError
from chunking.evaluation.document_sample import live_sample
from chunking.evaluation.questions.parse_losses import parse_losses
from chunking.evaluation.questions.question_folder import import_questions
from chunking.evaluation.runs.built_index import evaluate_index, known_index_run
from chunking.evaluation.sweep import sweep_result
from chunking.export.report import reports_without_texts
from chunking.indexing import Plan, WorkspaceSnapshot
from chunking.indexing.adding.adding_files import DocumentBatch
from chunking.indexing.index_review import CandidatePair, candidate_pair, review
from chunking.indexing.planning.index_differences import compare
from chunking.indexing.run.document_encodings import RunEncodings
from chunking.indexing.run.enrichment_run import DocumentWriter, cluster_tree
from chunking.indexing.run.index_run import IndexBuild
from chunking.indexing.run.shared_progress import share_progress
from chunking.integrations.writers.index_writing import update_target, write_index
from chunking.integrations.writers.vector_target import vector_rows
from chunking.integrations.writers.writer_table import find_writer
from chunking.model import BUILT_IN, Chunk, Document, PinKind
from chunking.notebook import explore
from chunking.notebook.documents import WorkspaceDocuments, workspace_documents
from chunking.notebook.exploration import Exploration
from chunking.parsing import parse
from chunking.parsing.document import LoadedFile, load_file
from chunking.retrieval.leg_search import LegSearch
from chunking.retrieval.query.query import Query
from chunking.retrieval.query.query_parts import understand
from chunking.retrieval.query.query_terms import search_terms
from chunking.retrieval.search_trace import Trace
from chunking.samples import SAMPLES, Samples, save_questions
from chunking.splitting import split_document
from chunking.splitting.pins.stored_pins import PIN_FILE, PinnedDocument, StoredPin
from chunking.store import (
    EVERYTHING,
    DocumentChunks,
    DocumentRow,
    Index,
    IndexRow,
    Right,
    TextQuery,
    Workspace,
    build_vector_index,
    measure_recall,
    measured_vector_index,
    stream_chunks,
)
from chunking.store.bulk.index_segments import segmented_indexes
from chunking.store.candidate_indexes import candidate_of
from chunking.store.copies.linked_copy import linked_copy
from chunking.store.documents.listed_changes import add_changes, changed_documents, changes_of
from chunking.store.index.build_record import FallbackLevel
from chunking.store.index.index import fill_index, pack_index
from chunking.store.index.vector_index import parameters_of
from chunking.store.index_run_file import ask_to_stop, index_run_of
from chunking.store.named_configurations import (
    Author,
    SavedConfiguration,
    delete_configuration,
    forget_authors,
    rename_configuration,
    save_configuration,
    saved_configuration,
    saved_configurations,
)
from chunking.store.workspace_file.saving import save_workspace
from tests.support.stored_runs import with_runs

__all__ = ["CALLS", "Call", "Held", "Takes", "Things", "filled"]

SMALL = Config.from_settings(
    {"size": "32", "min_size": "0", "granularities": "none", "search.retrieval": "chunk", "search.mode": "text"}
)
OTHER = Config.from_settings({"size": "48"}, SMALL)
TEXTS = {
    "guide/install.md": (
        "# Install\n\nRun the installer as administrator.\n\n## Backups\n\nBackups run every night at two. A "
        "copy is kept."
    ),
    "guide/start.md": (
        "# Start\n\nTo restore a backup, stop the service, copy the archive back, and start the service again."
    ),
}
ADDED = parse(b"# Added\n\nA document that nobody has saved yet.", "added.md")
SOURCE = evaluation.PoolSource("main", SearchMode.TEXT)


class Takes(Enum):
    """Right that a call needs."""

    READ = auto()
    WRITE = auto()
    KEEPS = auto()
    """Reads or computes, and stores the result only for writers; for others nothing need be refused."""
    NOTHING = auto()
    """Returns data known since the workspace, or the index, was opened."""


class Things(NamedTuple):
    """Arguments of the calls, created once with full rights."""

    document: Document
    chunks: list[Chunk]
    vectors: np.ndarray
    embedder: LocalEmbedder
    questions: evaluation.QuestionSet
    plan: Plan
    snapshot: WorkspaceSnapshot
    files: list[LoadedFile]
    packed: bytes
    packed_vectors: np.ndarray
    row: IndexRow
    pin: StoredPin
    loaded: evaluation.LoadedChunks
    saved: SavedConfiguration
    sample: indexing.FilesRead
    """Sample document for which there are sample questions."""


@dataclass(frozen=True, slots=True)
class Held:
    """Workspace and index opened while access was allowed."""

    workspace: Workspace
    index: Index
    things: Things
    spare: Path
    """Folder for the call's own files, outside the workspace."""


class Call(NamedTuple):
    """Function with the right it needs."""

    takes: Takes
    make: Callable[[Held], object]


def filled(folder: Path) -> tuple[Workspace, Things]:
    """Create the workspace and the calls' arguments; needs the stand-in model."""
    workspace, sources = Workspace.open(folder / "workspace"), folder / "files"
    for name, text in TEXTS.items():
        (sources / name).parent.mkdir(parents=True, exist_ok=True)
        (sources / name).write_text(text)
    embedder = load_embedder(SMALL.embedding)
    assert isinstance(embedder, LocalEmbedder)
    indexing.index_documents(
        workspace, [parse(text.encode(), name) for name, text in TEXTS.items()], SMALL, name="main"
    )
    with_runs(workspace)
    document = workspace.documents()[0]
    full, index = workspace.document(document.doc_id), workspace.index()
    rows = index.chunks_of(document.doc_id)
    pin = StoredPin.of(full, PinKind.SPLIT, full.text.index("Backups run"))
    loaded = evaluation.read_chunks(b'{"start": 0, "end": 9}', "mine.jsonl", [full])
    evaluation.save_chunks(workspace, loaded)
    saved = save_configuration(workspace, "contracts", OTHER, Author("a" * 24, "Ann"))
    evaluation.save_sweep(workspace, sweep())
    evaluation.save_queue(workspace, queue())
    add_changes(workspace, [full], [PinnedDocument(document.doc_id, document.source, (pin,))], PIN_FILE)
    workspace.search_history.add("a query")
    workspace.texts.put({"k": "text"}, "model")
    workspace.put_file("0" * 64, b"file")
    late = LateEncoder(embedder, 64, workspace.encodings, workspace.vectors)
    snapshot = WorkspaceSnapshot.of(workspace, [index], late, ["a query"])
    packed, every = pack_index(index)
    vectors = index.vectors_by_id([row.chunk_id for row in every])
    questions = evaluation.load_set(workspace, "sample").questions
    things = Things(
        full,
        rows,
        np.stack([vectors[row.chunk_id] for row in rows]),
        embedder,
        replace(questions, questions=questions.questions[:2]),
        indexing.make_plan(workspace, OTHER, name="second"),
        snapshot,
        [load_file(sources / name, sources) for name in TEXTS],
        packed,
        np.stack([vectors[row.chunk_id] for row in every]),
        index.row,
        pin,
        loaded,
        saved,
        indexing.read_files([SAMPLES / "site-standard" / "site-standard-2025.md"], root=SAMPLES),
    )
    return workspace, things


def sweep() -> evaluation.Sweep:
    """Return a sweep of two configurations."""
    return evaluation.Sweep("mine", "sample", SMALL, {"size": ("32", "48")})


def queue() -> evaluation.Queue:
    """Return a queue of one query."""
    return evaluation.Queue("mine", (evaluation.LoggedQuery("a backup", 1),), (SOURCE,))


def run(handle: Held) -> object:
    """Run an index build as `run_plan` does, without its lock."""
    cached = CachedEmbedder(handle.things.embedder, handle.workspace.vectors)
    return IndexBuild(handle.workspace, handle.things.plan, FallbackLevel.FULL, (), cached, None, None, None).run()


def enriching(handle: Held) -> object:
    """Add rule-based summaries to a document."""
    config = Config.from_settings({"enrich.summaries": "true"}, SMALL)
    spans = RunEncodings(
        config, CachedEmbedder(handle.things.embedder, handle.workspace.vectors), handle.workspace
    ).spans
    writer = DocumentWriter(config, handle.workspace, spans, lambda _: None, lambda: False)
    return writer.with_generated_texts(handle.things.document, split_document(handle.things.document, config))


def tree(handle: Held) -> object:
    """Build the summary tree over the index's chunks."""
    config = Config.from_settings({"enrich.raptor": "true"}, SMALL)
    cached = CachedEmbedder(handle.things.embedder, handle.workspace.vectors)
    writer = DocumentWriter(
        config, handle.workspace, RunEncodings(config, cached, handle.workspace).spans, lambda _: None, lambda: False
    )
    return cluster_tree(handle.index, config, cached, writer, lambda _: None, lambda: False)


def spans(handle: Held) -> object:
    """Encode sentences of a document late."""
    cached = CachedEmbedder(handle.things.embedder, handle.workspace.vectors)
    encodings = RunEncodings(SMALL, cached, handle.workspace)
    return encodings.spans(handle.things.document, np.array([0], np.int32), np.array([9], np.int32))


def exported(handle: Held) -> object:
    """Write every export of an index and its runs."""
    material = export.Material(handle.workspace, handle.index, SMALL, questions=handle.things.questions)
    sink = io.BytesIO()
    for row in export.EXPORTS:
        if row.name not in ("report", "cluster-job"):  # no job is made of documents with pins
            row.write(material, sink)
    return material.documents


def sampled(handle: Held) -> object:
    """Sample a table of another program."""
    lancedb.connect(handle.spare / "lake").create_table("notes", pa.table({"text": ["# A note"]}))
    return indexing.add_table_sample(handle.workspace, str(handle.spare / "lake"))


def batch(handle: Held) -> object:
    """Save a batch of one document."""
    documents = DocumentBatch(handle.workspace)
    documents.add([ADDED], {})
    documents.save()
    return documents


def snapshot_of(handle: Held) -> object:
    """Create a snapshot of a workspace."""
    late = LateEncoder(handle.things.embedder, 64, handle.workspace.encodings, handle.workspace.vectors)
    return WorkspaceSnapshot.of(handle.workspace, [handle.index], late, ["another query"])


def leg(handle: Held) -> object:
    """Run one leg of a search."""
    query = understand("backup")
    request = Query(handle.index, query, search_terms(query), SearchConfig(mode=SearchMode.TEXT), {})
    return LegSearch(request, Trace()).weighing(), handle.index.text_search(TextQuery("backup"), 3)


def stored_row(handle: Held) -> DocumentRow:
    """Return the row of a document whose file is its text."""
    return next(row for row in handle.workspace.documents() if row.doc_id == ID)


def pinned(handle: Held) -> PinnedDocument:
    """Return a pin that no document has yet."""
    document = handle.things.document
    return PinnedDocument(document.doc_id, document.source, (StoredPin.of(document, PinKind.SPLIT, 3),))


def question_file(folder: Path) -> Path:
    """Write a file with a question about a document."""
    folder.mkdir(exist_ok=True)
    path = folder / "questions.jsonl"
    path.write_text(
        '{"question": "When do backups run?", "answer": "Backups run every night at two.", "doc": "guide/install.md"}\n'
    )
    return path


def promoted(handle: Held) -> Workspace:
    """A workspace whose index was replaced by a candidate: another name of the same rows."""
    handle.workspace.publish(handle.index, replace(handle.index.row, name=candidate_of("main")))
    handle.workspace.promote("main")
    return handle.workspace


def attempt(error: type[StoreError], call: Callable[[], object]) -> None:
    """Call a function that cannot be done here; being refused is no such error."""
    try:
        call()
    except error as impossible:
        if isinstance(impossible, AccessError):
            raise


def _of(takes: Takes, **calls: Callable[[Held], object]) -> dict[str, Call]:
    return {name.replace("__", "."): Call(takes, make) for name, make in calls.items()}


ID = "guide_install"
CALLS: Mapping[str, Call] = {
    **_of(
        Takes.NOTHING,
        Workspace__calls=lambda h: h.workspace.calls,
        Workspace__folder=lambda h: h.workspace.folder,
        Workspace__may=lambda h: h.workspace.may(Right.WRITE),
        Workspace__seen_by=lambda h: h.workspace.seen_by(EVERYTHING),  # for who serves others, and knows what they may
        Workspace__bulk_writer=lambda h: h.workspace.bulk_writer(),  # whose methods ask
        CandidatePair=lambda h: CandidatePair(h.index, h.index, frozenset()),
        Index__config=lambda h: h.index.config,
        Index__dimension=lambda h: h.index.dimension,
        Index__fingerprint=lambda h: h.index.fingerprint,
        Index__name=lambda h: h.index.name,
        IndexDifferences=lambda h: h.things.plan,  # a record of differences; `compare` makes it
        TrialIndex=lambda h: h.things.row,  # a record of an index that was built to be measured; `Trials` makes it
    ),
    **_of(
        Takes.READ,
        Workspace__derived=lambda h: h.workspace.derived(len),
        Index__some_documents=lambda h: h.index.some_documents([ID]),
        Index__vector_sample=lambda h: h.index.vector_sample(2),
        parameters_of=lambda h: parameters_of(h.index),
        segmented_indexes=lambda h: segmented_indexes(h.index),
        import_questions=lambda h: import_questions(h.workspace, question_file(h.spare).read_bytes(), "q.jsonl"),
        live_sample=lambda h: live_sample(h.workspace, h.things.questions),
        Trials__placed=lambda h: evaluation.Trials.placed(h.workspace, h.workspace.uri, "key"),
        known_index_run=lambda h: known_index_run(h.workspace, h.index, h.things.questions, h.index.config.search),
        candidate_pair=lambda h: attempt(NotFoundError, lambda: candidate_pair(h.workspace, "main")),
        review=lambda h: review(h.workspace, CandidatePair(h.index, h.index, frozenset())),
        Workspace__open=lambda h: Workspace.open(h.workspace.uri, create=False, access=h.workspace.access),
        Workspace=lambda h: h.workspace.documents(),
        Workspace__require=lambda h: h.workspace.require(Right.READ),
        Workspace__untouched=lambda h: h.workspace.untouched,
        Workspace__document=lambda h: h.workspace.document(ID),
        Workspace__parsed=lambda h: h.workspace.parsed(ID),
        Workspace__documents=lambda h: h.workspace.documents(),
        Workspace__document_stamps=lambda h: h.workspace.document_stamps(),
        Workspace__document_texts=lambda h: list(h.workspace.document_texts(h.workspace.documents())),
        Workspace__read_documents=lambda h: list(h.workspace.read_documents([ID])),
        Workspace__with_changes=lambda h: h.workspace.with_changes(h.things.document),
        Workspace__file=lambda h: h.workspace.file("0" * 64),
        Workspace__indexes=lambda h: h.workspace.indexes(),
        Workspace__index=lambda h: h.workspace.index("main"),
        Workspace__version=lambda h: h.workspace.version(),
        Workspace__check=lambda h: h.workspace.check(),
        Workspace__table_stamps=lambda h: h.workspace.table_stamps(),
        Index__levels=lambda h: h.index.levels,
        Index__by_level=lambda h: h.index.by_level("chunk"),
        Index__level_by_id=lambda h: h.index.level_by_id([h.things.chunks[0].chunk_id]),
        Index__chunks_by_id=lambda h: h.index.chunks_by_id([h.things.chunks[0].chunk_id]),
        Index__check=lambda h: h.index.check(),
        Index__chunks_of=lambda h: h.index.chunks_of(ID),
        Index__count=lambda h: h.index.count(),
        Index__count_levels=lambda h: h.index.count_levels(),
        Index__document_fingerprints=lambda h: h.index.document_fingerprints(),
        Index__document_vectors=lambda h: h.index.document_vectors(),
        Index__documents=lambda h: h.index.documents(),
        Index__indexed_documents=lambda h: h.index.indexed_documents(),
        Index__ids=lambda h: h.index.ids(),
        Index__levels_by_document=lambda h: h.index.levels_by_document(),
        Index__neighbours=lambda h: h.index.neighbours(h.things.chunks[:1], 1, 1),
        Index__of_documents=lambda h: h.index.of_documents([ID]),
        Index__on_table=lambda h: h.index.on_table("counting", lambda table: table.count_rows()),
        Index__rows_by_id=lambda h: h.index.rows_by_id([h.things.chunks[0].chunk_id]),
        Index__start_text_search=lambda h: h.index.start_text_search(TextQuery("backup"), 3)(),
        Index__substring_search=lambda h: h.index.substring_search("backup", 3),
        Index__table_rows=lambda h: h.index.table_rows(),
        Index__start_text_scores=lambda h: h.index.start_text_scores(TextQuery("backup"), 3)(),
        Index__text_search=lambda h: h.index.text_search(TextQuery("backup"), 3),
        Index__nearest_cosines=lambda h: h.index.nearest_cosines(h.things.vectors, 3),
        Index__vector_scores=lambda h: h.index.vector_scores(h.things.vectors[0], 3),
        Index__vector_search=lambda h: h.index.vector_search(h.things.vectors[0], 3),
        Index__vector_texts=lambda h: h.index.vector_texts(),
        Index__vectors_by_id=lambda h: h.index.vectors_by_id([h.things.chunks[0].chunk_id]),
        Index__vectors_of=lambda h: h.index.vectors_of(),
        saved_configuration=lambda h: saved_configuration(h.workspace, "contracts"),
        saved_configurations=lambda h: saved_configurations(h.workspace),
        NamedRecords__all=lambda h: h.workspace.question_sets.all(),
        NamedRecords__get=lambda h: h.workspace.question_sets.get("sample"),
        NamedRecords__names=lambda h: h.workspace.question_sets.names(),
        NamedRecords__version=lambda h: h.workspace.question_sets.version,
        SearchHistory__queries=lambda h: h.workspace.search_history.queries(),
        SearchHistory__version=lambda h: h.workspace.search_history.version,
        ChangeLogs__listed=lambda h: h.workspace.changes.listed(),
        ChangeLogs__log=lambda h: h.workspace.changes.log(ID, "pins"),
        ChangeLogs__version=lambda h: h.workspace.changes.version,
        EncodingTable__get=lambda h: h.workspace.encodings.get("k"),
        EncodingTable__stored_keys=lambda h: h.workspace.encodings.stored_keys(["k"]),
        TextTable__get=lambda h: h.workspace.texts.get(["k"]),
        TextTable__stored_keys=lambda h: h.workspace.texts.stored_keys(["k"]),
        VectorTable__get=lambda h: h.workspace.vectors.get(["k"]),
        VectorTable__stored_keys=lambda h: h.workspace.vectors.stored_keys(["k"]),
        pool_results=lambda h: evaluation.pool_results(h.workspace, "backup", [SOURCE], 3, h.workspace.document),
        load_queue=lambda h: evaluation.load_queue(h.workspace, "mine"),
        queue_names=lambda h: evaluation.queue_names(h.workspace),
        load_questions=lambda h: evaluation.load_questions(h.workspace, question_file(h.spare)),
        load_set=lambda h: evaluation.load_set(h.workspace, "sample"),
        set_names=lambda h: evaluation.set_names(h.workspace),
        use_loaded=lambda h: evaluation.use_loaded(h.workspace),
        load_sweep=lambda h: evaluation.load_sweep(h.workspace, "mine"),
        sweep_report=lambda h: evaluation.sweep_report(h.workspace, "mine"),
        Material=exported,
        choose_runs=lambda h: export.choose_runs(h.workspace, h.workspace.runs.names()[:1]),
        export_file=lambda h: export.export_file(h.workspace, "pins", h.spare).read_bytes(),
        gather=lambda h: export.gather(h.workspace, wants_runs=False).documents,
        reports_without_texts=lambda h: reports_without_texts(h.workspace),
        question_set_of=lambda h: export.question_set_of(h.workspace, ()),
        Ids__of=lambda h: indexing.Ids.of(h.workspace),
        DocumentInputs__of=lambda h: indexing.DocumentInputs.of(h.workspace),
        AddedDocuments=lambda h: list(indexing.AddedDocuments(h.workspace, [ID])),
        read_files=lambda h: indexing.read_files([h.spare.parent / "files"], h.workspace),
        ParserChoices__of=lambda h: indexing.ParserChoices.of(h.workspace),
        workspace_parser=lambda h: indexing.workspace_parser(h.workspace),
        original_file=lambda h: indexing.original_file(h.workspace, stored_row(h)),
        parse_losses=lambda h: parse_losses(h.workspace, [h.things.document]),
        read_again=lambda h: indexing.read_again(h.workspace, stored_row(h), BUILT_IN),
        compare=lambda h: compare(h.workspace, OTHER, "main", h.things.embedder.key, fallback=FallbackLevel.FULL),
        make_plan=lambda h: indexing.make_plan(h.workspace, OTHER, name="second"),
        PlannedDocuments=lambda h: indexing.make_plan(h.workspace, OTHER, name="second", exact=True),
        staleness=lambda h: indexing.staleness(h.workspace, h.things.row),
        table_samples=lambda h: indexing.table_samples(h.workspace),
        search_documents=lambda h: retrieval.search_documents(h.workspace, "backup"),
        fetch=lambda h: retrieval.fetch(h.workspace, ID),
        siblings=lambda h: retrieval.siblings(h.workspace, ID),
        siblings_of=lambda h: retrieval.siblings_of(h.workspace, [ID]),
        related_documents=lambda h: retrieval.related_documents(h.workspace, ID),
        search=lambda h: retrieval.search(h.workspace, "backup"),
        Query=leg,
        linked_copy=lambda h: linked_copy(h.workspace, h.spare),
        save_workspace=lambda h: save_workspace(h.workspace, io.BytesIO(), history=True),
        changed_documents=lambda h: list(changed_documents(h.workspace, PIN_FILE)),
        changes_of=lambda h: changes_of(h.workspace, ID, PIN_FILE),
        stream_chunks=lambda h: list(stream_chunks(h.index)),
        pack_index=lambda h: pack_index(h.index),
        measure_recall=lambda h: measure_recall(h.index, (1,), (1,), 2),
        Toolbox=lambda h: Toolbox(lambda: h.workspace).list_documents(),
        fetch_piece=lambda h: fetch_piece(h.workspace, ID, 0, 100, 0, AppAddress()),
        search_hits=lambda h: search_hits(
            h.workspace, "backup", SearchOptions("text", "", 3, {}, 0, 0, True, False), AppAddress()
        ),
        measured_recall=lambda h: measured_recall(h.workspace),
        draw_shown_chunks=lambda h: draw_shown_chunks(h.workspace, ID, "", AppAddress()),
        text_document=lambda h: text_document("A text.", "notes.md", h.workspace),
        Exploration__of=lambda h: Exploration.of(h.workspace),
        explore=lambda h: explore(h.workspace),
        WorkspaceDocuments=lambda h: WorkspaceDocuments(h.workspace, [ID])[ID],
        workspace_documents=lambda h: workspace_documents(h.workspace),
        vector_rows=lambda h: vector_rows(h.index, h.things.chunks),
        update_target=lambda h: update_target(
            h.index, find_writer("parquet").open(str(h.spare), "chunks", h.index.dimension), ["chunk"]
        ),
        write_index=lambda h: write_index(h.workspace, "parquet", str(h.spare)),
        index_run_of=lambda h: index_run_of(h.workspace),
    ),
    **_of(
        Takes.KEEPS,
        SearchHistory__add=lambda h: h.workspace.search_history.add("another query"),
        EncodingTable__claim=lambda h: h.workspace.encodings.claim(["k"], lambda: None).__enter__(),
        EncodingTable__index=lambda h: h.workspace.encodings.index(),
        EncodingTable__upkeep=lambda h: h.workspace.encodings.upkeep(),
        EncodingTable__put=lambda h: h.workspace.encodings.put("other", b"data"),
        EncodingTable__put_all=lambda h: h.workspace.encodings.put_all({"other": b"data"}),
        TextTable__claim=lambda h: h.workspace.texts.claim(["k"], lambda: None).__enter__(),
        TextTable__index=lambda h: h.workspace.texts.index(),
        TextTable__upkeep=lambda h: h.workspace.texts.upkeep(),
        TextTable__put=lambda h: h.workspace.texts.put({"other": "text"}, "model"),
        VectorTable__claim=lambda h: h.workspace.vectors.claim(["k"], lambda: None).__enter__(),
        VectorTable__index=lambda h: h.workspace.vectors.index(),
        VectorTable__upkeep=lambda h: h.workspace.vectors.upkeep(),
        VectorTable__put=lambda h: h.workspace.vectors.put({"other": np.ones(3, np.float32)}),
        Index__remove_tree=lambda h: h.index.remove_tree(),  # there is none: nothing to refuse
        build_vector_index=lambda h: build_vector_index(h.index),  # too few rows: nothing to refuse
        measured_vector_index=lambda h: measured_vector_index(h.index, updated=True),  # likewise
        RunEncodings=spans,
        DocumentWriter=enriching,
        cluster_tree=tree,
        WorkspaceSnapshot__of=snapshot_of,
        WorkspaceSnapshot__put_vectors=lambda h: h.things.snapshot.put_vectors(h.workspace, h.things.embedder),
    ),
    **_of(
        Takes.WRITE,
        share_progress=lambda h: share_progress(h.workspace, "main").__enter__(),
        ask_to_stop=lambda h: ask_to_stop(h.workspace, "0" * 32),
        Workspace__begin_empty=lambda h: h.workspace.begin_empty(),
        Workspace__writer=lambda h: h.workspace.writer().__enter__(),
        Workspace__put_document=lambda h: h.workspace.put_document(ADDED),
        Workspace__put_documents=lambda h: h.workspace.put_documents([ADDED]),
        Workspace__put_file=lambda h: h.workspace.put_file("1" * 64, b"x"),
        Workspace__delete_documents=lambda h: h.workspace.delete_documents([ID]),
        Workspace__create_index=lambda h: h.workspace.create_index("new", SMALL, model_key="fake@1", dimension=8),
        Workspace__publish=lambda h: h.workspace.publish(h.index),
        Workspace__discard=lambda h: h.workspace.discard(h.index),
        Workspace__drop_index=lambda h: h.workspace.drop_index("main"),
        Workspace__promote=promoted,
        Workspace__undo_promotion=lambda h: promoted(h).undo_promotion("main"),
        Workspace__tidy=lambda h: h.workspace.tidy(),
        Index__add_rows=lambda h: fill_index(h.index, h.things.packed, h.things.packed_vectors),
        Index__build=lambda h: h.index.build(),
        Index__change_table=lambda h: h.index.change_table("deleting", lambda table: table.delete("true")),
        Index__optimize=lambda h: h.index.optimize(),
        Index__optimize_if_due=lambda h: h.index.optimize_if_due(),
        Index__remove_document=lambda h: h.index.remove_document(ID),
        Index__remove_documents=lambda h: h.index.remove_documents([ID]),
        Index__replace_document=lambda h: h.index.replace_document(
            h.things.document, h.things.chunks, h.things.vectors, "f"
        ),
        Index__replace_documents=lambda h: h.index.replace_documents(
            [DocumentChunks(h.things.document, h.things.chunks, h.things.vectors, "f")], has_rows={ID}
        ),
        Index__replace_tree=lambda h: h.index.replace_tree([], h.things.vectors[:0]),
        NamedRecords__put=lambda h: h.workspace.runs.put({"mine": "{}"}),
        NamedRecords__change=lambda h: h.workspace.sweeps.change(
            "mine", lambda kept: kept if kept is None else f"{kept} "
        ),
        NamedRecords__rename=lambda h: h.workspace.configurations.rename(
            "contracts", "letters", lambda kept, new: None
        ),
        save_configuration=lambda h: save_configuration(h.workspace, "mine", SMALL),
        rename_configuration=lambda h: rename_configuration(h.workspace, h.things.saved, "ours"),
        delete_configuration=lambda h: delete_configuration(h.workspace, h.things.saved),
        forget_authors=lambda h: forget_authors(h.workspace),
        NamedRecords__delete=lambda h: h.workspace.question_sets.delete(["sample"]),
        SearchHistory__clear=lambda h: h.workspace.search_history.clear(),
        ChangeLogs__append=lambda h: h.workspace.changes.append(ID, "edits", [{"kind": "x"}]),
        ChangeLogs__undo=lambda h: h.workspace.changes.undo(ID, "pins"),
        ChangeLogs__redo=lambda h: h.workspace.changes.redo(ID, "pins"),
        ChangeLogs__clear=lambda h: h.workspace.changes.clear(),
        EncodingTable__trim=lambda h: h.workspace.encodings.trim(0),
        change_queue=lambda h: evaluation.change_queue(
            h.workspace, "mine", lambda kept: evaluation.skip_query(kept, "a backup")
        ),
        change_set=lambda h: evaluation.change_set(
            h.workspace, "sample", lambda kept: evaluation.split(kept, holdout=0.4)
        ),
        delete_queue=lambda h: evaluation.delete_queue(h.workspace, "mine"),
        save_queue=lambda h: evaluation.save_queue(h.workspace, queue()),
        delete_set=lambda h: evaluation.delete_set(h.workspace, "sample"),
        save_set=lambda h: evaluation.save_set(h.workspace, h.things.questions),
        save_questions=lambda h: save_questions(h.workspace, h.things.sample.documents),
        Samples__put_into=lambda h: Samples([], None, None, h.things.sample, "").put_into(h.workspace),
        evaluate_index=lambda h: evaluate_index(h.workspace, h.index, h.things.questions, h.index.config.search),
        evaluate=lambda h: evaluation.evaluate(h.workspace, h.things.questions, SMALL),
        save_chunks=lambda h: evaluation.save_chunks(h.workspace, h.things.loaded),
        Trials=lambda h: evaluation.Trials(h.workspace).scratch,
        run_sweep=lambda h: evaluation.run_sweep(h.workspace, sweep(), h.things.questions),
        sweep=lambda h: sweep_result.sweep(h.workspace, h.things.questions, base=SMALL, tries=[{"size": "32"}]),
        save_sweep=lambda h: evaluation.save_sweep(h.workspace, sweep()),
        add_files=lambda h: indexing.add_files(h.workspace, [h.spare.parent / "files"]),
        add_table_sample=sampled,
        DocumentBatch=batch,
        choose_parser=lambda h: indexing.choose_parser(h.workspace, "unstructured", [ID]),
        choose_workspace_parser=lambda h: indexing.choose_workspace_parser(h.workspace, "unstructured"),
        save=lambda h: indexing.save(h.workspace, [ADDED]),
        index_files=lambda h: indexing.index_files(h.workspace, [h.spare.parent / "files"], OTHER, name="second"),
        build_index=lambda h: indexing.build_index(h.workspace, OTHER, name="second"),
        index_documents=lambda h: indexing.index_documents(h.workspace, [ADDED], OTHER, name="second"),
        run_plan=lambda h: indexing.run_plan(h.workspace, h.things.plan),
        IndexBuild=run,
        WorkspaceSnapshot__put_into=lambda h: h.things.snapshot.put_into(
            h.workspace, h.things.files, {h.index.name: SMALL}, h.things.embedder
        ),
        add_changes=lambda h: add_changes(h.workspace, [h.things.document], [pinned(h)], PIN_FILE),
        DocumentInputs__store=lambda h: indexing.DocumentInputs(pins=(pinned(h),)).store(
            h.workspace, [h.things.document]
        ),
        fill_index=lambda h: fill_index(h.index, h.things.packed, h.things.packed_vectors),
        collect_documents=lambda h: collect_documents(
            h.workspace, "", "A text.", "notes.md", (), build_in_process, CallControl()
        ),
        build_in_process=lambda h: build_in_process(h.workspace, OTHER, "second", None, CallControl()),
        evaluate_settings=lambda h: evaluate_settings(h.workspace, "sample", "", CallControl()),
    ),
}
"""Calls by name of the function, or class and method; a class stands for its use of a workspace."""
