"""Enrichment of documents when an index is built: contexts, summaries, table descriptions.

enricher.py             all enrichments of one document; the estimate of a run's requests
chunk_contexts.py       contexts of chunks, by rule or by the model; descriptions of tables, by the model
summaries.py            of sections from the bottom up, of the document, and of clusters of the RAPTOR tree
summary_nodes.py        sections, documents and clusters as rows of an index
extracts.py             summaries by rule; prose_sentences.py: the sentences they choose from
raptor.py               similar chunks, grouped and summarised level by level
enrichment_table.py     the enrichments, one row each
by_llm/                 prompts, parallel requests, plain answers
"""

from __future__ import annotations

from chunking.enrichment.by_llm.enrichment_prompts import PROMPTS, Prompt, check_prompts
from chunking.enrichment.by_llm.llm_requests import TextCache
from chunking.enrichment.enricher import Enriched, Enricher, RequestEstimate, estimate
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
