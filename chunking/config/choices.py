"""Enumerations of setting values, named as on the command line.

Strategies, retrieval modes and rerankers can be added from outside (`OpenChoice`). Such a choice has its label and its
help line where its name is defined; forms, help texts and tables of the documentation read them there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import Self, overload

from chunking.config.renamed_settings import RETIRED_VALUES
from chunking.errors import ConfigError
from chunking.plugins import RETRIEVAL_MODES, installed_rows

__all__ = [
    "ChoiceNames",
    "EmbeddingMode",
    "FullTextTokenizer",
    "Fusion",
    "Generator",
    "Keep",
    "OpenChoice",
    "Precision",
    "Prefix",
    "QuerySyntax",
    "Reduction",
    "Rerank",
    "Retrieval",
    "SearchMode",
    "Strategy",
    "TableText",
    "TreeSearch",
    "Unit",
    "VectorIndex",
    "values_of",
]

_ADDED: dict[type[StrEnum], dict[str, OpenChoice]] = {}
"""Added choices by enumeration and value."""


class OpenChoice(StrEnum):
    """An enumeration whose values have labels and help lines, extensible from outside.

    Iterating it gives the values of the library; `values_of` also those of installed packages and added ones.
    """

    _value_: str
    label: str
    """Name on screen, where the value stands alone."""
    line: str
    """Help line shown after the name and a colon, without a full stop."""

    def __new__(cls, value: str, label: str = "", line: str = "") -> Self:
        choice = str.__new__(cls, value)
        choice._value_ = value
        choice.label, choice.line = label or value.replace("_", " "), line
        return choice

    @classmethod
    def entry_points(cls) -> str:
        """Return the entry-point group whose rows' names are values too, or ""."""
        return ""

    @classmethod
    def outside(cls, value: str, label: str, line: str) -> Self:
        """Create a value from outside the library; the setting accepts it after `add`.

        Raises:
            ValueError: the library or `add` has a value of this name, or it is a former name of a value of any setting.
        """
        if value in RETIRED_VALUES:
            raise ValueError(f"'{value}' is a former name of another value of a setting; choose another name.")
        if value in (*cls, *_ADDED.get(cls, {})):  # not `values_of`: this may run while installed packages are loaded
            raise ValueError(f"A {cls.__name__.lower()} '{value}' already exists.")
        choice = str.__new__(cls, value)
        choice._value_, choice._name_ = value, value.upper()
        choice.label, choice.line = label, line
        return choice

    def add(self) -> Callable[[], None]:
        """Add this value to the setting; returns a function that removes it.

        An added value of the same name is replaced.
        """
        kind = type(self)
        _ADDED.setdefault(kind, {})[self.value] = self

        def undo() -> None:
            _ADDED[kind].pop(self.value, None)

        return undo

    @classmethod
    def _missing_(cls, value: object) -> OpenChoice | None:
        """Look up an added value; called by `Enum` for unknown values."""
        return next((one for one in (*_installed(cls), *_ADDED.get(cls, {}).values()) if one.value == str(value)), None)


def values_of(kind: type[StrEnum]) -> tuple[StrEnum, ...]:
    """Return the values of an enumeration, including those of installed packages and added ones.

    Raises:
        ConfigError: a value of an installed package cannot be loaded.
    """
    installed = _installed(kind) if issubclass(kind, OpenChoice) else ()
    return (*kind, *installed, *_ADDED.get(kind, {}).values())


def _installed(kind: type[OpenChoice]) -> tuple[OpenChoice, ...]:
    group = kind.entry_points()
    names = [row.name for row in installed_rows(group)] if group else []
    for name in names:
        if not isinstance(name, kind) or name in (*kind,):
            raise ConfigError(
                f"The entry point '{name}' of {group} needs a name made with {kind.__name__}.outside.",
                where=group,
            )
    return tuple(names)


class ChoiceNames(Sequence[str]):
    """A live sequence of an enumeration's values as text, for tables made at import."""

    def __init__(self, kind: type[StrEnum]) -> None:
        self._kind = kind

    def __len__(self) -> int:
        return len(values_of(self._kind))

    def __iter__(self) -> Iterator[str]:
        return (value.value for value in values_of(self._kind))

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        return list(self)[place]


