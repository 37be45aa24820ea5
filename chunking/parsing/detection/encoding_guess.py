"""Guess the encoding of bytes without a mark.

Candidates are ranked by the frequency of their commonest characters (about a third of running text; 3 % in a wrong
encoding); if none fits, charset-normalizer decides. Alone, it takes short Chinese for Korean and French for Polish.
"""

from __future__ import annotations

import codecs
import re
import string
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["NAMED", "Guess", "guess_ebcdic", "guess_narrow", "guess_wide"]

_SAMPLE = 1 << 16

_ENGLISH = frozenset(" \t\r\netaoinshrdluETAOINSHRDLU")
_CHINESE = (
    "的一是不了在人有我他这中大来上个国到说们为和你地出以时要就可会生对能下过子得自年用行方法分动同发经面加机文本部"
)
_TRADITIONAL = (
    "的一是不了在人有我他這中大來上個國到說們為和你地出以時要就可會生對能下過子得自年用行方法分動同發經面加機文本部"
)
_KANA = "".join(map(chr, range(0x3041, 0x3094))) + "のンスールトリラレイアシ"
_HANGUL = "이다는을의에가를은고하지로한기사리도대자시인어스나해아그서정수일전부제과원만"
_CJK_MARKS = "，。、：；！？（）《》“”　"

_WESTERN = "éèàçùâêîôûëïüöäßñáíóúãõåæøÉÀÇÜÖÄ«»’“”–—…°€©£"
_CENTRAL = "ąćęłńóśźżáčďéěíňřšťúůýžőűöüäĄĆĘŁŃÓŚŹŻČŠŽ„”–"
_CYRILLIC = "оеаинтсрвл"
_DOS = "éèàçùâêîôûëïüöäßñáíóúåæÉÇÜÖÄÑÅÆ"


class _Candidate(NamedTuple):
    encoding: str
    common: frozenset[str]
    """Its commonest characters: rare in another encoding's bytes."""
    least: float
    """Minimum share of them (of characters outside ASCII; of all in wide encodings)."""
    densest: float = 1.0
    """Maximum share of characters outside ASCII: accents are sparse."""


_WIDE = tuple(
    _Candidate(name, _ENGLISH | frozenset(_CHINESE + _TRADITIONAL + _KANA + _HANGUL + _CJK_MARKS), 0.12)
    for name in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
)
_NARROW = (
    _Candidate("gb18030", frozenset(_CHINESE + _CJK_MARKS), 0.12),
    _Candidate("big5", frozenset(_TRADITIONAL + _CJK_MARKS), 0.12),
    _Candidate("shift_jis", frozenset(_KANA + _CJK_MARKS), 0.12),
    _Candidate("euc_jp", frozenset(_KANA + _CJK_MARKS), 0.12),
    _Candidate("euc_kr", frozenset(_HANGUL), 0.12),
    _Candidate("cp1251", frozenset(_CYRILLIC), 0.45),
    _Candidate("koi8_r", frozenset(_CYRILLIC), 0.45),
    _Candidate("cp866", frozenset(_CYRILLIC), 0.45),
    _Candidate("iso8859_5", frozenset(_CYRILLIC), 0.45),
    _Candidate("cp1252", frozenset(_WESTERN), 0.6, 0.3),
    _Candidate("cp1250", frozenset(_CENTRAL), 0.6, 0.3),
    _Candidate("cp437", frozenset(_DOS), 0.6, 0.3),
)
_EBCDIC = ("cp500", "cp037")
"""They differ in a few signs, such as the exclamation mark and brackets."""
_LEAST_EBCDIC = 0.9
_PLAIN = frozenset(string.ascii_letters + string.digits + " \r\n\t\x85.,;:-/'()\"")
_CLOSE = 0.8
"""Share of the best score from which another encoding is mentioned too."""

_PAIR = re.compile(rb"[\x80-\xff].", re.DOTALL)
_COMMON_PAIR = re.compile(rb"[\xa1\xa3\xb0-\xd7][\xa1-\xfe]")
"""Marks, full-width letters and the 3,755 common characters of GB 2312, sorted by sound."""
_FEWEST_PAIRS = 4
_MOST_PAIRS = 0.9
_LAST_PAIR = re.compile(rb"[\xc9-\xd7][\xa1-\xfe]")
_LEAST_LAST = 0.08

_OTHERS = [
    *(
        "cp1252",
        "cp1250",
        "cp1251",
        "cp1253",
        "cp1254",
        "cp1255",
        "cp1256",
        "iso8859_2",
        "iso8859_5",
        "iso8859_7",
        "koi8_r",
    ),
    *("gb18030", "big5", "shift_jis", "euc_jp", "euc_kr"),
]
"""Choices of charset-normalizer: its full list has rare code pages that win on short texts."""

