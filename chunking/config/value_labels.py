"""What the values of the settings are called on screen, where that is more than the value with spaces in it.

Open choices (strategies, retrieval modes, rerankers) say that themselves.
"""

from __future__ import annotations

from collections.abc import Mapping

from chunking.config.config import settings
from chunking.config.open_choice import OpenChoice, values_of

__all__ = ["value_label"]

_LABELS: Mapping[str, str] = {
    "qa": "Q&A",
    "late": "late chunking",
    "text": "full text",
    "fp32": "FP32",
    "bf16": "BF16",
    "icu": "ICU",
    "ngram": "n-gram (character pairs)",
    "ivf_sq": "IVF-SQ",
    "ivf_pq": "IVF-PQ",
    "ivf_hnsw_sq": "HNSW (IVF-HNSW-SQ)",
    "llm": "language model",
    "rules": "by rule",
    "umap": "UMAP",
    "pca": "PCA",
    "standardised": "z-score",
    "reciprocal_rank": "reciprocal rank (RRF)",
    "top_down": "top-down",
}
_OF_SETTINGS: Mapping[tuple[str, str], str] = {("index.vector_index", "none"): "flat (exact)"}
"""Values that another setting has under the same name."""


def value_label(key: str, value: str) -> str:
    """A value of the setting `key` as people call it, in lower case unless it is a name.

    >>> value_label("strategy", "custom"), value_label("index.vector_index", "none"), value_label("prefix", "title_path")
    ('custom', 'flat (exact)', 'title path')
    """
    kind = next((one.type for one in settings() if one.key == key), None)
    if kind is not None and issubclass(kind, OpenChoice) and value in values_of(kind):
        return kind(value).label
    return _OF_SETTINGS.get((key, value)) or _LABELS.get(value) or value.replace("_", " ")
