"""What flows through the library: documents, their parts, and the chunks cut from them.

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
    "CHUNK",
    "CLUSTER",
    "DOCUMENT",
    "PARENT",
    "PINNED_OUT",
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

CHUNK = "chunk"
"""Level of what the size setting cuts: what is searched, or the children of parents."""
PARENT = "parent"
"""Level of whole neighbouring chunks of a section together, up to the parent size."""
SECTION = "section"
"""Level of a section's node: its summary."""
DOCUMENT = "document"
"""Level of a document's node: its summary."""
CLUSTER = "cluster"
"""Level of a node of the RAPTOR tree: the summary of chunks that are alike, of any document."""


def larger_level(multiple: int) -> str:
    """Level of the chunks of a larger size.

    >>> larger_level(2)
    'x2'
    """
    return f"x{multiple}"


Box = tuple[float, float, float, float]
"""Left, top, right, bottom as shares of a page's width and height, from its upper left corner (0 to 1)."""

_START, _END = attrgetter("start"), attrgetter("end")


class Span(NamedTuple):
    """A half-open range of characters of a document's text."""

    start: int
    """First character."""
    end: int
    """One past the last character."""


class Location(NamedTuple):
    """The place of a run of text in a paged source: a PDF line, a layout parser's fragment, a slide."""

    start: int
    """First character."""
    end: int
    """One past the last character."""
    page: int
    """1-based."""
    bbox: Box | None = None
    """Its box on that page; None where the format has pages (slides, sheets) but no places on them."""


class BlockType(StrEnum):
    """What a block is; the values appear in JSON, in the store and as colours on screen."""

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
    """What a person decided about the boundaries of a document; where two contradict each other, the one listed first
    holds.
    """

    LEAVE_OUT = "leave_out"
    """A span that belongs to no chunk; it has a reason."""
    SPLIT = "split"
    """A chunk ends here and another begins: no chunk, parent or larger chunk reaches over it."""
    KEEP = "keep"
    """A span that stands in one chunk, even where that makes it longer than the size."""
    MERGE = "merge"
    """No boundary here: where the strategy has one, it falls away or moves."""


class Flag(StrEnum):
    """What a reader of a chunk should know about how it was cut."""

    OVER_SIZE = "over_size"
    """Longer than the size: there is no place inside at which it could be cut."""
    OVER_MODEL_LIMIT = "over_model_limit"
    """The model reads only the beginning of the embedded text."""
    PREFIX_SHORTENED = "prefix_shortened"
    """The prefix would have taken more than half of the size and lost its front."""
    CODE_CUT = "code_cut"
    """Holds only a part of a code block."""
    TABLE_CUT = "table_cut"
    """Holds only some rows of a table."""
    QA_CUT = "qa_cut"
    """Holds only a part of a question-answer pair."""
    FALLBACK = "fallback"
    """The chosen strategy failed on this document; a simpler one made this chunk."""
    MEAN_OF_WINDOWS = "mean_of_windows"
    """Longer than the model reads: its vector is the mean of the vectors of its windows."""
    GENERATED = "generated"
    """A language model wrote a part of its prefix, its description or its summary."""
    DESCRIPTION_OVER_SIZE = "description_over_size"
    """Prefix and content fit the size; what is embedded does not, because of the description of a table or a
    placeholder.
    """
    DESCRIPTION_SHORTENED = "description_shortened"
    """The model's limit left no room for a part of a description, or for a placeholder; rows without one are embedded
    as cells.
    """
    KEPT_OVER_SIZE = "kept_over_size"
    """Longer than the size because it holds what was asked to be kept together."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, table ... of a document. Blocks are in order and do not overlap."""

    type: BlockType
    start: int
    end: int
    level: int | None = None
    """1 to 6 for headings."""
    line: int | None = None
    """Line of the source file on which it starts, 1-based, where the format has lines."""
    page: int | None = None
    """Page on which it starts, 1-based, where the format has pages."""
    bbox: Box | None = None
    """On that page, around all lines of the block that stand there."""
    meta: Mapping[str, Any] = field(default_factory=dict)
    """What the format knows: `language` of code, `depth` of a list, `rows` and `header_end` of a table, ..."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with everything under it, or the text before the first heading (level 0)."""

    section_id: str
    """`{doc_id}_sec{n}`, n counted from 0 in reading order."""
    parent_id: str | None
    """The section this one stands in; None at the top."""
    level: int
    """1 to 6, the heading's; 0 for text before the first heading."""
    title: str
    """The heading's label, cleaned of markup; made from the first words where there is no heading."""
    title_path: tuple[str, ...]
    """Cleaned titles from the top down to this one; empty where the title was made up."""
    start: int
    """Where the heading starts."""
    end: int
    """Where the next section of the same or a higher level starts (or the text ends)."""
    body_start: int
    """Where the text after the heading's own line(s) starts."""
    own_end: int
    """Where the first subsection starts, else `end`: the section's own text is [start, own_end)."""
    title_made: bool = False
    """True where there is no heading and `title` was made from the first words."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A span that belongs to no chunk, and why (law 2)."""

    start: int
    end: int
    reason: str


