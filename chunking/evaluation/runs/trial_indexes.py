"""Temporary indexes for evaluation, in a scratch workspace with the user's documents and caches."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self

from chunking.config import Config
from chunking.errors import ParseError
from chunking.evaluation.runs.loaded_chunks import use_loaded
from chunking.evaluation.runs.run import documents_key, parsed_documents_key
from chunking.model import Document
from chunking.store import DocumentRow, Index, Right, Workspace
from chunking.store.scratch_folder import ScratchFolder

if TYPE_CHECKING:
    import numpy as np

    from chunking.embedding import Embedder
    from chunking.indexing.run.run_records import OnPlan, Plan

__all__ = ["TrialIndex", "Trials"]

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class TrialIndex:
    """An index built in the scratch workspace, with the shortfalls of its build."""

    name: str
    index: Index
    embedded: int
    """Number of texts embedded for it."""
    reasons: tuple[str, ...]
    """Sentences on how it falls short of its configuration."""


class Trials:
    """Scratch workspace for trial indexes, with the documents and caches of another workspace.

    So nothing is embedded twice, and the user's indexes and lock are left alone. The folder is deleted at the end; the
    remains of a killed process are deleted by the next `Trials` of that workspace. Only one thread may build at a time.
    The constructor registers the workspace's loaded chunks as this thread's splitters (`use_loaded`).

    Args:
        workspace: whose documents are searched, as of first use.
        doc_ids: only these documents; None: all.
        embedder: default: the configuration's.
        on_plan: called with the plan of each index before it is built; may raise.
        parser: has the documents read again from their kept files (`parsing.PARSERS`); empty: as they are. Those that
            cannot be read again stay as they are, see `unread`.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        doc_ids: Collection[str] | None = None,
        embedder: Embedder | None = None,
        on_plan: OnPlan | None = None,
        parser: str = "",
    ) -> None:
        from chunking.splitting import MeasureCache

        self.workspace, self.parser = workspace, parser
        self.unread: tuple[str, ...] = ()
        """Sentences on the documents that `parser` could not read, once `scratch` was created."""
        self._parsed: dict[str, Trials] = {}
        self._key = ""
        """Fingerprint of the documents, if another process copied them."""
        self._only = None if doc_ids is None else frozenset(doc_ids)
        self.given_embedder, self._on_plan = embedder, on_plan
        self._built: dict[str, TrialIndex] = {}
        self._counted: set[str] = set()
        self._measures = MeasureCache()
        self._folder: ScratchFolder | None = None
        self._copies: Workspace | None = None
        self.warnings = use_loaded(workspace).warnings
        """A sentence for each unreadable record of loaded chunks."""

    @classmethod
    def placed(
        cls,
        workspace: Workspace,
        folder: str,
        key: str,
        *,
        embedder: Embedder | None = None,
        parser: str = "",
        unread: Sequence[str] = (),
    ) -> Self:
        """Return trials whose scratch workspace exists, with the documents in it; `close` does not delete it.

        Args:
            workspace: whose caches, runs and loaded chunks are read; it need not be writable.
            key, parser, unread: `documents`, `parser` and `unread` of the trials that copied the documents.
        """
        trials = cls(workspace, embedder=embedder, parser=parser)
        trials._key, trials.unread = key, tuple(unread)
        trials._copies = Workspace.open(folder, create=False, caches=workspace)
        trials.rows = {row.doc_id: row for row in trials._copies.documents()}
        return trials

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Delete the scratch workspace with its indexes; the next use creates a new one."""
        for parsed in self._parsed.values():
            parsed.close()
        self._parsed.clear()
        self._built.clear()
        self._copies = None
        if self._folder is not None:
            self._folder.remove()
            self._folder = None

    def parsed_by(self, parser: str) -> Trials:
        """Return trials with the documents as a parser reads their files; these if none would be read anew.

        Closed with these.
        """
        if not parser or all(row.parser == parser for row in self._readable(parser)):
            return self
        if parser not in self._parsed:
            self._parsed[parser] = Trials(
                self.workspace, doc_ids=self._only, embedder=self.given_embedder, on_plan=self._on_plan, parser=parser
            )
        return self._parsed[parser]

    def _readable(self, parser: str) -> list[DocumentRow]:
        """Return the documents of formats that a parser reads."""
        from chunking.parsing import format_named, parser_named

        chosen = parser_named(parser)
        rows = (row for row in self.rows.values() if not row.parent_id)
        return [row for row in rows if not chosen.why_not(format_named(row.format))]

    @cached_property
    def rows(self) -> dict[str, DocumentRow]:
        """Documents to search by id, as on first use, then as copied to `scratch`."""
        return {row.doc_id: row for row in self.workspace.documents() if self._only is None or row.doc_id in self._only}

    @property
    def documents(self) -> str:
        """Fingerprint of `rows` (`documents_key`), and of the parser if another is to read them."""
        if self._key:
            return self._key
        key = documents_key(self.rows.values())
        return parsed_documents_key(key, self.parser) if self.parser else key

    @property
    def scratch(self) -> Workspace:
        """Scratch workspace with copies of the documents, created on first use; see `copy_documents`."""
        return self.copy_documents()

    def copy_documents(self, say: Say | None = None, cancelled: Callable[[], bool] | None = None) -> Workspace:
        """Create the scratch workspace, unless it is there, with copies of the documents; updates `rows`.

        Raises:
            AccessError: the user may not write to the workspace next to which its folder lies.
            StoreError: there is no room for it.
            Cancelled: `cancelled` returned True while the documents were read by another parser.
        """
        from chunking.indexing import save

        if self._copies is None:
            self.workspace.require(Right.WRITE)
            self._folder = self._folder or ScratchFolder.inside(self.workspace.uri)
            copies = Workspace.open(self._folder.path, caches=self.workspace)
            save(copies, self.workspace.read_documents(list(self.rows)))
            self.rows = {row.doc_id: row for row in copies.documents()}  # one may have changed since they were listed
            if self.parser:
                self._parse_again(copies, say, cancelled)
            self._copies = copies
        return self._copies

    def copied_document(self, doc_id: str) -> Document | None:
        """Return the copy of a document; None if it is not searched."""
        return self.scratch.document(doc_id) if doc_id in self.rows else None

    def _parse_again(self, copies: Workspace, say: Say | None, cancelled: Callable[[], bool] | None) -> None:
        """Replace the copies of documents that the parser can read by what it reads, with users' changes applied."""
        from chunking.indexing import Intake, read_again, save

        intake, unread = Intake(self.rows.values()), list[str]()
        rows = [row for row in self._readable(self.parser) if row.parser != self.parser]
        for number, row in enumerate(rows):
            if say is not None:
                say(f"Reading document {number + 1:,} of {len(rows):,} by {self.parser}")
            try:
                again = read_again(self.workspace, row, self.parser, cancelled)
            except ParseError as error:
                unread.append(str(error))
            else:
                intake.add(again.documents, None, row.doc_id)
        save(copies, map(self.workspace.with_changes, intake.documents))
        self.unread = tuple(unread)

    def holds(self, config: Config) -> bool:
        """True if an index with these settings (apart from search) was built."""
        return config.fingerprint() in self._built

    def trial(
        self, config: Config, *, say: Say | None = None, cancelled: Callable[[], bool] | None = None
    ) -> TrialIndex:
        """Return a configuration's index, built on first use; search settings make no difference.

        Raises:
            ChunkscopeError: as `indexing.build_index`, and as `on_plan`.
        """
        name = config.fingerprint()
        if name not in self._built:
            self._built[name] = self._build(name, config, say, cancelled)
        return self._built[name]

    def adopt(self, trial: TrialIndex) -> None:
        """Take an index that is in the scratch workspace already; its name is its configuration's fingerprint."""
        self._built[trial.name] = trial

    def _build(self, name: str, config: Config, say: Say | None, cancelled: Callable[[], bool] | None) -> TrialIndex:
        from chunking.embedding import is_language_note
        from chunking.indexing import IndexProgress, build_index
        from chunking.splitting import with_measure_cache

        def on_progress(progress: IndexProgress) -> None:
            if say is not None:
                counted = (
                    f"step {progress.step} of {progress.steps}"
                    if progress.step
                    else f"{progress.done:,} of {progress.total:,} chunks"
                )
                say(f"{progress.message} ({counted})")

        def planned(plan: Plan) -> None:
            if self._on_plan is not None:
                self._on_plan(plan)
            warnings.extend(one for one in plan.warnings if not is_language_note(one))

        embedder, warnings = self.embedder(config), list[str]()
        use_loaded(self.workspace)  # another workspace may have been measured meanwhile
        with with_measure_cache(self._measures):
            report = build_index(
                self.scratch,
                config,
                name=name,
                on_plan=planned,
                on_progress=on_progress,
                cancelled=cancelled,
                embedder=embedder,
            )
        reasons = (
            *report.reasons,
            *warnings,
            *report.warnings,
            *(f"{one.source} is left out: {one.error}" for one in report.failed),
        )
        return TrialIndex(name, self.scratch.index(name), report.embedded, reasons)

    def embedded_for(self, trial: TrialIndex) -> int:
        """Return the number of texts embedded for an index on the first call, 0 on later ones.

        So it is attributed to the first of the runs that share the index.
        """
        first = trial.name not in self._counted
        self._counted.add(trial.name)
        return trial.embedded if first else 0

    def release(self, config: Config) -> None:
        """Delete a configuration's index, if built, also for those that share it (see `trial`)."""
        if self._built.pop(config.fingerprint(), None) is not None:
            self._counted.discard(config.fingerprint())
            self.scratch.drop_index(config.fingerprint())

    def embedder(self, config: Config) -> Embedder:
        """Return the embedder given to the constructor, else that of the configuration.

        Raises:
            ModelError: the model is not installed, and may not be downloaded.
        """
        from chunking.embedding import load_embedder

        return self.given_embedder or load_embedder(config.embedding)

    def query_vectors(self, config: Config, texts: Sequence[str]) -> np.ndarray:
        """Return (n, d) float32 vectors of questions; new ones are cached in the workspace."""
        from chunking.embedding import CachedEmbedder

        return CachedEmbedder(self.embedder(config), self.workspace.vectors).embed(texts, role="query")
