"""What a person has judged for a question besides its answers: passages that were read, and the pool that they came
from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Judged", "Pool"]


@dataclass(frozen=True, slots=True)
class Judged:
    """A passage that was judged for a question."""

    doc_id: str
    start: int
    end: int
    text: str
    """Exactly `document.text[start:end]`; finds the passage again when the document was read anew."""
    relevant: bool
    """It holds a gold answer; else it was judged not relevant."""

    def as_record(self) -> dict[str, Any]:
        """As plain values; `from_record` gives the same judgement back."""
        return {
            "doc_id": self.doc_id,
            "start": self.start,
            "end": self.end,
            "text": self.text,
            "relevant": self.relevant,
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Judged:
        """What `as_record` made.

        Raises:
            KeyError, TypeError, ValueError: it is something else.
        """
        return cls(
            str(record["doc_id"]),
            int(record["start"]),
            int(record["end"]),
            str(record["text"]),
            bool(record["relevant"]),
        )


@dataclass(frozen=True, slots=True)
class Pool:
    """The results that a question was labelled on: those of several configurations, put together (TREC pooling)."""

    depth: int
    """Results that were taken of each configuration."""
    configurations: int
    passages: int
    """Different passages that were found."""

    def as_record(self) -> dict[str, int]:
        """As plain values; `from_record` gives the same pool back."""
        return {"depth": self.depth, "configurations": self.configurations, "passages": self.passages}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Pool:
        """What `as_record` made.

        Raises:
            KeyError, TypeError, ValueError: it is something else.
        """
        return cls(int(record["depth"]), int(record["configurations"]), int(record["passages"]))
