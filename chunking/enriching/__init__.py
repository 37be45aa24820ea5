"""What is written about the texts when an index is built: contexts, summaries, descriptions of tables.

prompts.py      what a language model is asked, visible and replaceable
plain.py        what it answered, made plain and short: its words are data
asking.py       requests side by side, kept by hash; or only counted, for an estimate
sentences.py    the sentences of a document that a reader could meet alone
extractive.py   the ones that stand for the rest: near the middle, and different
wording.py      sentences by rule, in English and Chinese
contexts.py     where a chunk stands, by rule or by the model
summaries.py    of sections from the bottom up, then of the document
tables.py       descriptions of tables by the model
nodes.py        sections, documents and clusters as rows of an index
clusters.py     the summaries of the cluster tree
enricher.py     all of it, for one document
estimating.py   what a run would ask for, and what that costs
"""

from __future__ import annotations

from chunking.enriching.asking import TextCache
from chunking.enriching.clusters import cluster_texts
from chunking.enriching.enricher import Enriched, Enricher
from chunking.enriching.estimating import Needs, estimate
from chunking.enriching.nodes import tree_nodes
from chunking.enriching.prompts import PROMPTS, Prompt, check_prompts

__all__ = [
    "PROMPTS",
    "Enriched",
    "Enricher",
    "Needs",
    "Prompt",
    "TextCache",
    "check_prompts",
    "cluster_texts",
    "estimate",
    "tree_nodes",
]
