"""Detect a document's language by script, and Latin languages by small words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from chunking.model import Block, BlockType

__all__ = ["language_of", "prose"]

_SAMPLE = 20_000
_LEAST = 2
_LEAST_SMALL_WORDS = 0.02
_LEAST_KINDS = 3
"""Minimum different small words of a language in `_DISTINCT`: initials (I. M.) are no Swedish."""
_HAN_WEIGHT = 3
"""Letters that one Chinese character counts for."""

_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("ja", re.compile(r"[\u3041-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
)
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f]")
_OTHERS = re.compile(r"[\u0370-\U0010ffff]+")
"""Characters of the scripts in `_SCRIPTS`, and Chinese ones, for a first cheap test."""
_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s)>\]]+|\]\([^()\s]*\)|`[^`\n]*`")
_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]+")

_SMALL_WORDS: tuple[tuple[str, frozenset[str]], ...] = tuple(
    (tag, frozenset(words.split()))
    for tag, words in (
        ("en", "the of and to in is that for it with as on be are this by from or a an you at was we"),
        ("de", "der die und das ist nicht ein eine zu den von mit auf für im dem sich des auch"),
        ("fr", "le la les de des et est un une du en que pour dans sur pas au qui par avec"),
        ("es", "el la los las de y que en un una es por con para se del como lo al su"),
        ("it", "il la di che e un una per non in del con sono le della si dei da nel gli"),
        ("pt", "o a os as de que e do da em um uma para com não por se dos no na"),
        ("nl", "de het een en van in is dat op te voor met zijn niet aan er om ook door bij"),
        ("sv", "och i att det som en på är av för med den till inte ett om har de kan från"),
        ("da", "og i at det som en på er af for med den til ikke et om har de kan fra"),
        ("nb", "og i at det som en på er av for med den til ikke et om har de kan fra"),
        ("fi", "ja on ei se että oli mutta kun hän myös ovat jos tai niin kuin sekä joka sen ovat olla"),
        ("hu", "a az és hogy nem is egy van ez volt meg csak már még de el ki mint vagy azt"),
        ("ro", "și de la în a cu pe nu un o din este care să ce mai pentru sunt au al"),
        ("tr", "ve bir bu da de için ile çok olarak gibi daha ne olan var ama en kadar sonra mı kendi"),
    )
)
_DISTINCT = frozenset({"sv", "da", "nb", "fi", "hu", "ro", "tr"})
"""Languages whose small words are short, or words of others too."""


def prose(text: str, blocks: Iterable[Block]) -> str:
    """Return up to 20,000 characters of text, without code, HTML, formulas, metadata, addresses.

    At most 4,000 of each block, joined by line ends.
    """
    parts: list[str] = []
    length = 0
    for block in blocks:
        if block.type in (BlockType.CODE, BlockType.HTML, BlockType.METADATA, BlockType.EQUATION):
            continue
        parts.append(text[block.start : min(block.end, block.start + 4_000)])
        length += len(parts[-1])
        if length >= _SAMPLE:
            break
    return _ADDRESS.sub(" ", "\n".join(parts)[:_SAMPLE])


def language_of(text: str) -> str:
    """Return the tag (BCP 47) of a text's main language, one of 23; `und` if it is unclear.

    ASCII text without small words (names, lists) counts as `en`.

    >>> language_of("The fox jumps over the lazy dog."), language_of("敏捷的棕色狐狸跳过懒狗。"), language_of("42")
    ('en', 'zh', 'und')
    """
    words = _WORD.findall(text)
    latin = sum(map(len, words))
    others = "" if text.isascii() else "".join(_OTHERS.findall(text))
    han = len(_HAN.findall(others))
    counts = {tag: len(script.findall(others)) for tag, script in _SCRIPTS}
    if counts["ja"] * 10 > han:  # Japanese mixes both; Chinese has no kana
        counts["ja"] += han
    else:
        counts["zh"] = han
    tag, most = max(
        ((tag, count * (_HAN_WEIGHT if tag in ("zh", "ja") else 1)) for tag, count in counts.items()),
        key=lambda row: row[1],
    )
    if most >= _LEAST and most >= latin:
        return tag
    return _latin_language(words) if latin >= _LEAST else "und"


def _latin_language(words: Sequence[str]) -> str:
    """Language with the most frequent small words; `en` for plain letters without any (names, lists)."""
    times: Counter[str] = Counter(map(str.lower, words))
    scores = [
        (sum(times[word] for word in small), tag)
        for tag, small in _SMALL_WORDS
        if tag not in _DISTINCT or sum(word in times for word in small) >= _LEAST_KINDS
    ]
    best = max(score for score, _ in scores)
    if best >= max(_LEAST, _LEAST_SMALL_WORDS * len(words)):
        return next(tag for score, tag in scores if score == best)
    return "en" if all(map(str.isascii, times)) else "und"
