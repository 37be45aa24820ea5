"""Normalise text for the full-text index and its queries.

A text is folded (`folding`), and a compound word is replaced by its parts; its joined form is appended after the text,
where it interrupts no phrase. The full-text index stores `search_text` and is queried with it; highlights and searches
without an index use the same words with their offsets (`search_words`).

>>> search_text("set max_retry_count in C#: it isn’t l’objet of parseHTTPResponse")
"set max retry count in csharp: it isn't objet of parse HTTP Response\\nmaxretrycount parsehttpresponse"
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from chunking.text.byte_caches import word_cache
from chunking.text.folding import SOFT_BREAKS, fold_for_search, fold_with_offsets

__all__ = ["UNSPACED", "SearchWord", "phrase_text", "search_forms", "search_text", "search_words"]

UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0002fa1f"
"""Letters of scripts without spaces between words, as a regular-expression class.

Also of Korean, with endings on its words.
"""

_SMALL = "\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u209c\u2150-\u215f\u2460-\u249b"
"""Superscripts, fractions and the like: digits to Python, and separate words to the index."""
_VOWEL_SIGN = r"[\u0900-\u0963\u0966-\u0df3\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]"
_PLAIN_LETTER = rf"[^\W_{_SMALL}{UNSPACED}]"
_LETTER = rf"(?:{_PLAIN_LETTER}|{_VOWEL_SIGN})"
"""A letter or digit of a script with spaces, or a vowel sign, which is no letter to Python."""
_ASCII_LETTER = "[A-Za-z0-9]"


class _Patterns:
    """Patterns that find the words of a text, for one class of letters."""

    def __init__(self, letter: str) -> None:
        joint = rf"(?:_+|[.'\-{SOFT_BREAKS}])"
        compound = (
            rf"(?<!{letter})\.(?:NET|net)(?!{letter})"
            rf"|(?<!{letter})(?<!_)(?:"
            # The guard fails on an ordinary word at its end, so that prose is read once.
            rf"(?=_|{letter}++(?:_|[.'\-{SOFT_BREAKS}]{letter}|\#|\+\+)|[A-Z]*+[a-z0-9]++[A-Z]|[A-Z]{{2,}}+[a-z]{{2}})"
            rf"_*+{letter}++(?:{joint}{letter}++)*+_*+(?:(?:\+\+|\#)(?:\d++)?(?!{letter}|[+#]))?)"
        )
        self.compounds = re.compile(compound)
        self.words = re.compile(rf"(?P<compound>{compound})|\d++(?:,\d++)*+(?!{letter})|{letter}++|[{_SMALL}]++")
        self.flowing = re.compile(rf"\d++(?:,\d++)*+(?!{letter})|{letter}++(?:[.']{letter}++)*+|[{_SMALL}]++")
        """Pattern of the words of a text whose compounds are already divided."""


def _patterns(text: str) -> _Patterns:
    """Return patterns with the simplest letter class that covers a text.

    A single set is several times as fast.
    """
    if text.isascii():
        return _compiled(_ASCII_LETTER)
    return _compiled(_LETTER if _HAS_VOWEL_SIGN.search(text) else _PLAIN_LETTER)


@cache
def _compiled(letter: str) -> _Patterns:
    """Compile the patterns on first use, so that commands without search start faster."""
    return _Patterns(letter)


_HAS_VOWEL_SIGN = re.compile(_VOWEL_SIGN)


_NAMED = re.compile(r"(?i)(objective)-c(\+\+)?\Z")
_SIGNED = re.compile(rf"({_LETTER}+)(\+\+|#)(\d*)\Z")
_SIGNS = {"++": "plusplus", "#": "sharp"}
_ELISION = re.compile(
    r"(?i)(?:[cdjlmnst]|qu|(?:jus|lors|puis|quoi|pres)qu|quel(?:l|qu)|(?:ne|su|co|da|de|a)ll|(?:da|de|su|ne|a)gl|gl|"
    r"(?:nessu|ciascu|alcu|buo)?un|quest|bell|sant|dov|mezz|tutt|senz|anch)'(?=[aeiouyh\u0153])"
)
"""Elided articles and the like of French, Italian and Catalan, which are no part of the word."""
_LONGEST = 40
"""Maximum letters of a word in the full-text index."""
_LONGEST_COMPOUND = 1_000
"""Maximum characters of a compound that is divided."""


class SearchWord(NamedTuple):
    """A word as the full-text index stores it, with its offsets in the text."""

    form: str
    start: int
    """Offset in the text."""
    end: int
    extra: bool = False
    """True if the word is appended after the text: another spelling, or a part of a word."""


def search_text(text: str) -> str:
    """Fold a text or query and divide its compounds; a last line has their other forms (joined).

    Letter case stays; the index ignores it.
    """
    flow, extra = _flow_and_extra(text)
    return f"{flow}\n{' '.join(extra)}" if extra else flow


def phrase_text(text: str) -> str:
    """Normalise a quoted phrase like `search_text`, without the last line of other forms."""
    return _flow_and_extra(text)[0]


def search_forms(text: str) -> list[str]:
    """Return the forms of `search_words` without offsets, in another order."""
    folded = fold_for_search(text)
    flow, extra = _divided_text(folded if folded.isascii() else _UNSPACED_RUN.sub(" ", folded))
    return _patterns(flow).flowing.findall(flow) + extra


_UNSPACED_RUN = re.compile(f"[{UNSPACED}]+")


def _flow_and_extra(text: str) -> tuple[str, list[str]]:
    return _divided_text(fold_for_search(text))


def _divided_text(folded: str) -> tuple[str, list[str]]:
    cached, extra = dict[str, tuple[str, list[str]]](), list[str]()
    compounds = _patterns(folded).compounds

    def replace(match: re.Match[str]) -> str:
        compound = match[0]
        if compound not in cached:
            words = _words_of(compound)
            forms = (
                _soft(" ".join(word.form for word in words if not word.extra)),
                [_soft(word.form) for word in words if word.extra],
            )
            cached[compound] = forms
        extra.extend(cached[compound][1])
        return cached[compound][0]

    if folded.isascii():
        return compounds.sub(replace, folded), extra
    return _soft(compounds.sub(replace, _HANGUL_EDGE.sub(" ", folded))), extra


def search_words(text: str, picks: Callable[[str], bool] | None = None) -> Iterator[SearchWord]:
    """Yield the words of scripts with spaces as they are indexed, with their offsets.

    Args:
        picks: filter by form; None: all words.
    """
    folded = fold_with_offsets(text)
    starts, ends = folded.starts, folded.ends
    for match in _patterns(folded.text).words.finditer(folded.text):
        if match.lastgroup is None:
            form = match[0]
            if picks is None or picks(form):
                yield SearchWord(form, starts[match.start()], ends[match.end() - 1])
        else:
            at = match.start()
            for form, start, end, extra in _words_of(match[0]):
                form = _soft(form)
                if picks is None or picks(form):
                    yield SearchWord(form, starts[at + start], ends[at + end - 1], extra)


def _soft(text: str) -> str:
    return text if text.isascii() else _SOFT.sub("", text)


_SOFT = re.compile(f"[{SOFT_BREAKS}]")
_HANGUL_EDGE = re.compile("(?<=[A-Za-z0-9_])(?=[\uac00-\ud7a3])|(?<=[\uac00-\ud7a3])(?=[A-Za-z0-9])")
"""Boundary between a Latin word and a Korean ending, which the index's tokenizer does not divide."""


