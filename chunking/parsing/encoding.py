"""Bytes to text, and what was guessed on the way.

In this order: what the user says · a byte order mark · strict UTF-8 · UTF-8 with a few damaged bytes · UTF-16 or UTF-32
without a mark and the East Asian encodings, told apart by how many of their commonest characters appear · what
charset-normalizer makes of it. Bytes that are no text at all are refused.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from chunking.errors import ParseError

__all__ = ["Decoded", "decode"]

_BOMS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", "a PDF file"),
    (b"PK\x03\x04", "a ZIP archive (as .docx, .xlsx, .pptx and .epub files are)"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"RIFF", "a RIFF media file"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90\x00", "a program"),
    (b"\x1f\x8b\x08", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a", "a RAR archive"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1", "an old Office file"),
    (b"SQLite format 3\x00", "a database"),
    (b"PAR1", "a Parquet file"),
)

_CONTROLS = bytes(code for code in range(1, 32) if code not in b"\t\n\v\f\r\b\x1b")
_MOST_CONTROLS = 0.02
_MOST_NULS = 0.01
_SAMPLE = 1 << 16
_UNREADABLE = re.compile("[\x00\ud800-\udfff]")

_ENGLISH = frozenset(" \t\r\netaoinshrdluETAOINSHRDLU")
_CHINESE = "的一是不了在人有我他这中大来上个国到说们为和你地出以时要就可会生对能下过子得自年用行方法分动同发经面加机文本部"
_TRADITIONAL = "的一是不了在人有我他這中大來上個國到說們為和你地出以時要就可會生對能下過子得自年用行方法分動同發經面加機文本部"
_KANA = "".join(map(chr, range(0x3041, 0x3094))) + "のンスールトリラレイアシ"
_HANGUL = "이다는을의에가를은고하지로한기사리도대자시인어스나해아그서정수일전부제과원만"
_CJK_MARKS = "，。、：；！？（）《》“”　"

_WIDE: tuple[tuple[str, frozenset[str]], ...] = tuple(
    (name, _ENGLISH | frozenset(_CHINESE + _TRADITIONAL + _KANA + _HANGUL + _CJK_MARKS))
    for name in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
)
_EAST_ASIAN: tuple[tuple[str, frozenset[str]], ...] = (
    ("gb18030", frozenset(_CHINESE + _CJK_MARKS)),
    ("big5", frozenset(_TRADITIONAL + _CJK_MARKS)),
    ("shift_jis", frozenset(_KANA + _CJK_MARKS)),
    ("euc_jp", frozenset(_KANA + _CJK_MARKS)),
    ("euc_kr", frozenset(_HANGUL)),
)
"""An encoding and its commonest characters: about a third of running text, but 3 % of text read in a wrong encoding."""
_LEAST_COMMON = 0.12

_OTHERS = [
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "iso8859_2", "iso8859_5", "iso8859_7", "koi8_r"),
    *("gb18030", "big5", "shift_jis", "euc_jp", "euc_kr"),
]
"""What charset-normalizer may choose from: its longer list has code pages nobody meets that win on short texts."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text without byte order mark, NUL and lone surrogates, and how it was read."""

    text: str
    encoding: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Guess:
    encoding: str
    reason: str
    """How it is known; ends the sentence that is shown."""


