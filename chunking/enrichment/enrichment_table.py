"""The enrichments, a row each: texts written when an index is built.

What writes them stands in `enricher.py`; the form, the plan, live recall and the words about a run read the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chunking.config import Config, Generator, Prefix

__all__ = ["ENRICHMENTS", "Enrichment"]

_PREFIX_GAP = "Generated summaries and contexts in prefixes are not simulated: live chunks carry their headings only."


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrichment:
    """Something that is written about the texts."""

    setting: tuple[str, str]
    """The key and value that turn it on; the value is empty where the setting is a switch."""
    on: Callable[[Config], bool]
    """Whether a configuration asks for it, those of categories aside."""
    good_for: str
    """Which texts or questions it suits, as the end of a sentence."""
    cost: str
    """What a user feels of it."""
    prompt: str
    """Key of the prompt by which a language model writes it."""
    settings: tuple[str, ...] = ()
    """Keys of settings that say nothing unless it, or another that names them, is on."""
    prefix_note: str = ""
    """Of what stands in a prefix: what it is, as the object of a sentence."""
    live_gap: str = ""
    """What live recall does not follow of it, as a sentence; empty where it changes no chunk."""
    run_label: str = ""
    """In the line that says what is indexed; empty where another setting says it."""


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
