"""Records of index runs: plan, progress, failures and report."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from chunking.config import Config
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
    "merge_similar",
]

_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Failure:
    """File that could not be read, or document that could not be split, with the reason."""

    source: str
    error: str
    """Reason as one sentence."""

    def as_record(self) -> dict[str, str]:
        return asdict(self)


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


@dataclass(frozen=True, slots=True)
class Plan:
    """Plan of an index run at the requested fallback level: settings, and counts of its work.

    Counts are exact, except for the seconds and, if `about` is set, `new`.

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
    """True if texts are generated during the run: `new` is then inexact, and excludes the RAPTOR tree."""


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

    def as_record(self) -> dict[str, Any]:
        """Return the record that `chunkscope index` prints, without the warnings."""
        plain = {"levels": dict(self.levels), "written": dict(self.written), "reasons": list(self.reasons)}
        failed = [failure.as_record() for failure in self.failed]
        record = {**asdict(self), **plain, "failed": failed, "seconds": round(self.seconds, 3)}
        del record["warnings"]
        return record


def merge_similar(warned: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Merge sentences that differ only in their document into the first of them, with their number.

    Args:
        warned: source of the document, and the sentence.
    """
    groups: dict[str, list[str]] = {}
    for source, sentence in warned:
        groups.setdefault(_NUMBER.sub("", sentence.replace(source, "")), []).append(sentence)
    for some in groups.values():
        yield some[0] if len(some) == 1 else f"{some[0]} ({len(some):,} documents)"
