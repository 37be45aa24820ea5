"""Check a sentence against the passages it cites, by words, quotes and numbers.

The rule, in order. A sentence is *not supported* if

1. it cites a passage that does not exist,
2. it quotes words that no cited passage has,
3. it has a number (in digits) that no cited passage has, in digits or as a word, or
4. hardly any of its content words occur in any few neighbouring sentences of a cited passage.

It is *supported* if most of them do, and sentence and passage agree in negation. Everything between, and a sentence in
another script than its passages, is *not checked*: no model is asked, and nothing is guessed. The rule cannot see a
change of meaning in words that the passage has: who does what to whom.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from chunking.model import Span
from chunking.retrieval.query.query_terms import content_parts, unspaced_runs, word_stem
from chunking.retrieval.results.search_result import ContextSource
from chunking.text.folding import fold
from chunking.text.sentences import sentence_starts

__all__ = ["ENOUGH", "HARDLY", "Check", "CitedSentence", "Support", "check_sentence", "cited_sentences"]

ENOUGH = 0.6
"""Minimum share of the letters of its content words for a supported sentence."""
HARDLY = 0.2
"""Maximum share for an unsupported sentence."""
_WINDOW = 3
"""Neighbouring sentences of a passage compared at once."""
_FEWEST = 2
"""Minimum content words for a meaningful share."""
_LONGEST = 2_000
"""Maximum characters of a sentence that are checked."""

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

_NUMBERS = r"[\[【]\s*\d{1,4}(?:\s*[,，;；]\s*\d{1,4})*\s*[\]】]"
_CITATION = re.compile(_NUMBERS)
_AFTER_STOP = re.compile(rf"([.!?…。！？][\"'”’」』)）]*)(\s*)((?:{_NUMBERS}\s*)+)")
"""Citations after the full stop of their sentence, which would otherwise begin the next one."""
_SPACE_BEFORE_STOP = re.compile(r"\s+(?=[.,;:!?…。，；：！？](?:\s|$|[\"'”’」』)）]))")


class Support(StrEnum):
    """Outcome of checking a sentence against its citations; UNCITED: it cites no passage."""

    SUPPORTED = "supported"
    UNSUPPORTED = "not supported"
    UNCHECKED = "not checked"
    UNCITED = "no citation"


@dataclass(frozen=True, slots=True)
class Check:
    """Outcome of a citation check, its reason, and the closest text in the cited passages."""

    support: Support
    reason: str
    """Reason in one sentence, for the reader of the answer."""
    places: Mapping[int, Span]
    """Spans of the closest sentences in each cited passage's document, by passage number.

    Summaries and passages without shared words are omitted.
    """


def check_sentence(sentence: CitedSentence, sources: Sequence[ContextSource]) -> Check:
    """Check a sentence against its cited passages by words, quotes and numbers, without a model.

    Args:
        sources: all passages of the context.
    """
    if not sentence.numbers:
        return Check(Support.UNCITED, "It cites no passage.", {})
    by_number = {source.number: source for source in sources}
    cited = [by_number[number] for number in sentence.numbers if number in by_number]
    text = sentence.text[:_LONGEST]
    # Both sides are stemmed in the language of the passage, else none of their words would agree.
    weights = {source.number: _terms(text, source.language) for source in cited}
    nearest = {source.number: _nearest(source, weights[source.number]) for source in cited}
    places = {source.number: _place(source, nearest[source.number]) for source in cited}
    spans = {number: span for number, span in places.items() if span is not None}
    unknown = [number for number in sentence.numbers if number not in by_number]
    support, reason = (
        (Support.UNSUPPORTED, f"There is no passage {unknown[0]}.")
        if unknown
        else _judged(text, max(map(len, weights.values()), default=0), cited, nearest)
    )
    return Check(support, reason, spans)


@dataclass(frozen=True, slots=True)
class _ClosestSentences:
    """The sentences of a passage that share most with a sentence."""

    share: float
    start: int
    end: int


def _judged(
    text: str, terms: int, cited: Sequence[ContextSource], nearest: Mapping[int, _ClosestSentences]
) -> tuple[Support, str]:
    passages = "\n".join(source.text for source in cited)
    if missing := next((quote for quote in _quotes(text) if _plain(quote) not in _plain(passages)), ""):
        return Support.UNSUPPORTED, f"The cited passage does not contain the quoted words “{_short(missing)}”."
    numbers = _numbers(passages, words=True)
    if missing := next((number for number in _numbers(text) if number not in numbers), ""):
        return Support.UNSUPPORTED, f"The cited passage does not contain the number {missing[:20]}."
    if bool(unspaced_runs(text)) != bool(unspaced_runs(passages)):
        return (
            Support.UNCHECKED,
            "Sentence and passage are in different languages, so their words could not be compared.",
        )
    if terms < _FEWEST:
        return Support.UNCHECKED, "It has too few words to compare."
    best = max(cited, key=lambda source: nearest[source.number].share)
    match = nearest[best.number]
    if match.share <= HARDLY:
        return Support.UNSUPPORTED, f"Only {match.share:.0%} of its words occur together in a cited passage."
    if match.share < ENOUGH:
        return Support.UNCHECKED, f"{match.share:.0%} of its words occur together in a cited passage: too few to tell."
    if bool(_DENIED.search(text)) != bool(_DENIED.search(best.text[match.start : match.end])):
        return Support.UNCHECKED, "Its words occur in a cited passage, but only one of the two has a negation."
    return (
        Support.SUPPORTED,
        f"{match.share:.0%} of its words occur together in a cited passage, with all its numbers and quotes.",
    )


def _nearest(source: ContextSource, weights: Mapping[str, int]) -> _ClosestSentences:
    """Return the shortest run of neighbouring sentences with the largest share of the words."""
    text = source.text
    starts = [*_starts(text), len(text)]
    matches = [_shared(text[start:end], source.language, weights) for start, end in pairwise(starts)]
    total = sum(weights.values())
    best = _ClosestSentences(0.0, 0, 0)
    for size in range(1, _WINDOW + 1):
        for first in range(len(matches) - size + 1):
            share = (
                sum(weights[term] for term in frozenset().union(*matches[first : first + size])) / total
                if total
                else 0.0
            )
            if share > best.share:
                best = _ClosestSentences(share, starts[first], starts[first + size])
    return best


def _starts(text: str) -> list[int]:
    """Return the starts of sentences and non-empty lines; the first is 0."""
    lines = [line.end() for line in re.finditer(r"\n\s*", text)]
    return sorted({0, *sentence_starts(text).tolist(), *(at for at in lines if at < len(text))})


def _place(source: ContextSource, nearest: _ClosestSentences) -> Span | None:
    if len(source.text) != source.end - source.start or nearest.end <= nearest.start:
        return None
    text = source.text[nearest.start : nearest.end].rstrip()
    return Span(source.start + nearest.start, source.start + nearest.start + len(text))


def _terms(text: str, language: str) -> dict[str, int]:
    """Return the terms of a sentence with their weights, stemmed in a language.

    Terms are stems, weighted by their letters, and pairs of Chinese characters.
    """
    words, runs = content_parts(text, language=language)
    stems = (word_stem(word, language) for word in words if not word.isdigit())
    lengths = {stem: min(len(stem), 12) for stem in stems if stem}
    return lengths | {run[at : at + 2]: 2 for run in runs for at in range(len(run) - 1)}


def _shared(text: str, language: str, weights: Mapping[str, int]) -> frozenset[str]:
    return frozenset(term for term in _terms(text, language) if term in weights)


def _quotes(text: str) -> Iterator[str]:
    for match in _QUOTED.finditer(text):
        yield "".join(match.groups(default=""))


def _plain(text: str) -> str:
    return " ".join(fold(text).casefold().split()).strip(" .,;:!?。，；：！？")


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59].rstrip()}…"


def _numbers(text: str, *, words: bool = False) -> Iterable[str]:
    """Return the numbers of a text in one spelling: 1,000 as 1000, 2.50 as 2.5.

    Args:
        words: include numbers written as words.
    """
    numbers = [_spelled(number) for number in _NUMBER.findall(text)]
    if words:
        numbers += [_NUMBER_WORDS[word.lower()] for word in _NUMBER_WORD.findall(text)]
        numbers += [str(number) for run in _CHINESE_NUMBER.findall(text) if (number := _chinese(run)) is not None]
    return numbers


def _spelled(number: str) -> str:
    plain = re.sub(r",(?=\d{3}(?!\d))", "", number).replace(",", ".")
    integer, _, rest = plain.partition(".")
    rest = rest.rstrip("0") if "." not in rest else rest
    return f"{integer.lstrip('0') or '0'}{'.' if rest else ''}{rest}"


def _chinese(run: str) -> int | None:
    """Parse a Chinese numeral under a thousand; None for digits in a row, which are no number.

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


