"""What flows through the library: documents, their parts, and the chunks cut from them.

All offsets are characters (code points) of `Document.text`, 0-based, half-open. Everything is frozen: a new
setting makes new chunks, it never edits old ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

__all__ = ["Block", "BlockType", "Chunk", "Document", "Flag", "LeftOut", "Section", "Span"]


class Span(NamedTuple):
    """A half-open range of characters of a document's text."""

    start: int
    """First character."""
    end: int
    """One past the last character."""


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
    bbox: tuple[float, float, float, float] | None = None
    """Left, top, right, bottom on that page as shares of its width and height (0 to 1)."""
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


@dataclass(frozen=True, slots=True)
class Document:
    """A file, measured once: one canonical text, and blocks and sections with exact spans in it."""

    doc_id: str
    """From the path inside the workspace: `handbook/install.md` is `handbook_install`."""
    source: str
    """That path, with forward slashes."""
    text: str
    blocks: tuple[Block, ...]
    sections: tuple[Section, ...]
    title: str
    """The first level-1 heading, else the title in the file's metadata, else the first heading, else the file's name, no ending."""
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


@dataclass(frozen=True, slots=True)
class Chunk:
    """A span of a document with everything retrieval needs to know about it."""

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
    """Tokens of prefix + content, counted by the embedding model's tokenizer, without special tokens."""
    start: int
    end: int
    hash: str
    """sha256 (hex) of the normalised content: tells repeats and changes."""
    source_hint: str = ""
    """Such as `[Code] nginx`; empty for running text."""
    pages: tuple[int, ...] = ()
    bboxes: tuple[tuple[float, float, float, float], ...] = ()
    flags: tuple[Flag, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """The document's: file_path, relative_path, file_name, path_hierarchy, category, language, doc_toc, section_path, chunk_type."""

    @property
    def indexed_text(self) -> str:
        """What the full-text index reads: prefix, then content as it stands."""
        return f"{self.prefix}\n\n{self.content}" if self.prefix else self.content
