"""Records of index runs: plan, progress, failures and report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from chunking.config import Config
from chunking.indexing.run.failures import Failure, merged_failures
from chunking.store.index.build_record import FallbackLevel

if TYPE_CHECKING:
    from chunking.enrichment import RequestEstimate

__all__ = [
    "Cancel",
    "Failure",
    "IndexPhase",
    "IndexProgress",
    "IndexReport",
    "OnPlan",
    "OnProgress",
    "Plan",
    "PlanEstimate",
    "rounded",
]


class IndexPhase(StrEnum):
    """Phases of a run, in order; documents pass the middle ones a group at a time."""

    PREPARE = "prepare"
    """Comparing the index with the documents, and counting texts to embed."""
    LOAD = "load"
    """Loading the embedding model; skipped if no vector needs it."""
    SPLIT = "split"
    ENRICH = "enrich"
    """Generating contexts, summaries and table descriptions."""
    EMBED = "embed"
    CLUSTER = "cluster"
    """Building the tree of summaries over all chunks."""
    FINISH = "finish"


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """Progress of a run or of reading files: done, total, message, and estimated time left."""

    done: int
    """Chunks that are embedded or need no embedding; while files are read, files that were read."""
    total: int
    message: str
    step: int = 0
    """Step after the last document, from 1; 0 before."""
    steps: int = 0
    phase: IndexPhase = IndexPhase.PREPARE
    fell: bool = False
    """True if the message says why the run continues at a lower fallback level."""
    seconds_left: float | None = None
    """Estimate; None if unknown, as in the steps after the last document."""
    stage_seconds: float | None = None
    """Those of them until the next report, in a stage without reports of its own: loading the model."""


OnProgress = Callable[[IndexProgress], None]
Cancel = Callable[[], bool]
"""Called between batches; True stops the run."""


def rounded(count: int) -> int:
    """Round a count to three digits.

    >>> rounded(1_019_732), rounded(1_234), rounded(87)
    (1020000, 1230, 87)
    """
    return round(count, 3 - len(str(abs(count)))) if abs(count) > 999 else count


@dataclass(frozen=True, slots=True)
class PlanEstimate:
    """Sample of documents that a plan was estimated from, and the 95 % confidence interval of its chunks."""

    sampled: int
    """Documents that were split."""
    documents: int
    """Documents that the run will split."""
    least_chunks: int
    most_chunks: int


@dataclass(frozen=True, slots=True)
class Plan:
    """Plan of an index run at the requested fallback level: settings, and counts of its work.

    Counts are exact, except for the seconds and, if `about` is set, `new`. With `estimate` all are estimates; the run
    counts for itself, and needs none of them to be right.

    `new`, `reused`, `held` and `removed` count vectors, of all levels alike.
    """

    name: str
    config: Config
    doc_ids: tuple[str, ...] | None
    """Documents to index; None: the whole workspace."""
    documents: int
    """Documents the index will hold."""
    chunks: int
    """Chunks it will hold, of level chunk."""
    vectors: int
    """Vectors it will hold, of all levels but parents, which are never searched; `new` plus `reused`."""
    new: int
    """Vectors that need the model: their text or, in late mode, document or context is not cached."""
    reused: int
    """Vectors that are cached, or equal to a new one of the same text."""
    held: int
    """Vectors in the current index of this name; 0 if there is none.

    Summaries of a RAPTOR tree that will be rebuilt do not count: the new tree's size is unknown before the run.
    """
    removed: int
    """Vectors of the current index that the new one drops: their text is gone, or the model changed."""
    unchanged: int
    """Documents whose chunks stay."""
    rebuild: bool
    """Settings, model or code have changed: all documents are split again, into a new table."""
    other_vector_index: bool
    """Settings of the vector index have changed: it is built again, over the rows that are there."""
    unknown_share: float
    """Share of words the model cannot read (0 to 1), from a sample."""
    unread: Mapping[str, float]
    """Share by language (`LanguageCheck.by_language`); the index's for languages of unchanged documents."""
    seconds_expected: float
    """From the speed of earlier runs in this workspace, or else a cautious guess."""
    seconds_loading: float = 0.0
    """Those of them for loading the model, as it took on this machine before; 0 if it is not needed."""
    warnings: tuple[str, ...] = ()
    """Sentences for the user."""
    failed: tuple[Failure, ...] = ()
    asked: FallbackLevel = FallbackLevel.MERGED
    """Fallback level that the settings ask for; after a failure the run continues at a lower one."""
    levels: Mapping[str, int] = field(default_factory=dict)
    """Rows of each level the index will hold, without a new RAPTOR tree's."""
    needs: RequestEstimate | None = None
    """Requests to the language model; None if it writes nothing."""
    encode: int = 0
    """Documents that late mode will encode, since their encodings are not cached."""
    about: bool = False
    """True if texts are generated during the run: `new` is then inexact, and excludes the RAPTOR tree.

    True as well with an `estimate`.
    """

    estimate: PlanEstimate | None = None
    """The sample that all counts were estimated from; None: they are exact, as far as `about` allows."""

    def rounded(self, count: int) -> int:
        """Round a count to three digits if it is an estimate, for display."""
        return rounded(count) if self.estimate else count

    @property
    def least_chunks(self) -> int:
        """Chunks that the index will hold at least, with 95 % confidence."""
        return self.estimate.least_chunks if self.estimate else self.chunks


OnPlan = Callable[[Plan], None]


@dataclass(frozen=True, slots=True)
class IndexReport:
    """Result of an index run, or of a dry one; the keys are those of `chunkscope index`."""

    documents: int
    chunks: int
    vectors: int
    """Vectors of all levels but parents; `embedded` plus `reused`."""
    embedded: int
    """Vectors that needed the model; rows with the same text count once."""
    reused: int
    """Vectors that did not need the model."""
    removed: int
    """Vectors of the index before that it no longer holds."""
    failed: tuple[Failure, ...]
    seconds: float
    fingerprint: str
    name: str
    fallback_level: FallbackLevel = FallbackLevel.MERGED
    """Fallback level of the run; if below the requested one, `reasons` say why."""
    reasons: tuple[str, ...] = ()
    levels: Mapping[str, int] = field(default_factory=dict)
    """Rows of each level in the index."""
    written: Mapping[str, int] = field(default_factory=dict)
    """Texts of this index by kind and writer, such as `{"context by llm": 40}`."""
    warnings: tuple[str, ...] = ()
    """Sentences from splitting, such as on a simpler strategy; similar ones are merged, with their number."""
    estimate: PlanEstimate | None = None
    """Of a dry run over many documents: the sample that its counts were estimated from."""

    def as_record(self) -> dict[str, Any]:
        """Return the record that `chunkscope index` prints: no warnings, many failures alike merged."""
        plain = {"levels": dict(self.levels), "written": dict(self.written), "reasons": list(self.reasons)}
        failed = [failure.as_record() for failure in merged_failures(self.failed)]
        record = {**asdict(self), **plain, "failed": failed, "seconds": round(self.seconds, 3)}
        del record["warnings"]
        if self.estimate is None:
            del record["estimate"]
        return record