class Strategy(OpenChoice):
    """Splitting strategies to choose from: structure-aware, recursive, by sentence, by page ..."""

    STRUCTURE = "structure", "structure-aware", "structure-aware, by section, then by block, sentence and word"
    RECURSIVE = "recursive", "recursive", "by blank line, line, sentence and word, ignoring headings"
    SENTENCE = "sentence", "sentence", "whole sentences, as many as fit"
    FIXED = "fixed", "fixed window", "windows of the full size, regardless of sentence boundaries"
    SEMANTIC = "semantic", "semantic", "where the meaning of neighbouring sentences changes most"
    PAGE = "page", "page", "one chunk per page, slide or sheet"
    ELEMENTS = "elements", "parsed elements", "parsed elements: every block as parsed"
    CUSTOM = "custom", "custom", "by your own splitter, or another package's, by name"


class Unit(StrEnum):
    TOKENS = "tokens"
    CHARACTERS = "characters"


class Prefix(StrEnum):
    NONE = "none"
    HEADER = "header"
    TITLE_PATH = "title_path"
    DOCUMENT_TITLE_PATH = "document_title_path"
    FILE_TITLE_PATH = "file_title_path"
    TITLE_PATH_HINT = "title_path_hint"
    SUMMARY = "summary"
    CONTEXT = "context"

    @property
    def written(self) -> bool:
        """True for prefixes with generated text (summary, context), for which room is reserved."""
        return self in (Prefix.SUMMARY, Prefix.CONTEXT)


class Keep(StrEnum):
    CODE = "code"
    TABLE = "table"
    QA = "qa"


class TableText(StrEnum):
    SENTENCES = "sentences"
    CELLS = "cells"


class EmbeddingMode(StrEnum):
    STANDARD = "standard"
    LATE = "late"


class Precision(StrEnum):
    AUTO = "auto"
    FP32 = "fp32"
    BF16 = "bf16"
    INT8 = "int8"


class FullTextTokenizer(StrEnum):
    ICU = "icu"
    NGRAM = "ngram"
    SIMPLE = "simple"


class VectorIndex(StrEnum):
    """Vector indexes to choose from: automatic, none (exact search), or a type of IVF."""

    AUTO = "auto"
    NONE = "none"
    IVF_SQ = "ivf_sq"
    IVF_PQ = "ivf_pq"
    IVF_HNSW_SQ = "ivf_hnsw_sq"


class Generator(StrEnum):
    """Who may generate contexts, summaries and table descriptions: rules or a language model."""

    RULES = "rules"
    LLM = "llm"


class Reduction(StrEnum):
    """Dimension reductions to choose from before clustering: automatic, UMAP or PCA."""

    AUTO = "auto"
    UMAP = "umap"
    PCA = "pca"


class SearchMode(StrEnum):
    HYBRID = "hybrid"
    VECTOR = "vector"
    TEXT = "text"


class QuerySyntax(StrEnum):
    """Query syntaxes to choose from: operators or plain language.

    `retrieval.query.query_parts` has a row for each.
    """

    OPERATORS = "operators"
    """A typed search: a quotation is a condition."""
    PLAIN = "plain"
    """Plain language: quotation marks are punctuation."""


class Retrieval(OpenChoice):
    """Retrieval modes to choose from; `retrieval.modes.retrieval_modes` has a row for each."""

    # Name, label and line stand here and not in the rows, because the command line, YAML files and the table of
    # settings read them
    # without the rows, whose functions import numpy and the store, and because this package is below `retrieval`.

    CHUNK = "chunk", "Chunks", "the chunks that were found"
    PARENT = "parent", "Parent document", "their parents, scored by the best child (parent document retrieval)"
    MERGE = (
        "merge",
        "Auto-merging",
        "a parent replaces its chunks once enough of them were found (auto-merging retrieval)",
    )
    HIERARCHICAL = "hierarchical", "Hierarchical", "chunks and summaries of them (summary tree)"
    MULTI_GRANULARITY = (
        "multi_granularity",
        "Multi-granularity",
        "chunks that also score through the larger ones that contain them (small-to-big)",
    )

    @classmethod
    def entry_points(cls) -> str:
        return RETRIEVAL_MODES


class TreeSearch(StrEnum):
    """Ways to search a summary tree: all levels together (collapsed) or from the top down."""

    COLLAPSED = "collapsed"
    TOP_DOWN = "top_down"


class Fusion(StrEnum):
    STANDARDISED = "standardised"
    RECIPROCAL_RANK = "reciprocal_rank"


class Rerank(OpenChoice):
    """Rerankers to choose from, listed in the order in which they run."""

    TITLE = "title", "title match", "results whose headings contain query words rank higher"
    LATE_INTERACTION = "late_interaction", "late interaction", "token by token, with the local model"
    CROSS_ENCODER = "cross_encoder", "cross-encoder", "the model below reads query and chunk together"
    DIVERSITY = "diversity", "diversity (MMR)", "results similar to higher-ranked ones rank lower (MMR)"
