"""Laws 1 to 3 of splitting, for documents of any format."""

from __future__ import annotations

import itertools

from chunking import chunk_document
from chunking.model import Document


def check_cutting(document: Document) -> None:
    """Assert that chunks are exact slices, cover all visible text that is not left out, and ascend."""
    chunks = chunk_document(document)
    covered = bytearray(len(document.text))
    for span in (*chunks, *document.left_out):
        covered[span.start : span.end] = b"x" * (span.end - span.start)
    assert all(document.text[chunk.start : chunk.end] == chunk.content for chunk in chunks)
    assert all(covered[place] or character.isspace() for place, character in enumerate(document.text))
    assert all(one.start < two.start and one.end < two.end for one, two in itertools.pairwise(chunks))