def _words_of(compound: str) -> Sequence[SearchWord]:
    """Return a compound and its parts, with their offsets in it."""
    return _known_words(compound) if len(compound) <= _LONGEST_COMPOUND else list(_words(compound))


@word_cache(maxsize=5_000, each=2_000)
def _known_words(compound: str) -> tuple[SearchWord, ...]:
    return tuple(_words(compound))


def _words(compound: str) -> Iterator[SearchWord]:
    full_word = SearchWord(compound, 0, len(compound))
    if compound.startswith("."):
        yield full_word._replace(form="dotnet")
        return
    if len(compound) > _LONGEST_COMPOUND:
        yield full_word
        return
    if named := _NAMED.match(compound):
        yield full_word._replace(form="objectivec" + ("plusplus" if named[2] else ""))
        yield SearchWord(named[1], 0, named.end(1), extra=True)
        return
    start, end = 0, len(compound)
    while elision := _ELISION.match(compound, start):
        start = elision.end()
    signed = _SIGNED.search(compound, start) if "+" in compound or "#" in compound else None
    if signed:
        end = signed.start()
    rest = compound[start:end].rstrip("-._'+#")
    yield from _parts(SearchWord(rest, start, start + len(rest)), 0)
    if signed:
        name, sign, version = signed.groups()
        yield SearchWord(name.lower() + _SIGNS[sign], end, signed.end(2))
        if len(name) > 1:
            yield SearchWord(name, end, signed.end(1), extra=True)
        if version:
            yield SearchWord(version, signed.start(3), signed.end())


