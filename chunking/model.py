"""Data model of the library: documents, their parts, and their chunks.

All offsets are characters (code points) of `Document.text`, 0-based, half-open. Everything is frozen: a new
setting makes new chunks, it never edits old ones.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from operator import attrgetter
from typing import Any, NamedTuple

from chunking.display import Displayable, one_line, quantity, summary_line

__all__ = [
    "BUILT_IN",
    "CHUNK",
    "CLUSTER",
    "DOCUMENT",
    "PARENT",
    "PINNED_OUT",
    "READ_OPTIONS",
    "SECTION",
    "Block",
    "BlockType",
    "Box",
    "Chunk",
    "Document",
    "Flag",
    "LeftOut",
    "Location",
    "Pin",
    "PinKind",
    "Section",
    "Span",
    "document_facts",
    "larger_level",
]

BUILT_IN = "built-in"
"""Parser of documents for which no other was chosen: the reader of their format."""

READ_OPTIONS = ("ocr", "comments")
"""Options of reading that a document records, so that its file can be read again in the same way."""

CHUNK = "chunk"
"""Level of ordinary chunks, which are searched or are the children of parents."""
PARENT = "parent"
"""Level of parents: neighbouring chunks of a section joined up to the parent size."""
SECTION = "section"
"""Level of a section's summary node."""
DOCUMENT = "document"
"""Level of a document's summary node."""
CLUSTER = "cluster"
"""Level of a RAPTOR node: the summary of a cluster of similar chunks, from any documents."""


def larger_level(multiple: int) -> str:
    """Return the name of the level of chunks that are `multiple` times as large.

    >>> larger_level(2)
    'x2'
    """
    return f"x{multiple}"


Box = tuple[float, float, float, float]
"""Left, top, right, bottom as shares (0 to 1) of a page's width and height, from its upper left."""

_START, _END = attrgetter("start"), attrgetter("end")


class Span(NamedTuple):
    """A half-open range of characters of a document's text."""

    start: int
    """First character."""
    end: int
    """One past the last character."""


class Location(NamedTuple):
    """The page position of a stretch of text: a PDF line, a layout parser's fragment, a slide."""

    start: int
    """First character."""
    end: int
    """One past the last character."""
    page: int
    """Page number, 1-based."""
    bbox: Box | None = None
    """Box in shares of the page (see `Box`); None if the format has pages without positions."""


class BlockType(StrEnum):
    """Type of a block; the values appear in JSON and in the store, and choose colours on screen."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    TABLE = "table"
    CODE = "code"
    QUOTE = "quote"
    IMAGE = "image"
    EQUATION = "equation"
    HTML = "html"
    QA = "qa"
    METADATA = "metadata"


class PinKind(StrEnum):
    """Kind of a pin; of contradictory pins the kind listed first wins."""

    LEAVE_OUT = "leave_out"
    """Exclude a span from all chunks, with a reason."""
    SPLIT = "split"
    """Force a boundary here: no chunk, parent or larger chunk crosses it."""
    KEEP = "keep"
    """Keep a span in one chunk, even over the size."""
    MERGE = "merge"
    """Forbid a boundary here: the strategy's boundary is removed or moves."""


class Flag(StrEnum):
    """Remark about a chunk, such as over the size, part of a table, or made by a fallback."""

    OVER_SIZE = "over_size"
    """Longer than the size: it contains no place to split at."""
    OVER_MODEL_LIMIT = "over_model_limit"
    """Longer than the model's limit: the model reads only the beginning of the embedded text."""
    PREFIX_SHORTENED = "prefix_shortened"
    """The beginning of the prefix was cut, because it took more than half of the size."""
    CODE_CUT = "code_cut"
    """Contains only a part of a code block."""
    TABLE_CUT = "table_cut"
    """Contains only some rows of a table."""
    QA_CUT = "qa_cut"
    """Contains only a part of a question-answer pair."""
    FALLBACK = "fallback"
    """The chosen strategy failed on this document; a simpler strategy made this chunk."""
    MEAN_OF_WINDOWS = "mean_of_windows"
    """Longer than the model's limit: its vector is the mean of the vectors of its windows."""
    GENERATED = "generated"
    """A language model wrote a part of its prefix, its description or its summary."""
    DESCRIPTION_OVER_SIZE = "description_over_size"
    """A table description or a placeholder takes the embedded text over the size."""
    DESCRIPTION_SHORTENED = "description_shortened"
    """The model's limit left no room for part of a description or a placeholder.

    Rows without description are embedded as cells.
    """
    KEPT_OVER_SIZE = "kept_over_size"
    """Longer than the size, because it contains a span pinned to be kept together."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, table ... of a document; blocks are in order and do not overlap."""

    type: BlockType
    start: int
    end: int
    level: int | None = None
    """Heading level, 1 to 6."""
    line: int | None = None
    """Line of the source file where the block starts, 1-based, if the format has lines."""
    page: int | None = None
    """Page where the block starts, 1-based, if the format has pages."""
    bbox: Box | None = None
    """Box around all lines of the block on that page."""
    meta: Mapping[str, Any] = field(default_factory=dict)
    """Further data: `language` of code, `depth` of a list, `rows` and `header_end` of a table, ..."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with everything under it, or the text before the first heading (level 0)."""

    section_id: str
    """`{doc_id}_sec{n}`, n counted from 0 in reading order."""
    parent_id: str | None
    """Id of the enclosing section; None at the top."""
    level: int
    """Level of the heading, 1 to 6; 0 for text before the first heading."""
    title: str
    """Text of the heading without markup; the first words where there is no heading."""
    title_path: tuple[str, ...]
    """Titles without markup from the top section down to this section; empty if the title was made up."""
    start: int
    """Offset of the heading."""
    end: int
    """Start of the next section of the same or a higher level, or the end of the text."""
    body_start: int
    """Start of the text after the heading's own line(s)."""
    own_end: int
    """Start of the first subsection, else `end`: the section's own text is [start, own_end)."""
    title_made: bool = False
    """True if there is no heading and `title` was made from the first words."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A span that belongs to no chunk, with the reason (law 2)."""

    start: int
    end: int
    reason: str


