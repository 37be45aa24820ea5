"""Settings of how a document is cut."""

from __future__ import annotations

import re
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from chunking.config.choices import Keep, Prefix, Strategy, TableText, Unit
from chunking.config.settings import Settings, heading_levels, knob, multiples, some_of

__all__ = ["ChunkConfig"]

KeepList = Annotated[tuple[Keep, ...], BeforeValidator(some_of(Keep))]
Levels = Annotated[tuple[int, ...], BeforeValidator(heading_levels), Field(min_length=1)]
Multiples = Annotated[tuple[int, ...], BeforeValidator(multiples)]


class ChunkConfig(Settings):
    """How a document is cut."""

    strategy: Strategy = knob(
        Strategy.STRUCTURE,
        "Strategy",
        "structure: by sections, then blocks, sentences, words. recursive: by blank lines, lines, sentences, words, blind to headings. "
        "sentence: whole sentences, as many as fit. fixed: a window of the full size, wherever it ends. semantic: where the meaning of "
        "neighbouring sentences changes most. page: a page, slide or sheet each. fragments: every block of the parse as it is. "
        "own: a splitter of yours, or of another package, by its name.",
    )
    unit: Unit = knob(Unit.TOKENS, "Size is counted in", "Tokens of the embedding model's own tokenizer, or characters.")
    size: int = knob(150, "Size", "Most that a chunk holds, its prefix included.", unit="of unit", ge=16, le=8192)
    overlap: str = knob(
        "0",
        "Overlap",
        "Most that a chunk repeats of the one before: an amount (32) or a share of the size (15%). It starts at a sentence where it can.",
        unit="of unit, or %",
    )
    min_size: int | None = knob(
        None,
        "Minimum size",
        "A smaller chunk joins the one before it under the same parent heading, where size allows. Empty: an eighth of the size.",
        unit="of unit",
        detail=True,
        ge=0,
        le=8192,
    )
    prefix: Prefix = knob(
        Prefix.TITLE_PATH,
        "Prefix",
        "Text put before a chunk where it is embedded and searched, never part of its span. header: the section's heading on its later "
        "chunks. title_path: the headings above it. document_title_path: the document's title, then the headings. summary: what the "
        "document is about, then the headings. context: the headings and one or two sentences that place the chunk in its document.",
    )
    heading_levels: Levels = knob(
        (1, 2, 3, 4, 5, 6), "Headings that split", "Levels of headings at which a new chunk always begins.", detail=True, choices="123456"
    )
    keep_whole: KeepList = knob(
        (Keep.CODE, Keep.TABLE, Keep.QA), "Keep whole", "Kinds of block that are not cut where they fit the size.", detail=True
    )
    own_chunk: KeepList = knob((), "Chunks of their own", "Kinds of block that always stand alone in a chunk.", detail=True)
    table_rows_limit: int = knob(
        20,
        "Table on its own above",
        "A table with more rows becomes chunks of its own.",
        unit="rows",
        detail=True,
        ge=1,
        le=100_000,
    )
    table_text: TableText = knob(
        TableText.SENTENCES,
        "Tables are embedded as",
        "sentences: what a table lists, then each row with the names of its columns, as far as the model's limit has room; the size does "
        "not count these words, and chunks that they make longer than it are flagged. cells: as it stands.",
        detail=True,
    )

    parent_size: int = knob(
        0,
        "Parents",
        "Neighbouring chunks of a section together make a parent of at most this size; search may return it in their place "
        "(retrieval parent and merge). 0: the section is the parent.",
        unit="of unit",
        ge=0,
        le=8192,
    )
    larger_sizes: Multiples = knob(
        (2,),
        "Larger sizes too",
        "Multiples of the size at which the text is indexed besides, each made of whole neighbouring chunks: retrieval multisize "
        "lets a chunk profit from the larger ones it stands in. Each costs as many vectors again, divided by the multiple.",
        choices="2345678",
    )
    semantic_share: int = knob(
        80,
        "Semantic breaks",
        "With strategy semantic: a chunk ends where two neighbouring sentences differ more than this share of all neighbours do.",
        unit="%",
        detail=True,
        ge=50,
        le=99,
    )
    splitter: str = knob(
        "",
        "Splitter",
        "With strategy own: the name under which it was registered, or one of another package, such as langchain:recursive.",
        detail=True,
        max_length=100,
    )
    written_size: int = knob(
        48,
        "Room for a context",
        "With prefix summary or context: what is kept free for the sentences that are written when the index is built.",
        unit="tokens",
        detail=True,
        ge=8,
        le=400,
    )

    @field_validator("overlap", mode="before")
    @classmethod
    def _overlap_text(cls, value: object) -> object:
        text = str(value).strip().replace(" ", "") if isinstance(value, (int, str)) and not isinstance(value, bool) else value
        match = re.fullmatch(r"(\d{1,6})(%?)", text) if isinstance(text, str) else None
        if not match:
            raise ValueError(f"is '{value}'; give an amount such as 32 or a share such as 15%")
        return f"{int(match[1])}{match[2]}"

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.overlap_amount >= self.size:
            raise ValueError(
                f"overlap: is {self.overlap}, which is not less than the size {self.size}; lower the overlap or raise the size"
            )
        if self.min_size is not None and self.min_size > self.size:
            raise ValueError(f"min_size: is {self.min_size}, more than the size {self.size}; lower it or raise the size")
        return self

    @property
    def overlap_amount(self) -> int:
        """The requested overlap in units of `unit`, shares rounded down."""
        number = int(self.overlap.rstrip("%"))
        return self.size * number // 100 if self.overlap.endswith("%") else number

    @property
    def min_amount(self) -> int:
        """The minimum size in units of `unit`."""
        return self.size // 8 if self.min_size is None else self.min_size