def _parts(word: SearchWord, level: int) -> Iterator[SearchWord]:
    """Yield a compound in joined form and the parts it is divided into, from a level of `_LEVELS` on."""
    for number in range(level, len(_LEVELS)):
        separator, divide = _LEVELS[number]
        if not separator.search(word.form):
            continue
        parts = list(_divided(word, separator))
        divided = divide(word.form, parts) if parts and parts[0].form != word.form else None
        if divided is None:
            continue
        joined, kept = divided
        flows = len(kept) == len(parts)  # else the text would lack a part of the word
        for part in kept:
            yield from _parts(part._replace(extra=word.extra or not flows), number + 1)
        if not kept or (joined and len(parts) > 1 and not (flows and len(joined) > _LONGEST)):
            yield SearchWord(joined, parts[0].start, parts[-1].end, word.extra or flows)
        return
    if word.form:
        yield word


def _divided(word: SearchWord, separator: re.Pattern[str]) -> Iterator[SearchWord]:
    text, at, start = word.form, word.start, 0
    for match in separator.finditer(text):
        if match.start() > start:
            yield SearchWord(text[start : match.start()], at + start, at + match.start())
        start = match.end()
    if start < len(text):
        yield SearchWord(text[start:], at + start, at + len(text))


Parts = Sequence[SearchWord]
_Divided = tuple[str, Parts] | None
"""(joined form, indexed parts), the joined form empty if it is not indexed; None: not to be divided."""


def _joined(parts: Parts) -> str:
    return "".join(part.form for part in parts).lower()


def _longer(parts: Parts) -> Parts:
    """Return parts of more than one letter: C is a language, the c of main.c is not."""
    return [part for part in parts if len(part.form) > 1]


def _hyphens(_text: str, parts: Parts) -> _Divided:
    """Divide at hyphens; join two parts if the first is a letter or the last a number: e-mail, COVID-19.

    Joining all (placebo-controlled) lost answers of Evidence Inference: a query then contains such words twice.
    """
    first, last = parts[0].form, parts[-1].form
    one_word = len(parts) == 2 and first.isalpha() and (len(first) == 1 or len(last) == 1 or last.isdecimal())
    return (_joined(parts) if one_word else ""), parts


def _dots(text: str, parts: Parts) -> _Divided:
    """Divide at dots, except abbreviations (U.S.A.) and numbers; of a version only the name is a word."""
    if all(len(part.form) == 1 for part in parts):
        return text, ()
    if any(part.form[0].isdigit() for part in parts):
        return text.replace("_", ""), [part for part in _longer(parts) if part.form[0].isalpha()]
    return _joined(parts), _longer([part._replace(form="dotnet") if part.form == "NET" else part for part in parts])


def _underscores(_text: str, parts: Parts) -> _Divided:
    return _joined(parts), _longer(parts) if any(part.form[0].isalpha() for part in parts) else ()


def _humps(text: str, parts: Parts) -> _Divided:
    """Divide at capitals, except short names (GmbH, PhD); of iPhone only Phone is a part."""
    longer = _longer(parts)
    return (
        (_joined(parts), longer)
        if len(longer) > 1 or (len(parts[0].form) == 1 and longer and text[0].islower())
        else None
    )


_LEVELS: tuple[tuple[re.Pattern[str], Callable[[str, Parts], _Divided]], ...] = (
    (re.compile("-"), _hyphens),
    (re.compile(r"\."), _dots),
    (re.compile(f"_+|[{SOFT_BREAKS}]"), _underscores),
    (re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})"), _humps),
)
"""Separators of compounds, outermost first."""
