"""What each technique is good for and what it costs, in the words of the form.

Costs are what a user feels: time of the run, space of the index, requests to a language model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from chunking.config import Config
from chunking.config.settings import Setting

__all__ = ["SPOKEN", "TECHNIQUES", "Technique", "technique"]


class Technique(NamedTuple):
    """One choice of a setting, for people."""

    good_for: str
    cost: str


_NONE = "none"

TECHNIQUES: Mapping[tuple[str, str], Technique] = {
    ("strategy", "structure"): Technique("texts with headings, lists, tables or code", _NONE),
    ("strategy", "recursive"): Technique("plain text; the usual way elsewhere, to compare with", _NONE),
    ("strategy", "sentence"): Technique("running prose", _NONE),
    ("strategy", "fixed"): Technique("comparing only: it cuts inside of sentences", _NONE),
    ("strategy", "semantic"): Technique("long prose without headings", "every document goes through the model once, also here"),
    ("strategy", "page"): Technique("slides and scans, where a page is a thought", _NONE),
    ("strategy", "fragments"): Technique("seeing what the parser found, piece by piece", "many small chunks"),
    ("strategy", "own"): Technique("rules that only you know, or another package's splitter to compare with", "what that splitter takes"),
    ("prefix", "none"): Technique("texts that explain themselves", _NONE),
    ("prefix", "header"): Technique("long sections under telling headings", "a few tokens of the size"),
    ("prefix", "title_path"): Technique("most texts: a chunk says where it stands", "a few tokens of the size"),
    ("prefix", "document_title_path"): Technique("many documents with the same headings", "a few more tokens of the size"),
    ("prefix", "summary"): Technique("many documents that are easily mistaken for each other", "a summary a document"),
    ("prefix", "context"): Technique("chunks that mean little alone", "a text a chunk: by rule at once, by LLM a request each"),
    ("embedding.mode", "standard"): Technique("most texts", "every chunk goes through the model"),
    ("embedding.mode", "late"): Technique(
        "trying many sizes: another one needs no model", "twice the time of the first run; 0.8 KB a sentence; a little less is found"
    ),
    ("enrich.writer", "rules"): Technique("a start, and work without a network", "little time"),
    ("enrich.writer", "llm"): Technique("texts that rules cannot sum up", "requests, counted before the run"),
    ("enrich.summaries", ""): Technique("broad questions, with results Chunks and summaries", "a vector a section"),
    ("enrich.raptor", ""): Technique("questions over many documents (RAPTOR)", "a vector for about 7 chunks; time to cluster"),
    ("enrich.describe_tables", ""): Technique("tables that are asked about in words", "a request a table"),
    ("parent_size", ""): Technique("answers with their surroundings, results Parents or Merged", "space for the text again, no vectors"),
    ("larger_sizes", ""): Technique(
        "facts that only their surroundings explain, results Several sizes", "at ×2 half as many vectors again"
    ),
    ("index.tokenizer", "icu"): Technique("any language", _NONE),
    ("index.tokenizer", "ngram"): Technique("part numbers and parts of words", "three times the space of the words"),
    ("index.tokenizer", "simple"): Technique("codes and logs", _NONE),
    ("index.vector_index", "auto"): Technique("most: exact while that is fast", _NONE),
    ("index.vector_index", "none"): Technique("finding the very nearest", "30 ms a search at 50,000 chunks, growing with them"),
    ("index.vector_index", "ivf_sq"): Technique("from 50,000 chunks", "seconds to build; finds nearly all"),
    ("index.vector_index", "ivf_pq"): Technique("millions of chunks in little space", "longer to build; refine makes up for its loss"),
    ("index.vector_index", "ivf_hnsw_sq"): Technique("many searches a second", "slow to build, and more space"),
    ("search.rerank", "title"): Technique("questions that name a section", _NONE),
    ("search.rerank", "late_interaction"): Technique("exact questions, word by word", "the candidates go through the model once"),
    ("search.rerank", "cross_encoder"): Technique("the best order, in English", "a second model; seconds without a graphics card"),
    ("search.rerank", "diversity"): Technique("collections that repeat themselves", _NONE),
}
"""By setting and choice; the choice is empty where the setting is the technique."""

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