# -- sentences of an answer, with the passages each cites


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence of an answer with its citations."""

    text: str
    """Text without citations; any characters but line ends."""
    numbers: tuple[int, ...]
    """Numbers of the cited passages, in their order, each once."""
    new_line: bool
    """True if it begins a line of the answer."""


def cited_sentences(text: str) -> tuple[CitedSentence, ...]:
    """Split an answer, or its beginning, into sentences with their citations.

    >>> [(one.text, one.numbers) for one in cited_sentences("Oil it weekly [1]. Keep it dry. [2][3] 门开了【2】。")]
    [('Oil it weekly.', (1,)), ('Keep it dry.', (2, 3)), ('门开了。', (2,))]
    """
    return tuple(sentence for line in text.splitlines() for sentence in _of_line(line))


def _of_line(line: str) -> Iterator[CitedSentence]:
    line = _AFTER_STOP.sub(lambda match: f" {match[3].strip()}{match[1]} ", line).strip()
    starts = [0, *sentence_starts(line, semicolons=False).tolist(), len(line)]
    first = True
    for start, end in pairwise(starts):
        part = line[start:end]
        numbers = dict.fromkeys(
            int(number) for match in _CITATION.findall(part) for number in re.findall(r"\d+", match)
        )
        text = _SPACE_BEFORE_STOP.sub("", " ".join(_CITATION.sub(" ", part).split()))
        if text or numbers:
            yield CitedSentence(text, tuple(numbers), first)
            first = False
