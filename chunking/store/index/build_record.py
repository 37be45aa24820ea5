"""What was built, at which fallback level, and why not on a higher one; stored with an index.

full          everything asked for: contexts and summaries by the LLM, the tree, late vectors, parents, larger sizes
contextual    contexts by rule instead of by the LLM, parents and larger sizes; no tree, no LLM
merged        chunks with their title path only
raw           the fragments of the parse, as they are
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum

__all__ = ["BuildReport", "FallbackLevel"]


class FallbackLevel(StrEnum):
    """From the top down; each asks for less than the one above."""

    FULL = "full"
    CONTEXTUAL = "contextual"
    MERGED = "merged"
    RAW = "raw"

    @property
    def place(self) -> int:
        """0 at the top."""
        return list(FallbackLevel).index(self)


@dataclass(frozen=True, slots=True)
class BuildReport:
    """Facts of a finished run, told in the app and by `chunkscope indexes`."""

    asked: FallbackLevel = FallbackLevel.MERGED
    """The fallback level that the settings ask for."""
    ran: FallbackLevel = FallbackLevel.MERGED
    """The one it ran on; lower than `asked` where `reasons` say why."""
    reasons: tuple[str, ...] = ()
    """One sentence a fall, and one for each part that fell back by itself (12 of 40 contexts by rule, say)."""
    levels: Mapping[str, int] = field(default_factory=dict)
    """Rows of each level (named in `chunking.model`); empty for indexes of earlier versions, which hold chunks only."""
    written: Mapping[str, int] = field(default_factory=dict)
    """Texts by kind and writer, such as `{"context by llm": 40, "summary by rules": 12}`."""
    writer_model: str = ""
    """The LLM's name; empty where none wrote."""
    vector_index: str = ""
    """Kind and parameters of the vector index; empty where vectors are compared one by one."""
    tree: str = ""
    """The index's fingerprint when its RAPTOR tree was made; empty where it has none."""
    unread: Mapping[str, float] = field(default_factory=dict)
    """Share of words that the model cannot read, by language or script (`zh`, `CYRILLIC`, `other`); empty where no one
    knows, or in earlier
    versions."""

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | None) -> BuildReport:
        """Read what `to_json` wrote; what an earlier version wrote, or nothing, gives the defaults."""
        values = json.loads(text) if text else {}
        known = {name: values[name] for name in cls.__slots__ if name in values}
        for name in ("asked", "ran"):
            if name in known:
                known[name] = FallbackLevel(known[name])
        if "reasons" in known:
            known["reasons"] = tuple(known["reasons"])
        return cls(**known)
