"""Fold a text for comparison: Unicode composition, accents, widths, invisible marks, terminal codes.

A word is typed in other characters than it is written in: decomposed by macOS, full width by an input method, with a
curly apostrophe by an editor, vowelled in a textbook. Both are folded before they are compared; the document keeps its
characters.

| script | folded | kept apart |
|---|---|---|
| Latin, Greek | accents go, ligatures open, ß = ss, dotless i, final sigma | stems, letter case (the index folds it) |
| Cyrillic | stress marks go, ё = е | й, ї, ў: letters of their own |
| Arabic, Persian | vowel marks, tatweel, hamza on its letter; ى = ي, ة = ه, ی = ي, ک = ك | ء alone, the article |
| Hebrew | points, cantillation, gershayim | final letters |
| Indic | composed vowel signs open; nukta of loan sounds (क़ = क) | ड़, ढ़, vowel signs |
| kana, hangul | composed, of either width | voiced kana, jamo alone |
| any | decimal digits are 0 to 9, subscripts full size, invisible characters go | superscripts, fractions |

Hamza, alef, yeh and teh marbuta as in Lucene's ArabicNormalizationFilter, nukta as in its HindiNormalizationFilter,
which folds more.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

__all__ = [
    "MARKS",
    "SOFT_BREAKS",
    "Folded",
    "fold",
    "fold_for_search",
    "fold_with_offsets",
    "is_mark",
    "without_codes",
    "without_invisible",
]

SOFT_BREAKS = "\u200b\u200c"
"""Zero-width space and non-joiner: the parts they divide may be read as one word or as two."""

_LONGEST_CODE = 500
"""Maximum characters of a terminal's title, the one code without a fixed form."""
_CODES = re.compile(
    "(?P<colour>(?:\x1b\\[|\x9b|\\\\(?:x1[bB]|u001[bB]|033|e)\\[)[0-9;:]{0,64}[mK])"
    rf"|(?P<other>\x1b\[[0-?]{{0,64}}[ "
    rf"-/]{{0,4}}[@-~]|\x1b\][^\x07\x1b\n]{{0,{_LONGEST_CODE}}}(?:\x07|\x1b\\)?|\x1b[ -/]{{0,2}}[0-~]?)"
    "|(?P<overstrike>[^\n\x08]\x08)"
)
"""Terminal codes: colours divide no word, cursor movements do; `N\\bN` is a bold N of a manual page."""
_HAS_CODES = re.compile(r"[\x1b\x08\x9b]|\\(?:x1[bB]|u001[bB]|033|e)\[")

_CYRILLIC, _KANA = "\u0400-\u052f", "\u3040-\u30ff\uff66-\uff9d"
_CLUSTER = re.compile(
    f"[{_KANA}][\u3099\u309a\uff9e\uff9f]"
    f"|[{_CYRILLIC}][\u0300-\u036f]+"
    "|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|[\uac00-\ud7a3][\u11a8-\u11c2]"
    "|[\u0915\u0916\u0917\u091c\u092b]\u093c"
    '|(?<=[\u05d0-\u05ea])["\u201d\u05f4](?=[\u05d0-\u05ea])'
)
"""Character sequences with one folded form.

Also the gershayim of Hebrew abbreviations, typed as a quotation mark.
"""
_MAY_CLUSTER = re.compile("[\u0300-\u036f\u05d0-\u05ea\u093c\u1161-\u1175\u11a8-\u11c2\u3099\u309a\uff9e\uff9f]")
"""Characters of which every cluster has at least one: a quick test, as most texts have none."""
_FEW = 48
"""Distinct changed characters up to which each is replaced by `str.replace`.

`translate` takes each character of the text.
"""
_MOST_MARKS = 4
"""Maximum marks composed onto one letter; further ones are dropped (some texts have thousands)."""

