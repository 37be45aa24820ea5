"""The values of the settings that have a few: each an enumeration, named as the command line names them."""

from __future__ import annotations

from enum import StrEnum

__all__ = [
    "EmbeddingMode",
    "FullTextTokenizer",
    "Fusion",
    "Keep",
    "Precision",
    "Prefix",
    "Reduction",
    "Rerank",
    "Retrieval",
    "SearchMode",
    "Strategy",
    "TableText",
    "TreeSearch",
    "Unit",
    "VectorIndex",
    "Writer",
]


class Strategy(StrEnum):
    STRUCTURE = "structure"
    RECURSIVE = "recursive"
    SENTENCE = "sentence"
    FIXED = "fixed"
    SEMANTIC = "semantic"
    PAGE = "page"
    FRAGMENTS = "fragments"
    OWN = "own"


class Unit(StrEnum):
    TOKENS = "tokens"
    CHARACTERS = "characters"


class Prefix(StrEnum):
    NONE = "none"
    HEADER = "header"
    TITLE_PATH = "title_path"
    DOCUMENT_TITLE_PATH = "document_title_path"
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


class Writer(StrEnum):
    """Who writes contexts, summaries and descriptions of tables."""

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


class Retrieval(StrEnum):
    """What a hit is."""

    CHUNK = "chunk"
    PARENT = "parent"
    MERGE = "merge"
    HIERARCHICAL = "hierarchical"
    MULTISIZE = "multisize"


class TreeSearch(StrEnum):
    """How a tree of summaries is searched."""

    COLLAPSED = "collapsed"
    TOP_DOWN = "top_down"


class Fusion(StrEnum):
    STANDARDISED = "standardised"
    RECIPROCAL_RANK = "reciprocal_rank"


class Rerank(StrEnum):
    """Second looks at the first candidates, in the order in which they are taken."""

    TITLE = "title"
    LATE_INTERACTION = "late_interaction"
    CROSS_ENCODER = "cross_encoder"
    DIVERSITY = "diversity"
