"""Settings for splitting documents."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from chunking.config.choices import Keep, Prefix, Strategy, TableText, Unit
from chunking.config.pattern_settings import read_headings_from, read_split_before
from chunking.config.settings import Settings, heading_levels, knob, multiples, some_of
from chunking.glossary import term

__all__ = ["BASELINE_SPLITTING", "PLAIN_SPLITTING", "ChunkConfig"]

KeepList = Annotated[tuple[Keep, ...], BeforeValidator(some_of(Keep))]
Levels = Annotated[tuple[int, ...], BeforeValidator(heading_levels), Field(min_length=1)]
Multiples = Annotated[tuple[int, ...], BeforeValidator(multiples)]
HeadingPatterns = Annotated[str, BeforeValidator(read_headings_from)]
SplitPatterns = Annotated[str, BeforeValidator(read_split_before)]

PLAIN_SPLITTING: Mapping[str, str | int] = {
    "min_size": 0,
    "prefix": "none",
    "keep_whole": "none",
    "own_chunk": "none",
    "granularities": "none",
    "table_rows_limit": 100_000,
    "table_text": "cells",
}
"""Settings that leave chunks as a splitter makes them, without prefix, joining or other granularity."""
BASELINE_SPLITTING: Mapping[str, str] = {"strategy": "recursive", "size": "512", "overlap": "50", "prefix": "none"}
"""Settings of the usual way to split: recursive, with a size and an overlap common in examples."""


class ChunkConfig(Settings):
    """Settings for splitting documents."""

    strategy: Strategy = knob(
        Strategy.STRUCTURE,
        "Strategy",
        "How a document is split.",
    )
    unit: Unit = knob(
        Unit.TOKENS,
        "Size unit",
        "Unit of sizes: tokens of the embedding model's own tokenizer, or characters.",
    )
    size: int = knob(175, "Size", "Maximum size of a chunk, including its prefix.", unit="of unit", ge=16, le=8192)
    overlap: str = knob(
        "0",
        "Overlap",
        (
            f"{term('Overlap').line} At most an amount (32) or a share of the size (15%); it starts at a sentence "
            "where possible."
        ),
        unit="of unit, or %",
    )
    min_size: int | None = knob(
        None,
        "Minimum size",
        (
            "A smaller chunk joins the previous one under the same parent heading if the size allows. Empty: one "
            "eighth of the size."
        ),
        unit="of unit",
        detail=True,
        ge=0,
        le=8192,
    )
    prefix: Prefix = knob(
        Prefix.TITLE_PATH,
        "Prefix",
        (
            f"{term('Prefix').line} It is embedded and indexed, but never part of the chunk's span. "
            "header: the section's heading, on every chunk after the first. title_path: the headings above the "
            "chunk. document_title_path: the document's title, then the headings. file_title_path: the file's "
            "path, then the headings, which distinguishes documents of the same title. title_path_hint: the "
            "headings, then the main content of the section if that is code, a table or questions with answers, "
            "such as [Code] nginx. summary: a summary of the document, then the headings. context: the headings, "
            "then one or two sentences that place the chunk in its document (contextual retrieval)."
        ),
    )
    heading_levels: Levels = knob(
        (1, 2, 3, 4, 5, 6),
        "Split at headings",
        "Headings of these levels always start a new chunk.",
        detail=True,
        choices="123456",
    )
    headings_from: HeadingPatterns = knob(
        "",
        "Headings from",
        (
            "Regular expressions that make the start of a line a heading, each with its level in front: 2: "
            "^Article. Sections, title paths and prefixes follow. The match is the heading; the rest of the line "
            "is the text under it. Headings found by the parser stay. Separate patterns by ||; the name of a "
            "ready-made set means its patterns: chinese_statute, english_contract, questions."
        ),
        detail=True,
    )
    split_before: SplitPatterns = knob(
        "",
        "Split before",
        (
            "Regular expressions: a new chunk starts wherever one of them matches, whatever the strategy. "
            "Separate patterns by ||; the name of a ready-made set means its patterns: transcript, log."
        ),
        detail=True,
    )
    keep_whole: KeepList = knob(
        (Keep.CODE, Keep.TABLE, Keep.QA),
        "Keep whole",
        "Block types that are never split if they fit the size.",
        detail=True,
    )
    own_chunk: KeepList = knob((), "Isolate", "Block types that always get their own chunk.", detail=True)
    table_rows_limit: int = knob(
        20,
        "Isolate tables above",
        "A table with more rows than this gets its own chunks.",
        unit="rows",
        detail=True,
        ge=1,
        le=100_000,
    )
    table_text: TableText = knob(
        TableText.SENTENCES,
        "Table embedding",
        (
            "How a table is embedded. sentences: the subject of the table, then each row with its column names, "
            "up to the model's limit; these words do not count towards the size, and chunks that they push over "
            "it are flagged. cells: the table as it is written."
        ),
        detail=True,
    )

    parent_size: int = knob(
        0,
        "Parent size",
        (
            "Maximum size of a parent. A parent joins neighbouring chunks of a section; parent document and "
            "auto-merging retrieval return it instead of its chunks. 0: the whole section is the parent."
        ),
        unit="of unit",
        ge=0,
        le=8192,
    )
    granularities: Multiples = knob(
        (2,),
        "Granularities",
        (
            "Also index larger chunks (small-to-big), as multiples of the size; each is made of whole "
            "neighbouring chunks. With multi-granularity retrieval a chunk also scores through the larger ones "
            "that contain it. A multiple m adds about 1/m as many vectors."
        ),
        choices="2345678",
    )
    semantic_share: int = knob(
        80,
        "Breakpoint percentile",
        (
            "A chunk ends between two neighbouring sentences that differ more than this share of all "
            "neighbouring pairs. For strategy semantic."
        ),
        unit="%",
        detail=True,
        ge=50,
        le=99,
    )
    splitter: str = knob(
        "",
        "Splitter",
        (
            "The splitter of strategy custom: the name it was registered under, or one of another package, such "
            "as langchain:recursive."
        ),
        detail=True,
        max_length=100,
    )
    context_size: int = knob(
        48,
        "Context size",
        (
            "Room reserved in each chunk for text that enrichment adds when the index is built. For prefix "
            "summary or context."
        ),
        unit="tokens",
        detail=True,
        ge=8,
        le=400,
    )

    @field_validator("overlap", mode="before")
    @classmethod
    def _overlap_text(cls, value: object) -> object:
        text = (
            str(value).strip().replace(" ", "")
            if isinstance(value, (int, str)) and not isinstance(value, bool)
            else value
        )
        match = re.fullmatch(r"(\d{1,6})(%?)", text) if isinstance(text, str) else None
        if not match:
            raise ValueError(f"is '{value}'; give an amount such as 32 or a share such as 15%")
        return f"{int(match[1])}{match[2]}"

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.overlap_amount >= self.size:
            raise ValueError(
                f"overlap: is {self.overlap} and must be less than the size {self.size}; lower the overlap "
                f"or raise the size"
            )
        if self.min_size is not None and self.min_size > self.size:
            raise ValueError(
                f"min_size: is {self.min_size}, more than the size {self.size}; lower it or raise the size"
            )
        return self

    @property
    def overlap_amount(self) -> int:
        """Requested overlap in units of `unit`, shares rounded down."""
        number = int(self.overlap.rstrip("%"))
        return self.size * number // 100 if self.overlap.endswith("%") else number

    @property
    def min_amount(self) -> int:
        """Minimum size in units of `unit`; an eighth of the size if none is set."""
        return self.size // 8 if self.min_size is None else self.min_size