class Pin(NamedTuple):
    """A person's decision about a boundary or a span, obeyed by every strategy: see PinKind."""

    kind: PinKind
    start: int
    """First character; for a split or a merge the character after the boundary."""
    end: int
    """One past the last character; the same as `start` for a split or a merge."""
    reason: str = ""
    """Reason for leaving out a span."""


PINNED_OUT = "left out by hand"
"""Reason of a left-out span whose pin gives none."""


@dataclass(frozen=True, slots=True, repr=False)
class Document(Displayable):
    """A file as read: one canonical text, and blocks and sections with exact spans in it."""

    doc_id: str
    """Id made from the path in the workspace: `handbook/install.md` is `handbook_install`."""
    source: str
    """Path in the workspace, with forward slashes."""
    text: str
    blocks: tuple[Block, ...]
    sections: tuple[Section, ...]
    title: str
    """Title of the document.

    The only level-1 heading, else the title in the file's metadata, else the first heading, else the file name without
    its extension.
    """
    hash: str
    """sha256 (hex) of the file's bytes."""
    updated_at: str
    """Time of the last change, ISO 8601, UTC."""
    format: str
    """Name of the row of `parsing.FORMATS` that read the file: `markdown`, `text`."""
    category: str = "doc"
    """Category (api, doc, demo, faq ...) from the path or a setting."""
    path_hierarchy: tuple[str, ...] = ()
    """Folders of `source`."""
    language: str = "und"
    """BCP 47 language: en, zh ..., und if there is too little text to detect it."""
    encoding: str = "utf-8"
    """Character encoding of the file."""
    doc_toc: str = ""
    """The outline: one line per section, indented by two spaces per level."""
    left_out: tuple[LeftOut, ...] = ()
    """Spans left out by the reader or by edits, without those of pins (see `omitted`)."""
    warnings: tuple[str, ...] = ()
    """Warnings for the person who uploaded the file, one sentence each."""
    locations: tuple[Location, ...] = ()
    """Page positions of the text, ordered by `start` without overlap; empty if the format has no pages."""
    page_count: int = 0
    """Number of pages, slides or sheets of the source; 0 if the format has none."""
    parent_id: str = ""
    """Id of the outermost containing document, for a file inside another file; else empty."""
    pins: tuple[Pin, ...] = ()
    """Pins of the document in any order.

    They may overlap, contradict each other or lie outside of the text.
    """
    parser: str = BUILT_IN
    """Name of the row of `parsing.PARSERS` that read the file."""
    read_options: tuple[str, ...] = ()
    """Those of `READ_OPTIONS` with which the file was read."""

    @property
    def markup(self) -> str:
        """Format whose markup is in the text; empty if another parser than the built-in one wrote it."""
        return self.format if self.parser == BUILT_IN else ""

    @property
    def omitted(self) -> tuple[LeftOut, ...]:
        """Spans that belong to no chunk (law 2): first those of the reader, then those of pins.

        Spans of pins are clipped to the text; spans may overlap. Chunks leave out whole words only: a word that a pin
        covers in part stays, though its span here contains that part.
        """
        if not self.pins:
            return self.left_out
        length = len(self.text)
        spans = ((pin, max(pin.start, 0), min(pin.end, length)) for pin in self.pins if pin.kind is PinKind.LEAVE_OUT)
        pinned = (LeftOut(start, end, pin.reason or PINNED_OUT) for pin, start, end in spans if start < end)
        return (*self.left_out, *pinned)

    def locations_in(self, start: int, end: int) -> tuple[Location, ...]:
        """Return the page positions that overlap [start, end), in order."""
        first = bisect_right(self.locations, start, key=_END)
        after = bisect_left(self.locations, end, lo=first, key=_START)
        return self.locations[first:after]

    def section_at(self, offset: int) -> Section:
        """Return the innermost section at a character offset; past the end, the last section.

        Raises:
            IndexError: the document has no sections (its text is empty).
        """
        low, high = 0, len(self.sections)
        while low < high:
            middle = (low + high) // 2
            if self.sections[middle].start <= offset:
                low = middle + 1
            else:
                high = middle
        return self.sections[max(low - 1, 0)]

    def __repr__(self) -> str:
        return summary_line("Document", repr(self.doc_id), self.title, *document_facts(self))