def decode(data: bytes, source: str, encoding: str | None = None) -> Decoded:
    """The text of a file.

    Args:
        data: the whole file.
        source: its name, for sentences.
        encoding: what the user says it is; None: find out.
    Raises:
        ParseError: the encoding is unknown, or the bytes are no text.

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
    if data.count(0) <= _MOST_NULS * len(data):
        try:
            return _clean_text(_refuse_controls(data, source).decode("utf-8"), "utf-8", [])
        except UnicodeDecodeError:
            pass  # the other ways follow
    return _guessed(data, source)


def _chosen(data: bytes, source: str, encoding: str) -> Decoded:
    try:
        name = codecs.lookup(encoding).name
        data[:0].decode(name)
        for bom, of in _BOMS:
            if data.startswith(bom) and of.replace("-le", "").replace("-be", "") in name:
                data = data[len(bom) :]
                name = of
                break
        return _cleaned(data, name, [])
    except (LookupError, ValueError) as error:
        sentence = f"{source} cannot be read as '{encoding}'; give an encoding such as utf-8, gb18030, utf-16, big5 or cp1252, or none."
        raise ParseError(sentence, where=source) from error


def _guessed(data: bytes, source: str) -> Decoded:
    """Neither marked nor UTF-8."""
    damaged = data.decode("utf-8", "replace")
    if 0 not in data and _mostly_utf8(damaged):
        return _cleaned(data, "utf-8", [])
    sample = _sample(data)
    guess = _best(sample, _WIDE) if 0 in data else None
    if guess is None:
        _refuse_nuls(data, source)
        _refuse_controls(data, source)
        guess = _best(sample, _EAST_ASIAN) or _normalizer_guess(sample)
    note = f"Read as {guess.encoding.upper()}, {guess.reason}; choose the encoding yourself if the text looks wrong."
    return _cleaned(data, guess.encoding, [note])


def _mostly_utf8(damaged: str) -> bool:
    """At least ten good characters outside ASCII for each that was lost."""
    lost = damaged.count("\ufffd")
    outside = len(damaged) - len(damaged.encode("ascii", "ignore"))
    return outside - lost >= 10 * lost


def _sample(data: bytes) -> bytes:
    """Up to 64 KB from where the first byte outside ASCII (or the first NUL) stands, on a multiple of 4 bytes."""
    first = re.search(rb"[\x00\x80-\xff]", data)
    start = max(first.start() - 64, 0) // 4 * 4 if first else 0
    if 0 not in data and start:
        start = data.rfind(b"\n", 0, start + 64) + 1  # multi-byte characters never hold a line feed
    return data[start : start + _SAMPLE]


def _best(sample: bytes, candidates: tuple[tuple[str, frozenset[str]], ...]) -> _Guess | None:
    """The candidate in which the most characters are common ones, if enough are."""
    scores = sorted(((_common_share(sample, name, common), name) for name, common in candidates), reverse=True)
    best, name = scores[0]
    if best < _LEAST_COMMON:
        return None
    return _Guess(name, f"a guess ({100 * best / (best + scores[1][0]):.0f} % sure)")


def _common_share(sample: bytes, encoding: str, common: frozenset[str]) -> float:
    """Common characters among those that are not ASCII (among all, for encodings two or four bytes wide)."""
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    try:
        text = decoder.decode(sample)  # a character cut off at the sample's end is no fault
    except UnicodeDecodeError as error:
        text = sample[: error.start].decode(encoding, "replace") if error.start > len(sample) * 0.98 else ""
    if not encoding.startswith("utf"):
        text = "".join(character for character in text if character > "\x7f")
    return sum(character in common for character in text) / len(text) if text else 0.0


def _normalizer_guess(sample: bytes) -> _Guess:
    from charset_normalizer import from_bytes

    best = from_bytes(sample, cp_isolation=_OTHERS).best()
    if best is None:
        return _Guess("cp1252", "because no encoding fits")
    return _Guess(best.encoding.replace("_", "-"), f"a guess ({100 - best.percent_chaos:.0f} % sure)")


def _refuse_known_binary(data: bytes, source: str) -> None:
    for magic, what in _MAGIC:
        if data.startswith(magic) and not (magic.isascii() and _is_text(data)):
            raise ParseError(f"{source} is {what}, not text; give its own ending if it has a wrong one, or save it as text.", where=source)


def _is_text(data: bytes) -> bool:
    """A text may open with letters that are some format's mark: it has no control characters."""
    head = data[:4096]
    return b"\0" not in head and not head.startswith(b"%PDF-") and len(head.translate(None, _CONTROLS)) == len(head)


def _refuse_nuls(data: bytes, source: str) -> None:
    if data.count(0) > _MOST_NULS * len(data):
        raise ParseError(f"{source} is a binary file, not text; give a text file, or its encoding if it is one.", where=source)


def _refuse_controls(data: bytes, source: str) -> bytes:
    head = data[: 1 << 20]
    if len(head) - len(head.translate(None, _CONTROLS)) > _MOST_CONTROLS * len(head):
        raise ParseError(f"{source} is a binary file, not text; give a text file, or its encoding if it is one.", where=source)
    return data


def _cleaned(data: bytes, encoding: str, notes: list[str]) -> Decoded:
    """Decode for good; what cannot be decoded becomes U+FFFD and is counted."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode(encoding, "replace")
        notes = [*notes, f"{_count(text.count(chr(0xFFFD)), 'place')} could not be read as {encoding.upper()} and show as \ufffd."]
    return _clean_text(text, encoding, notes)


def _clean_text(text: str, encoding: str, notes: list[str]) -> Decoded:
    text = text.removeprefix("\ufeff")
    if "\x00" in text or _UNREADABLE.search(text):
        text, count = _UNREADABLE.subn("\ufffd", text)
        notes = [*notes, f"{_count(count, 'character')} (NUL or half a surrogate pair) cannot be kept in a text and show as \ufffd."]
    return Decoded(text, encoding, tuple(notes))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
