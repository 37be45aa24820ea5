"""The values of the settings that have a few: each an enumeration, named as the command line names them."""

from __future__ import annotations

from enum import StrEnum

from chunking.config.open_choice import OpenChoice
from chunking.plugins import RETRIEVAL_MODES

__all__ = [
    "EmbeddingMode",
    "FullTextTokenizer",
    "Fusion",
    "Generator",
    "Keep",
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
]


class Strategy(OpenChoice):
    """How a document is split."""

    STRUCTURE = "structure", "structure-aware", "structure-aware, by section, then by block, sentence and word"
    RECURSIVE = "recursive", "recursive", "by blank line, line, sentence and word, ignoring headings"
    SENTENCE = "sentence", "sentence", "whole sentences, as many as fit"
    FIXED = "fixed", "fixed window", "windows of the full size, regardless of the text"
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
        """A part of it is written when the index is built; cutting keeps room for it."""
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


class FullTextTokenizer(StrEnum):
    ICU = "icu"
    NGRAM = "ngram"
    SIMPLE = "simple"


class VectorIndex(StrEnum):
    """What finds near vectors."""

    AUTO = "auto"
    NONE = "none"
    IVF_SQ = "ivf_sq"
    IVF_PQ = "ivf_pq"
    IVF_HNSW_SQ = "ivf_hnsw_sq"


class Generator(StrEnum):
    """What generates contexts, summaries and table descriptions."""

    RULES = "rules"
    LLM = "llm"


class Reduction(StrEnum):
    """How vectors lose dimensions before they are clustered."""

    AUTO = "auto"
    UMAP = "umap"
    PCA = "pca"


class SearchMode(StrEnum):
    HYBRID = "hybrid"
    VECTOR = "vector"
    TEXT = "text"


class QuerySyntax(StrEnum):
    """How the text of a query is read; `retrieval.query_parts` has a row for each."""

    OPERATORS = "operators"
    """A typed search: a quotation is a condition."""
    PLAIN = "plain"
    """Plain language: quotation marks are punctuation."""


class Retrieval(OpenChoice):
    """What a result is; what each does stands in `retrieval.modes.retrieval_modes`."""

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
    """How a tree of summaries is searched."""

    COLLAPSED = "collapsed"
    TOP_DOWN = "top_down"


class Fusion(StrEnum):
    STANDARDISED = "standardised"
    RECIPROCAL_RANK = "reciprocal_rank"


class Rerank(OpenChoice):
    """How the first candidates are reranked, in the order in which they are taken."""

    TITLE = "title", "title match", "results whose headings contain query words rank higher"
    LATE_INTERACTION = "late_interaction", "late interaction", "token by token, with the local model"
    CROSS_ENCODER = "cross_encoder", "cross-encoder", "the model below reads query and chunk together"
    DIVERSITY = "diversity", "diversity (MMR)", "results similar to earlier ones rank lower (MMR)"
