"""Where each setting stands in the form, and when it has something to say.

A newcomer sees the few that matter most; the others stand in named groups that open. A setting that no group names
stands
under "More settings", so that a new one is never lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from chunking.allowed import allowed
from chunking.config import Config
from chunking.config.choices import EmbeddingMode, Generator, Rerank, Strategy, VectorIndex
from chunking.config.settings import Setting
from chunking.enrichment.enrichment_table import ENRICHMENTS
from chunking.retrieval.modes.retrieval_modes import setting_applies
from chunking.retrieval.rerank.reranking import RERANKERS
from chunking.splitting.strategies.strategy_table import STRATEGIES

__all__ = ["APPLIES", "GROUPS", "MORE", "Group", "applies", "grouped"]


@dataclass(frozen=True, slots=True)
class Group:
    """Settings that belong together."""

    title: str
    """Empty: always in sight."""
    keys: tuple[str, ...]
    """Of the settings, in the order in which they stand."""
    line: str = ""
    """What the group is for, under its title."""

    @property
    def slug(self) -> str:
        """For the session key of its expander.

        >>> Group("Run limits", ()).slug
        'run_limits'
        """
        return self.title.lower().replace(" ", "_").replace(",", "")


MORE = Group("More settings", ())

GROUPS: tuple[Group, ...] = (
    Group("", ("strategy", "splitter", "semantic_share", "size", "overlap", "prefix", "context_size")),
    Group("", ("embedding.model", "embedding.mode", "embedding.late_window")),
    Group("", ("search.mode", "search.retrieval", "search.k", "search.vector_weight", "search.budget")),
    Group("", ("search.before", "search.after", "search.deduplicate")),
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
    """Whether an enrichment is on that a setting belongs to."""
    return lambda config: any(row.on(config) for row in ENRICHMENTS if key in row.settings)


def _prompted_by(key: str) -> Callable[[Config], bool]:
    """Whether a language model writes something by a prompt."""
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
"""Settings that say nothing unless another one is set, and whether it is; modes of retrieval name theirs, all others
always apply.
"""


def applies(setting: Setting, config: Config) -> bool:
    """False where nothing would come of a change of the setting."""
    test = APPLIES.get(setting.key)
    return (test is None or test(config)) and (setting.part != "search" or setting_applies(setting.name, config.search))


def grouped(shown: Sequence[Setting]) -> list[tuple[Group, list[Setting]]]:
    """The settings to show, group by group; groups of none are left out."""
    by_key = {setting.key: setting for setting in shown}
    rows = [(group, [by_key.pop(key) for key in group.keys if key in by_key]) for group in GROUPS]
    return [(group, settings) for group, settings in (*rows, (MORE, list(by_key.values()))) if settings]
