"""One thing, one word: no text of the product uses a private word where the field has a term, and every help text
begins plainly.
"""

from __future__ import annotations

import re

import pytest

from chunking.config import settings
from chunking.config.settings import Setting
from tests.support.wording import ROOT, literals, product_sources

INSTEAD = {
    r"second looks?|looked at again": "reranking, reranker",
    r"put together|nothing to put": "fusion",
    r"look around": "expansion, neighbours",
    r"several sizes|larger sizes|also at \W*×\d*": "multi-granularity, granularities",
    r"results are parents|merge from": "parent document retrieval, auto-merging",
    r"drops? repeats?|repeats dropped|dropped as a repeat|dropping of repeats": "deduplicate",
    r"written about": "enrichment",
    r"rungs?|fallback ladder": "fallback level",
    r"by meaning|by words": "vector search, full-text search (in words only beside the term)",
    r"weight of (?:meaning|words|titles|larger|diversity)": "vector weight, title weight",
    r"words are told apart|words for full text": "full-text tokenizer",
    r"partitions searched": "nprobes",
    r"how the model is run": "inference",
    r"cluster trees?": "RAPTOR summary tree",
    r"late vectors": "late chunking",
    r"is the one to take": "recommended configuration",
    r"shown to be (?:worse|better)|chance explains": "statistically significant",
    r"may help": "suggestion",
    r"to tune with|tune and holdout part": "dev split, held-out split",
    r"ranked below the cut|cut off by the model|split by a boundary": "outranked, truncated, split",
    r"answers were missed|why questions failed": "failure analysis",
    r"find good ones": "successive halving",
    r"cut (?:again|otherwise)|cutters?|nothing to cut": "split, splitter",
    r"take it away|take away": "export",
    r"job line": "job",
}
"""Private words to the field's term, as in the project's glossary; only words that mean nothing else in a sentence of
the product.
"""

BESIDE_THE_TERM = re.compile(r"\b(?:vector|dense|full-text|hybrid)\b", re.IGNORECASE)
"""A text that names the term may say it in plain words, too."""
PLAIN_WORDS = ("by meaning", "by words")
STORED = "on the rung) {}"
"""How earlier versions wrote a sentence that is stored with an index, and is read still."""


def private_words(text: str) -> list[str]:
    """What a text should not say."""
    terms = [
        match[0] for pattern in INSTEAD for match in re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", text, re.IGNORECASE)
    ]
    return [word for word in terms if not (word.lower() in PLAIN_WORDS and BESIDE_THE_TERM.search(text))]


def test_the_words_are_those_of_the_field() -> None:
    """Labels of one word too, which the snapshot does not hold."""
    said = [
        f"{path.relative_to(ROOT)}:{line} says {word!r}: {text[:90]!r}"
        for path in product_sources()
        for text, line in literals(path.read_text(encoding="utf-8"))
        if not text.endswith(STORED)
        for word in private_words(text)
    ]
    assert said == []


def test_so_are_those_of_the_browser() -> None:
    """What scripts write on the screen stands between quotation marks."""
    quoted = re.compile(r"\"[^\"\n]*\"|`[^`\n]*`")
    said = [
        f"{path.relative_to(ROOT)} says {word!r}: {text[:90]}"
        for folder in ("components", "chunking")
        for path in sorted((ROOT / folder).rglob("*.js"))
        for text in quoted.findall(path.read_text(encoding="utf-8"))
        for word in private_words(text)
    ]
    assert said == []


@pytest.mark.parametrize(
    "text", ["A second look", "Search by words", "It stands on a rung", "Results: Several sizes", "also at **×2**"]
)
def test_a_private_word_is_found(text: str) -> None:
    """In any case, between any marks."""
    assert private_words(text)


@pytest.mark.parametrize(
    "text", ["Dense (vector) search, by meaning", "recut", "a wrung cloth", "Secondary looks", "byword"]
)
def test_what_means_something_else_is_not(text: str) -> None:
    """A plain line beside its term, and words that only look alike."""
    assert not private_words(text)


@pytest.mark.parametrize("setting", settings(), ids=lambda setting: setting.key)
def test_a_help_text_begins_with_a_plain_sentence(setting: Setting) -> None:
    """For who does not know the term on the label: what it is, before what its values are."""
    first = setting.help.split(". ")[0]
    assert first[:1].isupper(), first
    assert not re.match(r"\w+(?: \([^)]*\))?:\s", first), first
    assert len(first.split()) > 3
