"""What is known of a job that has left the queue: for operators, who see no name in it that only people of the
workspace see.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["EndedJob"]


@dataclass(frozen=True, slots=True)
class EndedJob:
    """One job, after its end."""

    kind: str
    """A key of `KINDS`."""
    person: str
    """Who started it."""
    address: str
    """Of its workspace."""
    outcome: str
    """As `Job.outcome`."""
    why: str
    """The limit that it was over, as a sentence; empty where it was over none."""
    seconds: float | None
    """That it ran; None where it never began."""
    at: float
    """When it ended, in seconds since 1970."""
