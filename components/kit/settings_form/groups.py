"""Groups of the settings form, the conditions of each setting, and the costs of techniques.

A newcomer sees the few settings that matter most; the others are in named groups that open. A setting in no group is
under "More settings".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from chunking.allowed import allowed
from chunking.config import Config
from chunking.config.choices import EmbeddingMode, Generator, Rerank, Strategy, VectorIndex
from chunking.config.settings import Setting
from chunking.enrichment.enrichment_table import ENRICHMENTS
from chunking.retrieval.modes.retrieval_modes import setting_applies
from chunking.retrieval.ranking.reranking import RERANKERS
from chunking.splitting.strategies.strategy_table import STRATEGIES

__all__ = ["APPLIES", "GROUPS", "MORE", "SPOKEN", "TECHNIQUES", "TERMS", "Group", "applies", "grouped", "technique"]


@dataclass(frozen=True, slots=True)
class Group:
    """A group of the settings form: title, keys of its settings, and purpose."""

    title: str
    """Empty: always in sight."""
    keys: tuple[str, ...]
    """Keys of the settings, in order."""
    line: str = ""
    """Purpose of the group, under its title."""

    @property
    def slug(self) -> str:
        """Last part of its expander's session key.

        >>> Group("Run limits", ()).slug
        'run_limits'
        """
        return self.title.lower().replace(" ", "_").replace(",", "")


TERMS: Mapping[str, str] = {"overlap": "Overlap", "prefix": "Prefix"}
"""Setting key to its term in the glossary, whose line a slim form shows under the field."""

MORE = Group("More settings", ())

GROUPS: tuple[Group, ...] = (
    Group("", ("size", "overlap", "prefix", "context_size", "strategy", "splitter", "semantic_share")),
    Group("", ("embedding.model", "embedding.mode", "embedding.late_window")),
    Group("", ("search.mode", "search.retrieval", "search.k", "search.vector_weight", "search.budget")),
    Group("", ("search.before", "search.after", "search.cut", "search.trim", "search.deduplicate")),
    Group(
        "Patterns",
        ("headings_from", "split_before"),
        "Headings and boundaries at matches of your regular expressions, such as 第…条 or Section 1.2.",
    ),
    Group(
        "Parents and granularities",
        ("parent_size", "granularities"),
        "Small chunks are easy to find, larger ones good to read: index both (small-to-big).",
    ),
    Group(
        "Headings, tables and code",
        ("heading_levels", "keep_whole", "own_chunk", "table_rows_limit", "table_text"),
        "Blocks that are never split, and places where a chunk must start.",
    ),
    Group("Size unit and minimum", ("unit", "min_size")),
    Group(
        "Enrichment",
        (
            *("enrich.generator", "enrich.summaries", "enrich.raptor", "enrich.describe_tables", "enrich.summary_size"),
            *("enrich.raptor_levels", "enrich.raptor_threshold", "enrich.raptor_reduction"),
            *("enrich.context_prompt", "enrich.summary_prompt", "enrich.table_prompt"),
        ),
        (
            "Contexts, summaries and table descriptions, generated when the index is built and searched along "
            "with the text."
        ),
    ),
    Group(
        "Run limits",
        ("enrich.time_limit", "enrich.memory_limit"),
        "Time and memory limits at which a run continues at a lower fallback level.",
    ),
    Group(
        "Full-text and vector index",
        (
            "index.tokenizer",
            "index.vector_index",
            "index.vector_index_rows",
            "index.partitions",
            "index.m",
            "index.ef_construction",
        ),
        "How text is split into words, and how large numbers of vectors are searched.",
    ),
    Group(
        "Inference",
        (
            "embedding.precision",
            "embedding.query_prefix",
            "embedding.passage_prefix",
            "embedding.batch_tokens",
            "embedding.allow_download",
        ),
    ),
    Group(
        "Reranking",
        ("search.rerank", "search.rerank_model", "search.rerank_depth", "search.title_boost", "search.diversity"),
        "The best candidates are compared with the query again, more closely, and reordered.",
    ),
    Group(
        "Retrieval details", ("search.granularity_weight", "search.merge_share", "search.tree", "search.across_parents")
    ),
    Group("Candidates and fusion", ("search.fusion", "search.candidates", "search.min_similarity")),
    Group(
        "Vector search: nprobes and refine",
        ("search.probes", "search.refine", "search.ef_search"),
        "Speed against recall. Applies only where the index has a vector index: from 50,000 chunks by default.",
    ),
)


def _by_model(config: Config) -> bool:
    return config.enrich.generator is Generator.LLM


def _written_with(key: str) -> Callable[[Config], bool]:
    """Return a test whether an enrichment with this setting is on."""
    return lambda config: any(row.on(config) for row in ENRICHMENTS if key in row.settings)


def _prompted_by(key: str) -> Callable[[Config], bool]:
    """Return a test whether a language model writes something with this prompt."""
    return lambda config: _by_model(config) and any(row.on(config) for row in ENRICHMENTS if row.prompt == key)


def _split_by(*names: Strategy) -> Callable[[Config], bool]:
    return lambda config: config.chunk.strategy in names


def _reranked_by(*names: Rerank) -> Callable[[Config], bool]:
    return lambda config: any(name in config.search.rerank for name in names)


APPLIES: Mapping[str, Callable[[Config], bool]] = {
    **{name: _split_by(row.name) for row in STRATEGIES.values() for name in row.settings},
    **{key: _written_with(key) for row in ENRICHMENTS for key in row.settings},
    **{row.prompt: _prompted_by(row.prompt) for row in ENRICHMENTS},
    "embedding.late_window": lambda config: config.embedding.mode is EmbeddingMode.LATE,
    "embedding.allow_download": lambda config: allowed().everything or allowed().downloads,
    "enrich.describe_tables": _by_model,
    "index.vector_index_rows": lambda config: config.index.vector_index is VectorIndex.AUTO,
    "index.partitions": lambda config: config.index.vector_index is not VectorIndex.NONE,
    "index.m": lambda config: config.index.vector_index is VectorIndex.IVF_HNSW_SQ,
    "index.ef_construction": lambda config: config.index.vector_index is VectorIndex.IVF_HNSW_SQ,
    "search.rerank_depth": lambda config: bool(config.search.rerank),
    **{f"search.{name}": _reranked_by(row.name) for row in RERANKERS.values() for name in row.settings},
}
"""Setting key to a test whether it has any effect; modes of retrieval name their own, all others always apply."""


def applies(setting: Setting, config: Config) -> bool:
    """True if a change of the setting can have an effect."""
    test = APPLIES.get(setting.key)
    return (test is None or test(config)) and (setting.part != "search" or setting_applies(setting.name, config.search))


def grouped(shown: Sequence[Setting]) -> list[tuple[Group, list[Setting]]]:
    """Return non-empty groups with their settings, in order; ungrouped ones are in `MORE`."""
    by_key = {setting.key: setting for setting in shown}
    rows = [(group, [by_key.pop(key) for key in group.keys if key in by_key]) for group in GROUPS]
    return [(group, settings) for group, settings in (*rows, (MORE, list(by_key.values()))) if settings]


class Technique(NamedTuple):
    """Strength and cost of one choice of a setting."""

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
"""Techniques by setting and choice; the choice is empty if the setting is the technique. Those of strategies, rerankers
and enrichments come from their rows."""

SPOKEN = frozenset(key for key, _ in TECHNIQUES)
"""Settings with a technique."""


def technique(setting: Setting, config: Config) -> list[Technique]:
    """Return strength and cost of a setting: its own, or those of its chosen values.

    >>> from chunking.config import settings
    >>> by_key = {setting.key: setting for setting in settings()}
    >>> technique(by_key["strategy"], Config())[0].cost, technique(by_key["size"], Config())
    ('none', [])
    """
    value = setting.value(config)
    chosen = ["", *map(str, value)] if setting.many else ["", str(value)]
    return [TECHNIQUES[setting.key, one] for one in chosen if (setting.key, one) in TECHNIQUES]
