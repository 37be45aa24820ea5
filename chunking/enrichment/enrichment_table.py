"""Table of enrichments, one row each.

`enricher.py` generates the texts; the form, the plan, live recall and the labels of runs read the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chunking.config import Config, Generator, Prefix

__all__ = ["ENRICHMENTS", "Enrichment"]

_PREFIX_GAP = "Generated summaries and contexts in prefixes are not simulated: live chunks carry their headings only."


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrichment:
    """An enrichment: the setting that turns it on, its prompt and cost, and texts about it."""

    setting: tuple[str, str]
    """Key and value that turn it on; the value is empty if the setting is a switch."""
    on: Callable[[Config], bool]
    """Return True if a configuration turns it on, ignoring overrides of categories."""
    good_for: str
    """Suitable texts or questions, as the end of a sentence."""
    cost: str
    """Cost that a user notices."""
    prompt: str
    """Key of its prompt for the language model."""
    settings: tuple[str, ...] = ()
    """Keys of settings that only apply if this enrichment, or another one that lists them, is on."""
    prefix_note: str = ""
    """Name of its text in a prefix, as the object of a sentence."""
    live_gap: str = ""
    """Sentence about what live recall does not simulate; empty if it changes no chunk."""
    run_label: str = ""
    """Its name in the label of an index; empty if another setting names it."""


ENRICHMENTS: Sequence[Enrichment] = (
    Enrichment(
        setting=("prefix", Prefix.SUMMARY.value),
        on=lambda config: config.chunk.prefix is Prefix.SUMMARY,
        good_for="many similar documents",
        cost="one summary per document",
        prompt="enrich.summary_prompt",
        settings=("context_size", "enrich.summary_size"),
        prefix_note="a document summary",
        live_gap=_PREFIX_GAP,
    ),
    Enrichment(
        setting=("prefix", Prefix.CONTEXT.value),
        on=lambda config: config.chunk.prefix is Prefix.CONTEXT,
        good_for="chunks that make little sense on their own",
        cost="one text per chunk: instant by rule, one request each by LLM",
        prompt="enrich.context_prompt",
        settings=("context_size",),
        prefix_note="a context",
        live_gap=_PREFIX_GAP,
    ),
    Enrichment(
        setting=("enrich.summaries", ""),
        on=lambda config: config.enrich.summaries,
        good_for="broad questions, with Hierarchical retrieval",
        cost="one vector per section",
        prompt="enrich.summary_prompt",
        settings=("enrich.summary_size",),
        run_label="summaries",
    ),
    Enrichment(
        setting=("enrich.raptor", ""),
        on=lambda config: config.enrich.raptor,
        good_for="questions that span many documents",
        cost="one vector per 7 chunks or so, and time to cluster",
        prompt="enrich.summary_prompt",
        settings=("enrich.summary_size", "enrich.raptor_levels", "enrich.raptor_threshold", "enrich.raptor_reduction"),
        run_label="RAPTOR summary tree",
    ),
    Enrichment(
        setting=("enrich.describe_tables", ""),
        on=lambda config: config.enrich.describe_tables and config.enrich.generator is Generator.LLM,
        good_for="tables that people ask about in prose",
        cost="one request per table",
        prompt="enrich.table_prompt",
        live_gap="Table descriptions by a language model are not simulated: live chunks have those by rule.",
    ),
)
