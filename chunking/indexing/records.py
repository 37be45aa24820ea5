"""What planning and running an index tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from chunking.config import Config

__all__ = ["Cancel", "Failure", "IndexReport", "OnPlan", "OnProgress", "Plan", "Progress"]


@dataclass(frozen=True, slots=True)
class Failure:
    """A document that could not be read or cut; the others were."""

    source: str
    error: str
    """One sentence."""

    def as_record(self) -> dict[str, str]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is."""

    done: int
    """Chunks that are embedded or need not be."""
    total: int
    message: str


OnProgress = Callable[[Progress], None]
Cancel = Callable[[], bool]
"""Asked between batches; True stops the run."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would do; counted, not guessed, but for the seconds."""

    name: str
    config: Config
    doc_ids: tuple[str, ...] | None
    """The documents to index; None: all of the workspace."""
    documents: int
    """Documents the index will hold."""
    chunks: int
    """Chunks it will hold: `new` and `reused` together."""
    new: int
    """Different texts that no run has embedded with this model."""
    reused: int
    """Chunks whose vector is known, or is that of another new chunk with the same text."""
    removed: int
    """Chunks that are in the index now and will not be: no chunk of their document has their text."""
    unchanged: int
    """Documents that are left as they are."""
    rebuild: bool
    """The settings, the model or the code have changed: all chunks are cut again, into a table that takes the old one's place."""
    unknown_share: float
    """Share of tokens the model does not know (0 to 1), from a sample."""
    seconds_expected: float
    """From the speed of earlier runs in this workspace, else from a cautious guess."""
    warnings: tuple[str, ...] = ()
    """One sentence each."""
    failed: tuple[Failure, ...] = ()


OnPlan = Callable[[Plan], None]


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What a run did; the keys are those of `chunkscope index`."""

    documents: int
    chunks: int
    embedded: int
    """Texts that went through the model."""
    reused: int
    removed: int
    failed: tuple[Failure, ...]
    seconds: float
    fingerprint: str
    name: str

    def as_record(self) -> dict[str, Any]:
        """As `chunkscope index` prints it."""
        return asdict(self) | {"failed": [failure.as_record() for failure in self.failed], "seconds": round(self.seconds, 3)}