NAMED = frozenset({*(candidate.encoding for candidate in _NARROW), *_EBCDIC, *_OTHERS})
"""Encodings a guess may name, except the wide ones."""


@dataclass(frozen=True, slots=True)
class Guess:
    """An encoding, and the reason (the end of the displayed sentence)."""

    encoding: str
    reason: str


def guess_wide(data: bytes) -> Guess | None:
    """UTF-16 or UTF-32 without a byte order mark, or None."""
    return _best(_sample(data), _WIDE)


def guess_ebcdic(data: bytes) -> Guess | None:
    """EBCDIC, or None.

    Its letters are outside ASCII, its spaces are ASCII's `@`, and hardly a byte is ASCII's space.
    """
    sample = data[:_SAMPLE]
    if sample.isascii() or sample.count(0x40) < 0.05 * len(sample) or sample.count(0x20) > 0.01 * len(sample):
        return None
    text = sample.decode(_EBCDIC[0])
    usual = sum(character in _PLAIN for character in text)
    if usual < _LEAST_EBCDIC * len(text) or text.isspace():
        return None
    return Guess(_EBCDIC[0], f"because it is EBCDIC; {_EBCDIC[1]} differs from it in a few signs only")


def guess_narrow(data: bytes) -> Guess:
    """Any other encoding; cp1252 as a last resort."""
    sample = _sample(data)
    return _best(sample, _NARROW) or _common_chinese(sample) or _normalizer_guess(sample)


def _sample(data: bytes) -> bytes:
    """Up to 64 KB from the first byte outside ASCII (or NUL), aligned to 4 bytes."""
    first = re.search(rb"[\x00\x80-\xff]", data)
    start = max(first.start() - 64, 0) // 4 * 4 if first else 0
    if 0 not in data and start:
        start = data.rfind(b"\n", 0, start + 64) + 1  # multi-byte characters never hold a line feed
    return data[start : start + _SAMPLE]


def _best(sample: bytes, candidates: tuple[_Candidate, ...]) -> Guess | None:
    """The candidate with the most common characters, if enough."""
    scores = [(_common_share(sample, candidate), candidate) for candidate in candidates]
    fitting = [(score, candidate) for score, candidate in scores if score >= candidate.least]
    if not fitting:
        return None
    best, chosen = max(fitting, key=lambda row: row[0])
    second = max(score for score, candidate in scores if candidate is not chosen)
    others = [candidate.encoding for score, candidate in fitting if candidate is not chosen and score >= _CLOSE * best]
    also = f"; {' and '.join(others)} may fit as well" if others else ""
    return Guess(chosen.encoding, f"a guess ({100 * best / (best + second):.0f} % sure{also})")


def _common_share(sample: bytes, candidate: _Candidate) -> float:
    """Share of common characters among those outside ASCII (among all, for wide encodings)."""
    decoder = codecs.getincrementaldecoder(candidate.encoding)("strict")
    try:
        text = decoder.decode(sample)  # a character cut off at the sample's end is no fault
    except UnicodeDecodeError:
        return 0.0
    counted = text if candidate in _WIDE else "".join(character for character in text if character > "\x7f")
    if not counted or len(counted) > candidate.densest * len(text):
        return 0.0
    return sum(character in candidate.common for character in counted) / len(counted)


def _common_chinese(sample: bytes) -> Guess | None:
    """Chinese names and columns without running text.

    Nearly all characters are in the rows of GB 2312 with the commonest ones, some in those of the last sounds, where
    EUC-KR has no syllables, and none where EUC-JP has its kana.
    """
    pairs = _PAIR.findall(sample)
    common = sum(bool(_COMMON_PAIR.fullmatch(pair)) for pair in pairs)
    last = sum(bool(_LAST_PAIR.fullmatch(pair)) for pair in pairs)
    kana = any(pair[0] in (0xA4, 0xA5) for pair in pairs)
    if len(pairs) < _FEWEST_PAIRS or kana or common < _MOST_PAIRS * len(pairs) or last < _LEAST_LAST * len(pairs):
        return None
    return Guess("gb18030", "a guess from its characters, which are common Chinese ones")


def _normalizer_guess(sample: bytes) -> Guess:
    from charset_normalizer import from_bytes

    best = from_bytes(sample, cp_isolation=_OTHERS).best()
    if best is None:
        return Guess("cp1252", "because no encoding fits")
    return Guess(best.encoding.replace("_", "-"), f"a guess ({100 - best.percent_chaos:.0f} % sure)")
