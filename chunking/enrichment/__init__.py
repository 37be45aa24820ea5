"""What is written about the texts when an index is built: contexts, summaries, descriptions of tables.

enricher.py             all of it, for one document
chunk_contexts.py       where a chunk stands, by rule or by the model
summaries.py            of sections from the bottom up, then of the document; cluster_summaries.py: of the RAPTOR tree
table_descriptions.py   by the model
summary_nodes.py        sections, documents and clusters as rows of an index
by_rule/                whole sentences that stand for a text, and sentences of templates, in English and Chinese
by_llm/                 prompts, requests side by side, answers made plain: their words are data; how many requests
there will be
raptor/                 chunks that are alike, grouped and summarised again and again
"""

from __future__ import annotations

from chunking.enrichment.by_llm.enrichment_prompts import PROMPTS, Prompt, check_prompts
from chunking.enrichment.by_llm.llm_requests import TextCache
from chunking.enrichment.by_llm.request_estimate import RequestEstimate, estimate
from chunking.enrichment.enricher import Enriched, Enricher
from chunking.enrichment.summaries import cluster_texts
from chunking.enrichment.summary_nodes import tree_nodes

__all__ = [
    "PROMPTS",
    "Enriched",
    "Enricher",
    "Prompt",
    "RequestEstimate",
    "TextCache",
    "check_prompts",
    "cluster_texts",
    "estimate",
    "tree_nodes",
]
