"""What every layer asks of plain text: where its sentences start, and what each of its characters is to a reader."""

from __future__ import annotations

from chunking.text.characters import Characters
from chunking.text.sentences import sentence_starts

__all__ = ["Characters", "sentence_starts"]
