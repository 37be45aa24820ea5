"""A document's text and properties as a message, sent to the browser once and stored there by key."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from chunking.model import Block, BlockType, Document
from chunking.text.byte_caches import LARGEST_TEXT, MB, byte_cache
from chunking.viewing.labels import has_clock, page_word
from chunking.viewing.messages.bands import FLAG_BITS, FLAG_TEXTS
from chunking.viewing.messages.code_tokens import KINDS, block_tokens, code_blocks
from chunking.viewing.messages.packing import pack_columns, pack_json, steps

__all__ = ["TextMessage", "text_key", "text_message"]

_LOOKS = {BlockType.HEADING: "heading", BlockType.CODE: "code", BlockType.TABLE: "code"}
"""Looks of block types whose lines differ from running text."""


class TextMessage(NamedTuple):
    """Packed text and properties of a document for the browser."""

    doc: str
    """Key of the text."""
    text: str
    """Packed text."""
    looks: str
    """Digest of the facts: it changes with edits of the document."""
    facts: str
    """Packed facts: title, sections, code, tables and pages."""

    @property
    def text_data(self) -> dict[str, str]:
        """Message of the component `text`."""
        return {"doc": self.doc, "packed": self.text}

    @property
    def facts_data(self) -> dict[str, str]:
        """Message of the component `text_facts`."""
        return {"doc": self.doc, "looks": self.looks, "packed": self.facts}


@byte_cache(most=LARGEST_TEXT)
def text_key(text: str) -> str:
    """Return the key of a text in the browser: 16 hex digits of its hash."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def text_message(document: Document) -> TextMessage:
    """Pack the text of a document, and its sections, code, tables and pages."""
    facts = pack_json(_text_facts(document))
    looks = hashlib.sha256(facts.encode()).hexdigest()[:16]
    return TextMessage(text_key(document.text), pack_json(document.text), looks, facts)


def _text_facts(document: Document) -> dict[str, Any]:
    return {
        "title": document.title,
        "markdown": document.format == "markdown",
        "sections": [" › ".join(section.title_path) or section.title for section in document.sections],
        "blocks": [_look(document.text, block) for block in document.blocks if block.type in _LOOKS],
        "joins": [
            start
            for block in document.blocks
            if block.type is BlockType.TABLE
            for start in _joined_lines(document.text, block)
        ],
        "code": _code(document.text, code_blocks(document)),
        "pages": _page_starts(document),
        "pageWord": page_word(document.format),
        "clock": has_clock(document.format),
        "flags": [[FLAG_BITS[flag], sentence] for flag, sentence in FLAG_TEXTS.items()],
    }


def _look(text: str, block: Block) -> list[Any]:
    """Return [start, end, look] of a block; of a drawn table also the header's end and the delimiter."""
    delimiter = block.meta.get("delimiter")
    plain = delimiter is not None or "|" in text[block.start : block.end].partition("\n")[0]
    if block.type is BlockType.TABLE and plain and "cells" not in block.meta:  # other markup stands in its own columns
        return [block.start, block.end, "table", int(block.meta.get("header_end", block.start)), delimiter]
    return [block.start, block.end, _LOOKS[block.type]]


def _joined_lines(text: str, block: Block) -> Iterator[int]:
    """Yield the starts of lines that continue a table row: a quoted field contains line ends."""
    rows = block.meta.get("row_starts", ())
    if block.meta.get("delimiter") is None or not rows or '"' not in text[rows[0] : block.end]:
        return
    for first, after in zip(rows, [*rows[1:], block.end], strict=True):
        start = text.find("\n", first, after) + 1
        while 0 < start < after:
            yield start
            start = text.find("\n", start, after) + 1


@byte_cache(most=64 * MB)
def _code(text: str, blocks: tuple[tuple[int, int, str], ...]) -> dict[str, Any]:
    """Return the coloured spans of code as packed columns (gap, length, kind), and the names of the kinds."""
    tokens = list(block_tokens(text, blocks))
    starts, ends, kinds = (np.array([token[field] for token in tokens], np.int32) for field in range(3))
    return {
        "n": len(tokens),
        "columns": pack_columns([steps(starts), ends - starts, kinds], {}) if tokens else "",
        "kinds": KINDS,
    }


def _page_starts(document: Document) -> list[list[int]]:
    """Return [start, page] of each run of lines on one page; empty without pages."""
    changes = [[line.start, line.page] for line in document.locations]
    return [one for before, one in zip([[0, 0], *changes], changes, strict=False) if before[1] != one[1]]
