"""What a user takes away: configuration, chunks, code, question sets with results, and a report."""

from __future__ import annotations

__all__: list[str] = []