class Pin(NamedTuple):
    """A mark on the boundaries of a document, honoured by every strategy: see PinKind."""

    kind: PinKind
    start: int
    """First character; for a split or a merge the character before which the boundary stands."""
    end: int
    """One past the last character; the same as `start` for a split or a merge."""
    reason: str = ""
    """Why a span is left out."""


PINNED_OUT = "left out by hand"
"""Reason of a span that a pin leaves out without saying why."""


@dataclass(frozen=True, slots=True, repr=False)
class Document(Displayable):
    """A file, measured once: one canonical text, and blocks and sections with exact spans in it."""

    doc_id: str
    """From the path inside the workspace: `handbook/install.md` is `handbook_install`."""
    source: str
    """That path, with forward slashes."""
    text: str
    blocks: tuple[Block, ...]
    sections: tuple[Section, ...]
    title: str
    """Its only level-1 heading, else the title in the file's metadata, else the first heading, else the file's name, no
    ending.
    """
    hash: str
    """sha256 (hex) of the file's bytes."""
    updated_at: str
    """ISO 8601, UTC."""
    format: str
    """Name of the row of `parsing.FORMATS` that read it: `markdown`, `text`."""
    category: str = "doc"
    """api, doc, demo, faq ... from the path or a setting."""
    path_hierarchy: tuple[str, ...] = ()
    """The folders of `source`."""
    language: str = "und"
    """BCP 47: en, zh ..., und where there is too little text to tell."""
    encoding: str = "utf-8"
    """How the bytes were read."""
    doc_toc: str = ""
    """The outline: one line a section, two spaces of indent a level."""
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()
    """One sentence each, for the person who uploaded the file."""
    locations: tuple[Location, ...] = ()
    """Where the text stands on the pages: in order of `start` and apart; empty where the format has no pages."""
    page_count: int = 0
    """Pages, slides or sheets of the source; 0 where the format has none."""
    parent_id: str = ""
    """Of a file in another one, however deep it stands there: id of the outermost one's document. Else empty."""
    pins: tuple[Pin, ...] = ()
    """What people decided about its boundaries, in any order; they may overlap, contradict each other or lie outside of
    the text.
    """

    @property
    def omitted(self) -> tuple[LeftOut, ...]:
        """Every span that belongs to no chunk (law 2): what its reader left out, then what pins do.

        A word of which a pin has a part only stays in its chunk.
        """
        if not self.pins:
            return self.left_out
        length = len(self.text)
        spans = ((pin, max(pin.start, 0), min(pin.end, length)) for pin in self.pins if pin.kind is PinKind.LEAVE_OUT)
        pinned = (LeftOut(start, end, pin.reason or PINNED_OUT) for pin, start, end in spans if start < end)
        return (*self.left_out, *pinned)

    def locations_in(self, start: int, end: int) -> tuple[Location, ...]:
        """Those that hold a character of [start, end), in order."""
        first = bisect_right(self.locations, start, key=_END)
        after = bisect_left(self.locations, end, lo=first, key=_START)
        return self.locations[first:after]

    def section_at(self, offset: int) -> Section:
        """The innermost section that holds the character at `offset`.

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
    """Format, characters, sections, pages and language in words; empty where it has none."""
    return (
        document.format,
        quantity(len(document.text), "character"),
        quantity(len(document.sections), "section"),
        quantity(document.page_count, "page") if document.page_count else "",
        document.language if document.language != "und" else "",
    )


@dataclass(frozen=True, slots=True, repr=False)
class Chunk(Displayable):
    """A span of a document with everything retrieval needs to know about it.

    On the levels above (`level`) the fields mean the same; ids end in `_parent{n}`, `_x2_{n}`, `_sec{n}`, `_doc`, and
    `chunk_index` counts inside the level. Nodes of sections, documents and clusters have a `summary` in the place of
    `content`, which is empty; a cluster stands in no document: its `doc_id` is empty, its span 0 to 0, its id
    `cluster_{level}_{n}`.
    """

    chunk_id: str
    """`{doc_id}_chunk{n}`."""
    doc_id: str
    section_id: str
    parent_id: str
    """The paragraph parent where the configuration has parents, else the section."""
    chunk_index: int
    """0-based place in the document."""
    total_chunks: int
    prev_id: str | None
    next_id: str | None
    title_path: tuple[str, ...]
    content_type: str
    """Type of the block that fills most of it (see BlockType)."""
    prefix: str
    """Stands before the content where it is embedded and indexed; never part of the span. May be empty."""
    content: str
    """Exactly `document.text[start:end]`."""
    embedding_content: str
    """What the model reads: prefix and cleaned content."""
    token_count: int
    """Tokens of `embedding_content`, counted by the embedding model's tokenizer, without special tokens."""
    start: int
    end: int
    hash: str
    """sha256 (hex) of the normalised content: tells repeats and changes."""
    source_hint: str = ""
    """Such as `[Code] nginx`; empty for running text."""
    pages: tuple[int, ...] = ()
    """The page of each box of `bboxes`, in reading order; where the format has pages but no boxes, each page once."""
    bboxes: tuple[Box, ...] = ()
    """Where the content stands: a box a line of a PDF, or a fragment of a layout parser's output."""
    flags: tuple[Flag, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """The document's: file_path, relative_path, file_name, path_hierarchy, category, language, format, doc_toc. Its
    own: section_path, chunk_type, and `related_chunk_ids` where a large table is a chunk beside its text: each names
    the other."""
    description: str = ""
    """What its tables list, a sentence each, as in `embedding_content`; empty where it has none. The sentences of their
    rows have no word that the content lacks: to index them too was measured to be worse."""
    level: str = CHUNK
    children: tuple[str, ...] = ()
    """Ids of what it is made of, one level down: of chunks for a parent, a larger size or a section (whose subsections
    follow), of top sections for a document, of chunks or clusters for a cluster."""
    larger_ids: tuple[str, ...] = ()
    """Of a chunk: the larger ones it stands in, one a multiple of `granularities`, in their order."""
    summary: str = ""
    """Of a section, document or cluster: what stands for it, and is embedded."""
    written: str = ""
    """The part of the prefix that was written when the index was built (prefix summary or context); stands at its end,
    but before the header of a table."""

    @property
    def counted_text(self) -> str:
        """What the size limits: prefix, then content as it stands. Descriptions and placeholders, which are embedded,
        are not in it.
        """
        text = self.content or self.summary
        return f"{self.prefix}\n\n{text}" if self.prefix else text

    @property
    def indexed_text(self) -> str:
        """What the full-text index reads: the same, and the descriptions of tables."""
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
