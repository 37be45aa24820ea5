"""The record of a build: its fallback level and reasons, and the fingerprints of its inputs.

full          all that the settings ask for: contexts and summaries by the LLM, the tree, late vectors, parents,
              larger sizes
contextual    contexts by rule instead of by the LLM, parents and larger sizes; no tree, no LLM
merged        chunks with their title path only
raw           the fragments of the parse, as they are
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum

from chunking.config import Config, Strategy
from chunking.model import BUILT_IN, Document
from chunking.splitting.strategies.custom_splitters import splitter_version
from chunking.versions import chunks_version

__all__ = ["BuildReport", "FallbackLevel", "chunk_fingerprint", "index_fingerprint"]

_DIGITS = 16


class FallbackLevel(StrEnum):
    """Fallback level of a build, from `full` (all that the settings ask for) down to `raw`."""

    FULL = "full"
    CONTEXTUAL = "contextual"
    MERGED = "merged"
    RAW = "raw"

    @property
    def place(self) -> int:
        """Position in the order of levels: 0 for `full`, 3 for `raw`."""
        return list(FallbackLevel).index(self)


@dataclass(frozen=True, slots=True)
class BuildReport:
    """Result of an index's last complete build, stored with the index: fallback level, rows, texts.

    Shown in the app and by `chunkscope indexes`.
    """

    asked: FallbackLevel = FallbackLevel.MERGED
    """Fallback level that the settings ask for."""
    ran: FallbackLevel = FallbackLevel.MERGED
    """Fallback level of the run; if below `asked`, `reasons` say why."""
    reasons: tuple[str, ...] = ()
    """Sentences, one for each level lost and each part that fell back (12 of 40 contexts by rule, say)."""
    levels: Mapping[str, int] = field(default_factory=dict)
    """Rows of each level (named in `chunking.model`); empty for indexes of earlier versions (chunks only)."""
    written: Mapping[str, int] = field(default_factory=dict)
    """Texts by kind and writer, such as `{"context by llm": 40, "summary by rules": 12}`."""
    writer_model: str = ""
    """Name of the LLM; empty if none wrote."""
    vector_index: str = ""
    """Kind and parameters of the vector index; empty if vectors are compared one by one."""
    vector_recall: float | None = None
    """Share (0 to 1) of the ten nearest that a search of it finds, on a sample of its own chunks; None if unknown."""
    tree: str = ""
    """The index's fingerprint when its RAPTOR tree was built; empty without a tree."""
    unread: Mapping[str, float] = field(default_factory=dict)
    """Share of words that the model cannot read, by language or script (`zh`, `CYRILLIC`, `other`).

    Empty if unknown, or in earlier versions.
    """
    languages: tuple[str, ...] = ()
    """Languages of its documents (BCP 47), in which full text was stemmed; empty if unknown, or in earlier versions."""

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | None) -> BuildReport:
        """Parse the output of `to_json`; missing fields, or all for None, have their defaults."""
        values = json.loads(text) if text else {}
        values = {name: values[name] for name in cls.__slots__ if name in values}
        for name in ("asked", "ran"):
            if name in values:
                values[name] = FallbackLevel(values[name])
        for name in ("reasons", "languages"):
            if name in values:
                values[name] = tuple(values[name])
        return cls(**values)


# -- fingerprints: equal ones, equal index


def chunk_fingerprint(config: Config, document: Document) -> str:
    """Return 16 hex digits over settings, splitting code and document, which decide its chunks.

    The settings include the model's name; the code includes the sources of a custom splitter. Equal for the boundaries
    on screen and in an index (law 5).
    """
    own = config.for_category(document.category)
    splitter = splitter_version(own.chunk.splitter) if own.chunk.strategy is Strategy.CUSTOM else ""
    digest = hashlib.sha256(f"{own.rows_fingerprint()} {chunks_version()}{splitter}\0".encode())
    for fact in (document.doc_id, document.title, document.format, document.text):
        digest.update(fact.encode("utf-8", "surrogatepass") + b"\0")
    if document.parser != BUILT_IN:
        digest.update(document.parser.encode() + b"\0")
    for block in document.blocks:
        digest.update(f"{block.type} {block.start} {block.end} {block.level} {sorted(block.meta.items())}\n".encode())
    for section in document.sections:
        digest.update(
            f"{section.section_id} {section.start} {section.end} {section.title_path}\n".encode(
                "utf-8", "surrogatepass"
            )
        )
    for span in document.left_out:
        digest.update(f"{span.start} {span.end}\n".encode())
    for pin in sorted(document.pins):
        digest.update(f"{pin.kind} {pin.start} {pin.end}\n".encode())
    for place in document.locations:
        box = place.bbox and tuple(map(float, place.bbox))  # 0 and 0.0 are one place
        digest.update(f"{place.start} {place.end} {place.page} {box}\n".encode())
    return digest.hexdigest()[:_DIGITS]


def index_fingerprint(fingerprints: Iterable[str]) -> str:
    """Return 16 hex digits over the fingerprints of an index's documents, in any order.

    >>> index_fingerprint(["a", "b"]) == index_fingerprint(["b", "a"])
    True
    """
    return hashlib.sha256("\n".join(sorted(fingerprints)).encode()).hexdigest()[:_DIGITS]
