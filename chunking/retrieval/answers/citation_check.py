"""Whether the passages that a sentence cites say what it says, as far as words, quotes and numbers can tell.

The rule, in its order. A sentence is *not supported* where

1. it cites a passage that there is not,
2. it quotes words that no cited passage has,
3. it has a number (in digits) that no cited passage has, in digits or as a word, or
4. hardly any of its telling words stand in any few neighbouring sentences of a cited passage.

It is *supported* where most of them do, and sentence and passage agree in whether something is denied. Everything
between, and a
sentence in another script than its passages, is *not checked*: no model is asked, and nothing is guessed. A sentence
without a citation
is told as such. What the rule cannot see is a change of meaning by words that the passage has: who does what to whom.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from chunking.model import Span
from chunking.retrieval.answers.cited_sentences import CitedSentence
from chunking.retrieval.query.query_terms import content_parts, unspaced_runs, word_stem
from chunking.retrieval.results.search_result import ContextSource
from chunking.text.folding import fold
from chunking.text.sentences import sentence_starts

__all__ = ["ENOUGH", "HARDLY", "Check", "Support", "check_sentence"]

ENOUGH = 0.6
"""Share of the letters of a sentence's telling words from which on it is supported."""
HARDLY = 0.2
"""... and up to which it is not."""
_WINDOW = 3
"""Neighbouring sentences of a passage that are looked at together."""
_FEWEST = 2
"""Telling words below which a share says nothing."""
_LONGEST = 2_000
"""Characters of a sentence that are looked at."""

_QUOTED = re.compile(r"\"([^\"]{4,})\"|“([^”]{4,})”|「([^」]{2,})」|『([^』]{2,})』|`([^`]{2,})`")
_NUMBER = re.compile(r"\d[\d,.]*\d|\d")
_DENIED = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot)\b|n['’]t\b|[不没無无未非勿]|禁止", re.IGNORECASE
)
_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_NUMBER_WORDS = {
    **{word: str(number) for number, word in enumerate(_WORDS)},
    **{"once": "1", "twice": "2", "half": "0.5", "dozen": "12", "hundred": "100", "thousand": "1000"},
}
_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(_NUMBER_WORDS)})\b", re.IGNORECASE)
_CHINESE = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_CHINESE_NUMBER = re.compile("[零〇一二两三四五六七八九十百]+")


class Support(StrEnum):
    """What became of a sentence."""

    SUPPORTED = "supported"
    UNSUPPORTED = "not supported"
    UNCHECKED = "not checked"
    UNCITED = "no citation"


@dataclass(frozen=True, slots=True)
class Check:
    """What is known of a sentence and its citations."""

    support: Support
    reason: str
    """One sentence, for the person who reads the answer."""
    places: Mapping[int, Span]
    """Number of a cited passage to the sentences in it that come nearest, in characters of its document; none where
    nothing of it comes
    near, and of a summary, which is no text of a document."""


def check_sentence(sentence: CitedSentence, sources: Sequence[ContextSource]) -> Check:
    """Hold a sentence against the passages that it cites.

    Args:
        sources: all passages of the context.
    """
    if not sentence.numbers:
        return Check(Support.UNCITED, "It cites no passage.", {})
    by_number = {source.number: source for source in sources}
    cited = [by_number[number] for number in sentence.numbers if number in by_number]
    text = sentence.text[:_LONGEST]
    wanted = _terms(text)
    near = {source.number: _nearest(source.text, wanted) for source in cited}
    places = {source.number: _place(source, near[source.number]) for source in cited}
    shown = {number: span for number, span in places.items() if span is not None}
    unknown = [number for number in sentence.numbers if number not in by_number]
    support, reason = (
        (Support.UNSUPPORTED, f"There is no passage {unknown[0]}.") if unknown else _judged(text, wanted, cited, near)
    )
    return Check(support, reason, shown)


@dataclass(frozen=True, slots=True)
class _Near:
    """The sentences of a passage that hold most of a sentence."""

    share: float
    start: int
    end: int