def document_facts(document: Document) -> tuple[str, ...]:
    """Describe format, length, sections, pages and language, each as a phrase or empty."""
    return (
        document.format,
        quantity(len(document.text), "character"),
        quantity(len(document.sections), "section"),
        quantity(document.page_count, "page") if document.page_count else "",
        document.language if document.language != "und" else "",
    )


@dataclass(frozen=True, slots=True, repr=False)
class Chunk(Displayable):
    """A span of a document with its text, embedded text, section, pages, neighbours and flags.

    On the levels above (`level`) the fields mean the same; ids end in `_parent{n}`, `_x2_{n}`, `_sec{n}`, `_doc`, and
    `chunk_index` counts inside the level. Nodes of sections, documents and clusters have a `summary` in the place of
    `content`, which is empty; a cluster stands in no document: its `doc_id` is empty, its span 0 to 0, its id
    `cluster_{level}_{n}`.
    """

    chunk_id: str
    """Id: `{doc_id}_chunk{n}`."""
    doc_id: str
    section_id: str
    parent_id: str
    """Id of the paragraph parent if the configuration has parents, else of the section."""
    chunk_index: int
    """0-based position in the document."""
    total_chunks: int
    """Number of chunks of the document on this level."""
    prev_id: str | None
    """Id of the chunk before it in the document; None for the first."""
    next_id: str | None
    title_path: tuple[str, ...]
    content_type: str
    """Type of the block that fills most of the chunk (see BlockType)."""
    prefix: str
    """Text put before the content for embedding and indexing, outside of the span; may be empty."""
    content: str
    """Exactly `document.text[start:end]`."""
    embedding_content: str
    """Text that the model reads: prefix and cleaned content."""
    token_count: int
    """Tokens of `embedding_content`, counted by the embedding model's tokenizer, without special tokens."""
    start: int
    end: int
    hash: str
    """sha256 (hex) of the normalised content, for detecting duplicates and changes."""
    source_hint: str = ""
    """Hint about the content, such as `[Code] nginx`; empty for running text."""
    pages: tuple[int, ...] = ()
    """Page of each box of `bboxes`, in reading order; each page once if the format has pages but no boxes."""
    bboxes: tuple[Box, ...] = ()
    """Boxes of the content on its pages: one per PDF line or fragment of a layout parser's output."""
    flags: tuple[Flag, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Metadata of the document and of the chunk.

    Of the document: file_path, relative_path, file_name, path_hierarchy, category, language, format, doc_toc. Of the
    chunk: section_path, chunk_type, and `related_chunk_ids`, which links a large table and the text it belongs to.
    """
    description: str = ""
    """Description of the chunk's tables, as in `embedding_content`; may be empty.

    The sentences of rows add no word to the content: indexing them as well was measured to be worse.
    """
    level: str = CHUNK
    """CHUNK, PARENT, SECTION, DOCUMENT, CLUSTER, or `x2` and the like (see `larger_level`)."""
    children: tuple[str, ...] = ()
    """Ids of the nodes one level down.

    Chunks for a parent, a larger chunk or a section (then its subsections), top sections for a document, chunks or
    clusters for a cluster.
    """
    larger_ids: tuple[str, ...] = ()
    """Ids of the larger chunks that contain this chunk, one per multiple of `granularities`."""
    summary: str = ""
    """Summary of a section, document or cluster, which is embedded in its place."""
    written: str = ""
    """Generated part of the prefix (prefix summary or context).

    It is at the end of the prefix, but before a table header.
    """

    @property
    def counted_text(self) -> str:
        """Text that the size limits: prefix, and content or summary, without table descriptions."""
        text = self.content or self.summary
        return f"{self.prefix}\n\n{text}" if self.prefix else text

    @property
    def language(self) -> str:
        """Language of its document (BCP 47), which decides how its words are stemmed; empty if unknown."""
        return str(self.metadata.get("language", ""))

    @property
    def indexed_text(self) -> str:
        """Text of the full-text index: `counted_text` and the descriptions of tables."""
        return f"{self.counted_text}\n\n{self.description}" if self.description else self.counted_text

    def __repr__(self) -> str:
        span = f"{self.start:,}–{self.end:,}"
        level = self.level if self.level != CHUNK else ""
        return summary_line(
            "Chunk",
            repr(self.chunk_id),
            level,
            quantity(self.token_count, "token"),
            span,
            _quoted(self.content or self.summary),
        )


def _quoted(text: str) -> str:
    return f"“{one_line(text, 60)}”"