_COMPOSED = ("CYRILLIC", "HANGUL", "KATAKANA", "HIRAGANA")
"""Scripts whose composed letters stay; in all others accents are removed."""
_MARKS = (
    *(
        (0x0300, 0x036F),
        (0x1AB0, 0x1AFF),
        (0x1DC0, 0x1DFF),
        (0x20D0, 0x20FF),
        (0xFE20, 0xFE2F),
        (0xFE00, 0xFE0F),
        (0xE0100, 0xE01EF),
    ),
    *((0x0591, 0x05BD), (0x05BF, 0x05BF), (0x05C1, 0x05C2), (0x05C4, 0x05C5), (0x05C7, 0x05C7)),
    *(
        (0x0610, 0x061A),
        (0x064B, 0x065F),
        (0x0670, 0x0670),
        (0x06D6, 0x06DC),
        (0x06DF, 0x06E4),
        (0x06E7, 0x06E8),
        (0x06EA, 0x06ED),
    ),
    *((0x08D3, 0x08FF), (0x3099, 0x309A), (0x180B, 0x180F)),
)
"""Ranges of marks that do not matter to search: accents, vowel points, variation selectors."""
MARKS = "".join(f"{chr(low)}-{chr(high)}" for low, high in _MARKS)
"""The ranges of `_MARKS` as a class of a regular expression."""
_UNFOLDED = ("<super>", "<fraction>", "<circle>")
"""Compatibility forms that stay, because they would merge with their neighbours: 10⁶ is not 106."""
_SAME = {
    **dict.fromkeys("‘’‚‛′‵ʹʻʼʽʾʿ´＇`｀՚׳ꞌ", "'"),
    **dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"),
    **dict(zip("ςıßẞ", ("σ", "i", "ss", "SS"), strict=True)),
    **dict(zip("ёЁѐЀѝЍ", "еЕеЕиИ", strict=True)),
    **dict(zip("ىیېےکگہھةٱ", "يييي" + "كگه" + "هها", strict=True)),
    **dict.fromkeys("ـ״\u034f", ""),
    "♯": "#",
}
_LOAN_NUKTA = frozenset("\u0958\u0959\u095a\u095b\u095e")
_NUKTA = "\u093c"

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]+"
)
_JOINERS = re.compile("(?<![^\\s])[\u200c\u200d]+|[\u200c\u200d]+(?![^\\s])")
"""Joiners next to no character; others shape letters of many scripts and emoji, so they stay."""


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text with the original offsets of its characters."""

    text: str
    starts: Sequence[int]
    """(n,) original start offset of each character."""
    ends: Sequence[int]
    """(n,) original end offset of each character."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the original span of a span of the folded text; `start` < `end`.

        Marks that were folded away after a letter belong to it.
        """
        return self.starts[start], self.ends[end - 1]


def fold(text: str) -> str:
    """Fold accents, widths, ligatures and invisible characters for comparison; idempotent.

    Letter case stays. The module's table lists what is folded in each script.

    >>> fold("Ku\\u0308ndigung, ｶﾞｽ, informa\\u00adtion, l’ａｓｓｕｒａｎｃｅ")
    "Kundigung, ガス, information, l'assurance"
    """
    folded = fold_for_search(text)
    return folded if folded.isascii() else _SOFT.sub("", folded)


def without_codes(text: str) -> str:
    """Remove terminal codes and overstrikes; a code that is no colour becomes a space."""
    return _CODES.sub(_code, text) if _HAS_CODES.search(text) else text


def fold_for_search(text: str) -> str:
    """Fold a text like `fold`, but keep the zero-width characters in `SOFT_BREAKS`."""
    text = without_codes(text)
    return text if text.isascii() else _translated(_CLUSTER.sub(_compose, text) if _MAY_CLUSTER.search(text) else text)


def _translated(text: str) -> str:
    """Replace each character with its folded form."""
    forms = {char: form for char in set(text) if (form := _FORMS[ord(char)]) != char}
    if len(forms) > _FEW or not forms.keys().isdisjoint("".join(forms.values())):
        return text.translate(_FORMS)
    for char, form in forms.items():
        text = text.replace(char, form)
    return text


def fold_with_offsets(text: str) -> Folded:
    """Fold a text like `fold_for_search`, with the original offsets."""
    if not _HAS_CODES.search(text) and (text.isascii() or _folds_one_by_one(text)):
        return Folded(text if text.isascii() else _translated(text), range(len(text)), range(1, len(text) + 1))
    forms, starts, ends = list[str](), list[int](), list[int]()
    for start, end, form in _folded_parts(text):
        forms.append(form)
        if form and len(form) == end - start:
            starts += range(start, end)
            ends += range(start + 1, end + 1)
        elif form:
            starts += [start] * len(form)
            ends += [end] * len(form)
        elif ends and ends[-1] == start and is_mark(text[start]):
            ends[-1] = end
    return Folded("".join(forms), starts, ends)


def _folds_one_by_one(text: str) -> bool:
    """True if every character folds to one character, as in most texts: then offsets stay equal."""
    one_by_one = all(len(_FORMS[ord(char)]) == 1 for char in set(text))
    return one_by_one and not (_MAY_CLUSTER.search(text) and _CLUSTER.search(text))


def _folded_parts(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, folded form) of the parts of a text.

    A form as long as its part has one character for each of the part.
    """
    at = 0
    special = {char for char in set(text) if len(_FORMS[ord(char)]) != 1}
    for match in _CODES.finditer(text) if _HAS_CODES.search(text) else ():
        yield from _folded_clusters(text, at, match.start(), special)
        yield match.start(), match.end(), _code(match)
        at = match.end()
    yield from _folded_clusters(text, at, len(text), special)


