"""Decode bytes to text, with notes on what was guessed.

In this order: the user's choice, a byte order mark, strict UTF-8, UTF-8 with a few damaged bytes, a guess. Bytes that
are no text are refused. Guesses are ranked by the frequency of each candidate's commonest characters.
"""

from __future__ import annotations

import codecs
import re
import string
from dataclasses import dataclass
from typing import NamedTuple

from chunking.display import quantity
from chunking.errors import ParseError
from chunking.parsing.detection.content_signs import CONTROLS, binary_kind

__all__ = ["NAMED", "Decoded", "decode", "makes_text", "unknown_encoding"]

_BOMS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_EBCDIC = frozenset({"cp037", "cp273", "cp424", "cp500", "cp875", "cp1026", "cp1140"})
"""Mainframe code pages, whose line end is U+0085."""
_MOST_CONTROLS = 0.02
_MOST_NULS = 0.01
_UNREADABLE = re.compile("[\x00\ud800-\udfff]")

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


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text without byte order mark, with U+FFFD for NUL and lone surrogates, and its encoding."""

    text: str
    encoding: str
    warnings: tuple[str, ...] = ()


def decode(data: bytes, source: str, encoding: str | None = None) -> Decoded:
    """Decode a file's bytes; warnings name a guessed encoding and count unreadable bytes (U+FFFD).

    Args:
        data: the whole file.
        source: its name, for sentences.
        encoding: stated by the user; None: detect.
    Raises:
        ParseError: the stated encoding is unknown; or none is stated, and the bytes are no text.

    >>> decode("问：多少钱？".encode("gb18030"), "faq.txt").encoding
    'gb18030'
    """
    if encoding:
        return _chosen(data, source, encoding)
    _refuse_known_binary(data, source)
    for bom, name in _BOMS:
        if data.startswith(bom):
            notes = [] if name == "utf-8" else [f"Read as {name.upper()}, as its byte order mark says."]
            return _cleaned(data[len(bom) :], name, notes)
    if (guess := guess_ebcdic(data)) is not None:
        return _cleaned(data, guess.encoding, [_guess_note(guess)])
    if data.count(0) <= _MOST_NULS * len(data):
        try:
            return _clean_text(_refuse_controls(data, source).decode("utf-8"), "utf-8", [])
        except UnicodeDecodeError:
            pass  # the other ways follow
    return _guessed(data, source)


def makes_text(encoding: str) -> bool:
    """True if Python decodes this encoding to text; False if unknown, or a codec such as `hex`.

    >>> makes_text("CP866"), makes_text("latin-9000"), makes_text("hex"), makes_text("utf\\x008")
    (True, False, False, False)
    """
    try:
        return bool(b"aaaa".decode(encoding, "replace"))
    except (LookupError, ValueError):
        return False


def unknown_encoding(source: str, encoding: str) -> ParseError:
    """Return (not raise) the error for a requested encoding that cannot be used."""
    sentence = (
        f"{source} cannot be read as '{encoding}'; give an encoding such as utf-8, gb18030, utf-16, big5 or "
        f"cp1252, or none."
    )
    return ParseError(sentence, where=source)


def _chosen(data: bytes, source: str, encoding: str) -> Decoded:
    try:
        name = codecs.lookup(encoding).name
        for bom, of in _BOMS:
            if data.startswith(bom) and of.replace("-le", "").replace("-be", "") in name:
                data = data[len(bom) :]
                name = of
                break
        return _cleaned(data, name, [])
    except (LookupError, ValueError) as error:
        raise unknown_encoding(source, encoding) from error


def _guessed(data: bytes, source: str) -> Decoded:
    """Decode data that has no byte order mark and is not UTF-8."""
    damaged = data.decode("utf-8", "replace")
    if 0 not in data and _mostly_utf8(damaged):
        return _cleaned(data, "utf-8", [])
    guess = guess_wide(data) if 0 in data else None
    if guess is None:
        _refuse_nuls(data, source)
        _refuse_controls(data, source)
        guess = guess_narrow(data)
    return _cleaned(data, guess.encoding, [_guess_note(guess)])


def _guess_note(guess: Guess) -> str:
    return f"Read as {guess.encoding.upper()}, {guess.reason}; choose the encoding yourself if the text looks wrong."


def _mostly_utf8(damaged: str) -> bool:
    """True if there are at least ten good characters outside ASCII per lost one."""
    lost = damaged.count("\ufffd")
    outside = len(damaged) - len(damaged.encode("ascii", "ignore"))
    return outside - lost >= 10 * lost


def _refuse_known_binary(data: bytes, source: str) -> None:
    if what := binary_kind(data):
        raise ParseError(
            f"{source} is {what}, not text; correct its extension, or save it as text.",
            where=source,
        )


def _refuse_nuls(data: bytes, source: str) -> None:
    if data.count(0) > _MOST_NULS * len(data):
        raise ParseError(
            f"{source} is a binary file, not text; give a text file, or its encoding if it is one.", where=source
        )


def _refuse_controls(data: bytes, source: str) -> bytes:
    head = data[: 1 << 20]
    if len(head) - len(head.translate(None, CONTROLS)) > _MOST_CONTROLS * len(head):
        raise ParseError(
            f"{source} is a binary file, not text; give a text file, or its encoding if it is one.", where=source
        )
    return data


def _cleaned(data: bytes, encoding: str, notes: list[str]) -> Decoded:
    """Decode; undecodable bytes become U+FFFD and are counted in a note."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode(encoding, "replace")
        notes = [
            *notes,
            f"{quantity(text.count(chr(0xFFFD)), 'place')} could not be read as {encoding.upper()} and show as \ufffd.",
        ]
    return _clean_text(text.replace("\x85", "\n") if encoding in _EBCDIC else text, encoding, notes)


