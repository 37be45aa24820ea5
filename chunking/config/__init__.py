"""Definitions of all settings: names, ranges, defaults, units and help texts.

The settings form, the command line's `--set`, the YAML file, the share link and the tables of the documentation are all
made from the fields of the models in this package. To add a setting, add a field.

>>> config = Config.from_settings({"size": "300", "overlap": "15%", "search.k": "10"})
>>> config.chunk.size, config.chunk.overlap_amount, config.search.k
(300, 45, 10)
>>> config.changed()
{'size': '300', 'overlap': '15%', 'search.k': '10'}
"""

from __future__ import annotations

from chunking.config.baseline import BASELINE, baseline_changes, baseline_of, is_baseline
from chunking.config.choices import (
    EmbeddingMode,
    FullTextTokenizer,
    Fusion,
    Generator,
    Keep,
    Precision,
    Prefix,
    QuerySyntax,
    Reduction,
    Rerank,
    Retrieval,
    SearchMode,
    Strategy,
    TableText,
    TreeSearch,
    Unit,
    VectorIndex,
)
from chunking.config.chunk_settings import BASELINE_SPLITTING, PLAIN_SPLITTING, ChunkConfig
from chunking.config.config import CompareConfig, Config, margin_setting, settings
from chunking.config.index_settings import (
    DEFAULT_MODEL,
    ENGLISH_MODEL,
    MULTILINGUAL_MODEL,
    REMOTE,
    EmbeddingConfig,
    EnrichConfig,
    IndexConfig,
    remote_name,
)
from chunking.config.search_settings import SearchConfig

__all__ = [
    "BASELINE",
    "BASELINE_SPLITTING",
    "DEFAULT_MODEL",
    "ENGLISH_MODEL",
    "MULTILINGUAL_MODEL",
    "PLAIN_SPLITTING",
    "REMOTE",
    "ChunkConfig",
    "CompareConfig",
    "Config",
    "EmbeddingConfig",
    "EmbeddingMode",
    "EnrichConfig",
    "FullTextTokenizer",
    "Fusion",
    "Generator",
    "IndexConfig",
    "Keep",
    "Precision",
    "Prefix",
    "QuerySyntax",
    "Reduction",
    "Rerank",
    "Retrieval",
    "SearchConfig",
    "SearchMode",
    "Strategy",
    "TableText",
    "TreeSearch",
    "Unit",
    "VectorIndex",
    "baseline_changes",
    "baseline_of",
    "is_baseline",
    "margin_setting",
    "remote_name",
    "settings",
]