def _folded_clusters(text: str, low: int, high: int, special: Collection[str]) -> Iterator[tuple[int, int, str]]:
    at = low
    for match in _CLUSTER.finditer(text, low, high) if _MAY_CLUSTER.search(text, low, high) else ():
        yield from _folded_characters(text, at, match.start(), special)
        yield match.start(), match.end(), _compose(match).translate(_FORMS)
        at = match.end()
    yield from _folded_characters(text, at, high, special)


def _folded_characters(text: str, low: int, high: int, special: Collection[str]) -> Iterator[tuple[int, int, str]]:
    at = low
    for place in _places(text, low, high, special) if special else ():
        if at < place:
            yield at, place, text[at:place].translate(_FORMS)
        yield place, place + 1, _FORMS[ord(text[place])]
        at = place + 1
    if at < high:
        yield at, high, text[at:high].translate(_FORMS)


def _places(text: str, low: int, high: int, chars: Collection[str]) -> list[int]:
    """Return the sorted offsets of some characters in a span; few of them are searched one by one."""
    if len(chars) > _FEW:
        return [place for place in range(low, high) if text[place] in chars]
    offsets = []
    for char in chars:
        at = text.find(char, low, high)
        while at >= 0:
            offsets.append(at)
            at = text.find(char, at + 1, high)
    return sorted(offsets)


def is_mark(char: str) -> bool:
    """True if a character is a combining mark, such as an accent."""
    return char > "\u02ff" and unicodedata.category(char) in ("Mn", "Me")


def _code(match: re.Match[str]) -> str:
    return " " if match["other"] else ""


def _compose(match: re.Match[str]) -> str:
    base, marks = match[0][0], match[0][1 : 1 + _MOST_MARKS]
    if not marks and base in '"\u201d\u05f4':
        return ""
    if marks == _NUKTA:
        return base
    if "\u0400" <= base <= "\u052f":
        for mark in marks:
            one = unicodedata.normalize("NFC", base + mark)
            base = one if len(one) == 1 else base
        return base
    return unicodedata.normalize("NFKC", base + marks)


class _Forms(dict[int, str]):
    """Folded form by code point, computed on first use."""

    def __missing__(self, point: int) -> str:
        form = self[point] = _form(chr(point))
        return form


_FORMS = _Forms({point: chr(point) for point in range(128)})
_SOFT = re.compile(f"[{SOFT_BREAKS}]")


def _form(char: str) -> str:
    if char in _SAME:
        return _SAME[char]
    if char in SOFT_BREAKS or "\ud800" <= char <= "\udfff":
        return char
    point, category = ord(char), unicodedata.category(char)
    if category == "Cf" or any(low <= point <= high for low, high in _MARKS):
        return ""
    if category == "Nd":
        return str(unicodedata.decimal(char))
    return "".join(_form(one) for one in parts) if (parts := _parts(char)) != char else char


def _parts(char: str) -> str:
    """Decompose a character by one step; a character that stays is returned as it is."""
    if char in _LOAN_NUKTA:
        return unicodedata.normalize("NFD", char).replace(_NUKTA, "")
    tag, *codes = unicodedata.decomposition(char).split(" ")
    if not tag or tag in _UNFOLDED:
        return char
    if tag.startswith("<"):
        expanded = "".join(chr(int(code, 16)) for code in codes)
        return char if expanded[0] == " " and len(expanded) > 1 else unicodedata.normalize("NFC", expanded)
    composed = unicodedata.normalize("NFC", char)
    if composed != char:
        return composed
    script = unicodedata.name(char, "").split(" ")[0]
    return char if script in _COMPOSED else unicodedata.normalize("NFD", char)


def without_invisible(text: str) -> str:
    """Remove invisible characters from a title; joiners between characters stay.

    >>> without_invisible("Set\u00adup\u200b"), without_invisible("می\u200cخواهم") == "می\u200cخواهم"
    ('Setup', True)
    """
    return text if text.isascii() else _JOINERS.sub("", _INVISIBLE.sub("", text))
