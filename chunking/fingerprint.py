"""What decides the chunks and vectors of a document, as 16 hex digits: equal fingerprints, equal index."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from chunking.config import Config, Strategy
from chunking.model import Document
from chunking.splitters import splitter_version

__all__ = ["chunk_fingerprint", "code_version", "cutting_code", "index_fingerprint"]

_DIGITS = 16


@lru_cache
def code_version(*packages: str) -> str:
    """16 hex digits over the sources of packages (or modules) of `chunking`, as they lie on disk.

    >>> code_version("cutting") == code_version("cutting") != code_version("parsing")
    True
    """
    digest = hashlib.sha256()
    for package in sorted(packages):
        place = Path(__file__).parent / package
        for path in sorted(place.rglob("*.py")) or [place.with_suffix(".py")]:
            digest.update(f"{package}/{path.name}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:_DIGITS]


def cutting_code() -> str:
    """Version of the code that decides where chunks begin and end, and what they say."""
    return code_version("context", "cutting", "outline", "parsing")


def chunk_fingerprint(config: Config, document: Document) -> str:
    """16 hex digits over the settings that matter (the model's name among them), the code that cuts (a splitter of
    the user's own too), and the document.

    The same for the boundaries on screen and those in an index (law 5).
    """
    own = config.for_category(document.category)
    splitter = splitter_version(own.chunk.splitter) if own.chunk.strategy is Strategy.OWN else ""
    digest = hashlib.sha256(f"{own.fingerprint()} {cutting_code()}{splitter}\0".encode())
    for fact in (document.doc_id, document.title, document.format, document.text):
        digest.update(fact.encode("utf-8", "surrogatepass") + b"\0")
    for block in document.blocks:
        digest.update(f"{block.type} {block.start} {block.end} {block.level} {sorted(block.meta.items())}\n".encode())
    for section in document.sections:
        digest.update(f"{section.section_id} {section.start} {section.end} {section.title_path}\n".encode("utf-8", "surrogatepass"))
    for span in document.left_out:
        digest.update(f"{span.start} {span.end}\n".encode())
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
