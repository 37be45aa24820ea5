"""What planning and running an index tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from chunking.config import Config
from chunking.store.index.build_record import FallbackLevel

if TYPE_CHECKING:
    from chunking.enrichment import RequestEstimate

__all__ = ["Cancel", "Failure", "IndexPhase", "IndexProgress", "IndexReport", "OnPlan", "OnProgress", "Plan"]


@dataclass(frozen=True, slots=True)
class Failure:
    """A document that could not be read or cut; the others were."""

    source: str
    error: str
    """One sentence."""

    def as_record(self) -> dict[str, str]:
        return asdict(self)


class IndexPhase(StrEnum):
    """What a run does, in this order; documents go through the middle ones a group at a time."""

    PREPARE = "prepare"
    """What is there is compared with what should be, and what has to be embedded is counted."""
    LOAD = "load"
    """The embedding model is loaded; not where no vector needs it."""
    SPLIT = "split"
    ENRICH = "enrich"
    """What is written about the chunks: contexts, summaries, tables."""
    EMBED = "embed"
    CLUSTER = "cluster"
    """The tree of summaries over all chunks."""
    FINISH = "finish"


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """How far a run is."""

    done: int
    """Chunks that are embedded or need not be."""
    total: int
    message: str
    step: int = 0
    """Of what is done over all documents after the last of them, from 1; 0 before that."""
    steps: int = 0
    phase: IndexPhase = IndexPhase.PREPARE
    fell: bool = False
    """Whether the message says why the run goes on at a lower fallback level."""
    seconds_left: float | None = None
    """About; None where nobody can say, as of the steps after the last document."""


OnProgress = Callable[[IndexProgress], None]
Cancel = Callable[[], bool]
"""Asked between batches; True stops the run."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Work of a run at the requested fallback level.

    Counted exactly, except for the seconds and, if `about` is set, `new`.

    `new`, `reused`, `held` and `removed` count vectors, of all levels alike.
    """

    name: str
    config: Config
    doc_ids: tuple[str, ...] | None
    """The documents to index; None: all of the workspace."""
    documents: int
    """Documents the index will hold."""
    chunks: int
    """Chunks it will hold, of level chunk."""
    vectors: int
    """Vectors it will hold: of its chunks and of all other levels but parents, which are returned and never searched.
    `new` and
    `reused` are all of them."""
    new: int
    """Those that need the model: no run has embedded their text with it, or, in late mode, encoded their document or
    what stands
    beside them."""
    reused: int
    """Those that do not: the vector is known, or is that of another new one with the same text."""
    held: int
    """Vectors that the index of this name holds now; 0 where there is none. The summaries of a RAPTOR tree that will be
    made anew
    count nowhere: how many the next one will have is not known before."""
    removed: int
    """Those of them that it will not hold: nothing in their document has their text, or the model is another one."""
    unchanged: int
    """Documents that are left as they are."""
    rebuild: bool
    """The settings, the model or the code have changed: all chunks are cut again, into a table that takes the old one's
    place.
    """
    unknown_share: float
    """Share of words the model cannot read (0 to 1), from a sample."""
    unread: Mapping[str, float]
    """The same by language (`LanguageCheck.by_language`); of languages that stand in unchanged documents alone as the
    index knows it.
    """
    seconds_expected: float
    """From the speed of earlier runs in this workspace, else from a cautious guess."""
    warnings: tuple[str, ...] = ()
    """One sentence each."""
    failed: tuple[Failure, ...] = ()
    asked: FallbackLevel = FallbackLevel.MERGED
    """The fallback level that the settings ask for; where something fails, the run continues at a lower one."""
    levels: Mapping[str, int] = field(default_factory=dict)
    """Rows of each level the index will hold; the RAPTOR tree's are not known before."""
    needs: RequestEstimate | None = None
    """What is asked of the language model; None where it writes nothing."""
    encode: int = 0
    """Documents that late mode will encode: those whose text it has not yet."""
    about: bool = False
    """True where texts are written during the run: then `new` is not exact, and has nothing of the RAPTOR tree's
    summaries.
    """


OnPlan = Callable[[Plan], None]


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What a run did; the keys are those of `chunkscope index`."""

    documents: int
    chunks: int
    vectors: int
    """Of chunks and all other levels but parents; `embedded` and `reused` are all of them."""
    embedded: int
    """Vectors that needed the model: of rows with the same text one."""
    reused: int
    """Vectors reused from the cache."""
    removed: int
    """Vectors that the index held before and holds no longer."""
    failed: tuple[Failure, ...]
    seconds: float
    fingerprint: str
    name: str
    fallback_level: FallbackLevel = FallbackLevel.MERGED
    """The one it ran on; lower than asked for where `reasons` say why."""
    reasons: tuple[str, ...] = ()
    levels: Mapping[str, int] = field(default_factory=dict)
    """Rows of each level in the index."""
    written: Mapping[str, int] = field(default_factory=dict)
    """Texts of this index by kind and writer, such as `{"context by llm": 40}`."""
    warnings: tuple[str, ...] = ()
    """What cutting the new documents said, such as that a simpler strategy was used; what is alike once, with a number.
    """

    def as_record(self) -> dict[str, Any]:
        """As `chunkscope index` prints it; the warnings it says beside."""
        plain = {"levels": dict(self.levels), "written": dict(self.written), "reasons": list(self.reasons)}
        failed = [failure.as_record() for failure in self.failed]
        record = {**asdict(self), **plain, "failed": failed, "seconds": round(self.seconds, 3)}
        del record["warnings"]
        return record
