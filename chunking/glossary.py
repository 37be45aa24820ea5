"""Glossary: the terms that a reader of the interface must know, each with one plain line.

Settings, metrics, pages and the documentation take the line from here, so that a term is explained in the same words
everywhere. Terms of statistics are explained where they are used, under *Why?*.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["GLOSSARY", "Term", "term"]


class Term(NamedTuple):
    """A term of the interface."""

    name: str
    """The term as labels write it."""
    line: str
    """What it is, in one sentence without other terms of the field."""
    page: str
    """Page that shows the line under the term, as the navigation names it."""


GLOSSARY: tuple[Term, ...] = (
    Term("Chunk", "A piece of a document: what search finds, and what a language model is given to read.", "Home"),
    Term("Token", "A word or part of a word: the unit in which language models read and bill.", "Home"),
    Term("Baseline", "How most people split: what the rest is compared with.", "Home"),
    Term("Overlap", "Text that a chunk repeats from the one before.", "Chunks"),
    Term("Prefix", "Context before a chunk, such as its headings.", "Chunks"),
    Term("Index", "All chunks of your documents, prepared for search.", "Index"),
    Term("Hybrid search", "Vector search by meaning and full-text search by words, combined.", "Search"),
    Term("Question set", "Questions whose answers are known, to measure what search finds.", "Evaluate"),
    Term("Gold answer", "The passage of a document that answers a question.", "Evaluate"),
    Term("Recall", "How much of the answers’ text search finds, averaged over all questions.", "Tune"),
    Term("Context tokens", "Tokens sent to the language model per question: what an answer costs.", "Tune"),
    Term(
        "Recommended", "The settings to use: the cheapest that find as much as the best, within a small margin.", "Tune"
    ),
)
"""In the order in which a newcomer meets them; at most twelve."""

_BY_NAME = {one.name: one for one in GLOSSARY}


def term(name: str) -> Term:
    """Return the term with a name, which must exist.

    >>> term("Index").line
    'All chunks of your documents, prepared for search.'
    """
    return _BY_NAME[name]
