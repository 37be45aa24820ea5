"""What decides the chunks and vectors of a document, as 16 hex digits: equal fingerprints, equal index."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from chunking.config import Config, Strategy
from chunking.model import Document
from chunking.splitting.strategies.custom_splitters import splitter_version
from chunking.versions import chunks_version

__all__ = ["chunk_fingerprint", "index_fingerprint"]

_DIGITS = 16


def chunk_fingerprint(config: Config, document: Document) -> str:
    """16 hex digits over the settings that matter (the model's name among them), the version of the code that splits
    (of a splitter
    of the user's own its sources), and the document.

    The same for the boundaries on screen and those in an index (law 5).
    """
    own = config.for_category(document.category)
    splitter = splitter_version(own.chunk.splitter) if own.chunk.strategy is Strategy.CUSTOM else ""
    digest = hashlib.sha256(f"{own.fingerprint()} {chunks_version()}{splitter}\0".encode())
    for fact in (document.doc_id, document.title, document.format, document.text):
        digest.update(fact.encode("utf-8", "surrogatepass") + b"\0")
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
    """16 hex digits over the fingerprints of an index's documents, in any order.

    >>> index_fingerprint(["a", "b"]) == index_fingerprint(["b", "a"])
    True
    """
    return hashlib.sha256("\n".join(sorted(fingerprints)).encode()).hexdigest()[:_DIGITS]
