"""What each technique is good for and what it costs, in the words of the form.

Costs are what a user feels: time of the run, space of the index, requests to a language model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from chunking.config import Config
from chunking.config.settings import Setting
from chunking.enrichment.enrichment_table import ENRICHMENTS
from chunking.retrieval.rerank.reranking import RERANKERS
from chunking.splitting.strategies.strategy_table import STRATEGIES

__all__ = ["SPOKEN", "TECHNIQUES", "Technique", "technique"]


class Technique(NamedTuple):
    """One choice of a setting, for people."""

    good_for: str
    cost: str


_NONE = "none"

TECHNIQUES: Mapping[tuple[str, str], Technique] = {
    **{("strategy", str(row.name)): Technique(row.good_for, row.cost) for row in STRATEGIES.values()},
    **{row.setting: Technique(row.good_for, row.cost) for row in ENRICHMENTS},
    **{("search.rerank", str(row.name)): Technique(row.good_for, row.cost) for row in RERANKERS.values()},
    ("prefix", "none"): Technique("self-explanatory texts", _NONE),
    ("prefix", "header"): Technique("long sections under meaningful headings", "a few tokens per chunk"),
    ("prefix", "title_path"): Technique("most texts: each chunk names its section", "a few tokens per chunk"),
    ("prefix", "document_title_path"): Technique(
        "many documents with the same headings", "a few more tokens per chunk"
    ),
    ("prefix", "file_title_path"): Technique(
        "documents with the same title, and meaningful file names", "a path per chunk"
    ),
    ("prefix", "title_path_hint"): Technique("searches for code, tables and questions", "a few more tokens per chunk"),
    ("embedding.mode", "standard"): Technique("most texts", "the model encodes every chunk"),
    ("embedding.mode", "late"): Technique(
        "trying many sizes: a new size needs no model run",
        "a first run takes twice as long; 0.8 KB per sentence; slightly lower recall",
    ),
    ("enrich.generator", "rules"): Technique("getting started, and working offline", "little time"),
    ("enrich.generator", "llm"): Technique("texts that rules cannot summarise", "requests, counted before the run"),
    ("parent_size", ""): Technique(
        "answers with their context, with Parent document or Auto-merging retrieval",
        "the text stored a second time, no vectors",
    ),
    ("granularities", ""): Technique(
        "facts that only make sense in context, with Multi-granularity retrieval", "at × 2, 50 % more vectors"
    ),
    ("index.tokenizer", "icu"): Technique("any language", _NONE),
    ("index.tokenizer", "ngram"): Technique("part numbers and parts of words", "three times the space of whole words"),
    ("index.tokenizer", "simple"): Technique("codes and logs", _NONE),
    ("index.vector_index", "auto"): Technique("most collections: exact while that is fast", _NONE),
    ("index.vector_index", "none"): Technique(
        "exact nearest neighbours", "30 ms per search at 50,000 chunks, growing with their number"
    ),
    ("index.vector_index", "ivf_sq"): Technique("from 50,000 chunks", "seconds to build; recall close to exact"),
    ("index.vector_index", "ivf_pq"): Technique(
        "millions of chunks in little space", "longer to build; the refine factor compensates for the loss"
    ),
    ("index.vector_index", "ivf_hnsw_sq"): Technique("many searches per second", "slow to build; needs more space"),
}
"""By setting and choice; the choice is empty where the setting is the technique. Strategies, rerankers and enrichments
have it in
their rows."""

SPOKEN = frozenset(key for key, _ in TECHNIQUES)
"""Settings of which something is said."""


def technique(setting: Setting, config: Config) -> list[Technique]:
    """What is said under a setting: of the technique, else of what is chosen.

    >>> from chunking.config import settings
    >>> by_key = {setting.key: setting for setting in settings()}
    >>> technique(by_key["strategy"], Config())[0].cost, technique(by_key["size"], Config())
    ('none', [])
    """
    value = setting.value(config)
    chosen = ["", *map(str, value)] if setting.many else ["", str(value)]
    return [TECHNIQUES[setting.key, one] for one in chosen if (setting.key, one) in TECHNIQUES]