def _judged(
    text: str, wanted: Mapping[str, int], cited: Sequence[ContextSource], near: Mapping[int, _Near]
) -> tuple[Support, str]:
    whole = "\n".join(source.text for source in cited)
    if missing := next((quote for quote in _quotes(text) if _plain(quote) not in _plain(whole)), ""):
        return Support.UNSUPPORTED, f"The cited passage does not contain the quoted words “{_short(missing)}”."
    known = _numbers(whole, words=True)
    if missing := next((number for number in _numbers(text) if number not in known), ""):
        return Support.UNSUPPORTED, f"The cited passage does not contain the number {missing[:20]}."
    if bool(unspaced_runs(text)) != bool(unspaced_runs(whole)):
        return (
            Support.UNCHECKED,
            "Sentence and passage are in different languages, so their words could not be compared.",
        )
    if len(wanted) < _FEWEST:
        return Support.UNCHECKED, "It has too few words to compare."
    best = max(cited, key=lambda source: near[source.number].share)
    found = near[best.number]
    if found.share <= HARDLY:
        return Support.UNSUPPORTED, f"Only {found.share:.0%} of its words stand together in a cited passage."
    if found.share < ENOUGH:
        return Support.UNCHECKED, f"{found.share:.0%} of its words stand together in a cited passage: too few to tell."
    if bool(_DENIED.search(text)) != bool(_DENIED.search(best.text[found.start : found.end])):
        return Support.UNCHECKED, "Its words stand in a cited passage, but only one of the two denies something."
    return (
        Support.SUPPORTED,
        f"{found.share:.0%} of its words stand together in a cited passage, with all its numbers and quotes.",
    )


def _nearest(text: str, wanted: Mapping[str, int]) -> _Near:
    """The shortest run of neighbouring sentences with the largest share of the words."""
    starts = [*_starts(text), len(text)]
    held = [_held(text[start:end], wanted) for start, end in pairwise(starts)]
    total = sum(wanted.values())
    best = _Near(0.0, 0, 0)
    for size in range(1, _WINDOW + 1):
        for first in range(len(held) - size + 1):
            share = (
                sum(wanted[term] for term in frozenset().union(*held[first : first + size])) / total if total else 0.0
            )
            if share > best.share:
                best = _Near(share, starts[first], starts[first + size])
    return best


def _starts(text: str) -> list[int]:
    """Where sentences and lines begin that are not empty; the first at 0."""
    lines = [found.end() for found in re.finditer(r"\n\s*", text)]
    return sorted({0, *sentence_starts(text).tolist(), *(at for at in lines if at < len(text))})


def _place(source: ContextSource, near: _Near) -> Span | None:
    if len(source.text) != source.end - source.start or near.end <= near.start:
        return None
    kept = source.text[near.start : near.end].rstrip()
    return Span(source.start + near.start, source.start + near.start + len(kept))


def _terms(text: str) -> dict[str, int]:
    """What of a sentence is looked for, each with its weight: stems by their letters, pairs of Chinese characters."""
    words, runs = content_parts(text)
    found = {stem: min(len(stem), 12) for word in words if not word.isdigit() for stem in [word_stem(word)] if stem}
    return found | {run[at : at + 2]: 2 for run in runs for at in range(len(run) - 1)}


def _held(text: str, wanted: Mapping[str, int]) -> frozenset[str]:
    return frozenset(term for term in _terms(text) if term in wanted)


def _quotes(text: str) -> Iterator[str]:
    for found in _QUOTED.finditer(text):
        yield "".join(found.groups(default=""))


def _plain(text: str) -> str:
    return " ".join(fold(text).casefold().split()).strip(" .,;:!?。，；：！？")


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59].rstrip()}…"


def _numbers(text: str, *, words: bool = False) -> Iterable[str]:
    """The numbers of a text in one spelling: 1,000 and 1000 are one, and so are 2.50 and 2.5.

    Args:
        words: those that are written as words as well.
    """
    found = [_spelled(number) for number in _NUMBER.findall(text)]
    if words:
        found += [_NUMBER_WORDS[word.lower()] for word in _NUMBER_WORD.findall(text)]
        found += [str(number) for run in _CHINESE_NUMBER.findall(text) if (number := _chinese(run)) is not None]
    return found


def _spelled(number: str) -> str:
    plain = re.sub(r",(?=\d{3}(?!\d))", "", number).replace(",", ".")
    whole, _, rest = plain.partition(".")
    rest = rest.rstrip("0") if "." not in rest else rest
    return f"{whole.lstrip('0') or '0'}{'.' if rest else ''}{rest}"


def _chinese(run: str) -> int | None:
    """A Chinese numeral under a thousand; None for digits in a row, which are no number.

    >>> [_chinese(run) for run in ("十二", "二十", "三百零五", "一二")]
    [12, 20, 305, None]
    """
    total = digit = 0
    last = ""
    for letter in run:
        if letter in "十百":
            total += (digit or 1) * (10 if letter == "十" else 100)
            digit = 0
        elif last and last not in "十百零〇":
            return None
        else:
            digit = _CHINESE[letter]
        last = letter
    return total + digit