def _clean_text(text: str, encoding: str, notes: list[str]) -> Decoded:
    text = text.removeprefix("\ufeff")
    if "\x00" in text or _UNREADABLE.search(text):
        text, count = _UNREADABLE.subn("\ufffd", text)
        notes = [
            *notes,
            (
                f"{quantity(count, 'character')} (NUL or half a surrogate pair) cannot be kept in a text and show "
                f"as \ufffd."
            ),
        ]
    return Decoded(text, encoding, tuple(notes))


# -- guesses


class _Candidate(NamedTuple):
    encoding: str
    common: frozenset[str]
    """Commonest characters of the language: rare if the bytes are in another encoding."""
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
_EBCDIC_PAGES = ("cp500", "cp037")
"""EBCDIC pages tried: they differ in a few signs, such as the exclamation mark and brackets."""
_LEAST_EBCDIC = 0.9
_PLAIN = frozenset(string.ascii_letters + string.digits + " \r\n\t\x85.,;:-/'()\"")
_CLOSE = 0.8
"""Share of the best score from which another encoding is mentioned in a note."""

_PAIR = re.compile(rb"[\x80-\xff].", re.DOTALL)
_COMMON_PAIR = re.compile(rb"[\xa1\xa3\xb0-\xd7][\xa1-\xfe]")
"""Bytes of marks, full-width letters and the 3,755 common characters of GB 2312, sorted by sound."""
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

NAMED = frozenset({*(candidate.encoding for candidate in _NARROW), *_EBCDIC_PAGES, *_OTHERS})
"""Encodings that a guess may name, except the wide ones."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A guessed encoding, and the reason for it, which ends the displayed sentence."""

    encoding: str
    reason: str


def guess_wide(data: bytes) -> Guess | None:
    """Detect UTF-16 or UTF-32 without a byte order mark; None for others."""
    return _best(_sample(data), _WIDE)


def guess_ebcdic(data: bytes) -> Guess | None:
    """Detect EBCDIC, always guessed as cp500; None for others.

    Its letters are outside ASCII, its spaces are ASCII's `@`, and hardly a byte is ASCII's space.
    """
    sample = data[:_SAMPLE]
    if sample.isascii() or sample.count(0x40) < 0.05 * len(sample) or sample.count(0x20) > 0.01 * len(sample):
        return None
    text = sample.decode(_EBCDIC_PAGES[0])
    usual = sum(character in _PLAIN for character in text)
    if usual < _LEAST_EBCDIC * len(text) or text.isspace():
        return None
    return Guess(_EBCDIC_PAGES[0], f"because it is EBCDIC; {_EBCDIC_PAGES[1]} differs from it in a few signs only")


def guess_narrow(data: bytes) -> Guess:
    """Guess an 8-bit or multi-byte encoding by common characters; cp1252 as a last resort."""
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
    """Return the candidate with the most common characters, if enough."""
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
    """Detect Chinese names and columns without running text.

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
