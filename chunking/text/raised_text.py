"""Superscripts and subscripts as plain text: note marks in brackets, exponents after a sign.

A mark that looks like a part of its word (`networks1`) would spoil the word for search, and an exponent its number
(`106` for ten to the sixth). Readers put the characters below around raised text, and `write_raised` converts it to
plain text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Iterator
from itertools import chain

__all__ = [
    "END",
    "LINKED",
    "MARK",
    "SUBSCRIPT",
    "SUPERSCRIPT",
    "add_raised",
    "label_of",
    "marked_parts",
    "may_be_mark",
    "sign_tags",
    "write_raised",
    "written",
]

SUPERSCRIPT, SUBSCRIPT, LINKED, END = "\ufdd0", "\ufdd1", "\ufdd2", "\ufdd3"
"""Code points that open a superscript, subscript or superscript linking to a note, and close any.

No document may use these code points.
"""
_OPENINGS = {"sup": SUPERSCRIPT, "sub": SUBSCRIPT}
_TAG = re.compile(r"(?<!`)(`+)(?!`)[^`]+\1(?!`)|<(/?)(sup|sub)(?:\s[^<>]{0,200})?>", re.IGNORECASE)
_SIGN = re.compile(f"[{SUPERSCRIPT}{SUBSCRIPT}{LINKED}{END}]")
_LINKED_NUMBER = re.compile(rf"{LINKED}\[?([0-9]{{1,4}})\]?{END}")
"""Linked numbers, the raised text of most pages: converted without looking at their context."""

MARK = re.compile(r"\d{1,3}[).]?|[*∗†‡§¶]{1,3}|[a-z][).]?")
"""A note mark."""
_MOST = 40
"""Maximum length of a mark or an exponent; longer raised text is small print."""
_TAIL = 80
"""Characters before a mark that are examined."""

_NUMBERS = re.compile(r"\d{1,3}[).]?(?:\s*[,;–-]\s*\d{1,3})*,?")
_LETTERS = re.compile(r"[a-z][).]?(?:\s*[,;]\s*[a-z]|\s*[,;]\s*\d{1,2})*,?")
_SIGNED = re.compile(r"[-−–+]\s?\d{1,3}(?:[.,]\d{1,3})?|\d{1,3}\.\d{1,3}")
_CHARGE = re.compile(r"\d{1,2}[-−–+]")
_VARIABLE = re.compile(r"[-−–+]?\d{0,3}[i-np-zI-NP-ZΑ-Ωα-ω]")
_EXPRESSION = re.compile(r"[-−–+]?[\w.]{1,8}(?:\s?[-−–+*·×/]\s?[\w.]{1,8}){1,4}")
_ORDINAL = re.compile(r"(?:st|nd|rd|th|er|re|e|[èeé]me|[èe]re|nde?|o|os|as|[ªº])\.?", re.IGNORECASE)
_ROMAN = re.compile(r"(?<![^\W\d_])[IVXLCDM]+\Z")
_TRADEMARKS = {"tm": "™", "sm": "℠"}
_FRACTIONS = ("⁄", f"/{SUBSCRIPT}")

_NUMBER = re.compile(r"\d[\d.,'\u00a0\u202f]*\Z")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_GROUPED = re.compile(r"\d{1,3}(?:[,.'\u00a0\u202f]\d{3})+(?:[.,]\d+)?")
_DATE = re.compile(r"\d{1,4}[.,]\d{1,4}[.,]\d{1,4}.*")
_OWN_WORD = re.compile(r"(?:[^\W\d_]{2,}[-‐‑/]?|[$€£¥₩₹]\s?|\d[/:.-])\Z")
"""Context before digits that belong to a name (`COVID-19`), a price or a date."""
_POWERS = frozenset({"10", "2"})
"""Bases of powers, even of the first power."""

_WORD = re.compile(r"[^\W\d_]{3,}\Z|(?<![^\W\d_])(?:[A-Z][a-z]|AI|EU|IT|UK|UN|US)\Z")
_LONG_WORD = re.compile(r"[^\W\d_]{4,}\Z")
_FUNCTION = re.compile(r"(?<![^\W\d_])(?:sin|cos|tan|cot|sec|csc|log|exp|sinh|cosh|tanh|det)\Z")
_UNIT = re.compile(r"(?<![^\W\d_])(?:mol|bar|rad|kPa|MPa|GPa|GHz|MHz|kHz|px|pt)\Z")
_SHORT = re.compile(r"(?<![^\W\d_])(?!AI|EU|IT|UK|UN|US)[A-Z]{1,2}\Z")
"""Chemical and other symbols, which raised text belongs to."""
_TWO_LETTERS = re.compile(r"(?<![^\W\d_])[^\W\d_]{2}\Z")
_UNIT_POWERS = frozenset("23456")
_VARIABLE_BASE = re.compile(r"(?<![^\W\d_])[a-zα-ω]\Z")
_STOP = re.compile(r"[.,;:!?”’\"»\]%‰€£$¥°]\Z")
_WORD_IN_BRACKETS = re.compile(r"\([^()]*(?:[^\W\d_]{3}|\d{4})[^()]*\)\Z")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\u3001\u3002\uff0c\uff1b\u300b\u300d\u201d\uff09]\\Z")
_NOTE_TEXT = re.compile(
    "[^\\W\\d_]{3}|(?:A|An|At|By|If|In|It|On|To|We) |[“\"‘'(]?\\d|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
)
"""Beginning of a note's text after its mark; no isotope has such a name."""


def label_of(mark: str) -> str:
    """Normalise a note mark: `1)` and `1` are the same note.

    >>> label_of("1)"), label_of("∗")
    ('1', '*')
    """
    return mark.strip(" .)(,").replace("∗", "*")


def may_be_mark(before: str) -> bool:
    """True if raised text after `before` may be a note mark rather than an exponent.

    >>> [may_be_mark(text) for text in ("of networks", "tails.", "10", "CO", "x", "约定", "12 %")]
    [True, True, False, False, False, True, True]
    """
    before = _tail(before)
    if _FUNCTION.search(before) or _UNIT.search(before):
        return False
    is_word = _WORD.search(before) and not _SHORT.search(before)
    return bool(is_word or _STOP.search(before) or _WIDE.search(before) or _WORD_IN_BRACKETS.search(before))


def written(text: str, raised: Iterable[tuple[int, int]]) -> str:
    """Write the raised spans of a text as plain text, when none is known to be a note mark.

    >>> written("networks.1 As of 106 in m2", [(9, 10), (19, 20), (25, 26)])
    'networks.[1] As of 10^6 in m2'
    """
    return "".join(part for part, _ in marked_parts(text, raised, ()))


def marked_parts(
    text: str, raised: Iterable[tuple[int, int]], linked: Container[tuple[int, int]]
) -> Iterator[tuple[str, tuple[int, int] | None]]:
    """Yield each part of a text as plain text, with the span of a raised part, else None.

    Raised spans in `linked` become note marks in brackets, others an exponent or a mark by their context.
    """
    done = 0
    for start, end in raised:
        mark = text[start:end]
        yield text[done:start], None
        if (start, end) in linked:
            yield f"[{label_of(mark)}]", (start, end)
        else:
            yield _superscript(mark, text[max(start - _TAIL, 0) : start], text[end : end + _MOST]), (start, end)
        done = end
    yield text[done:], None


def add_raised(run: list[str], text: str, opening: str) -> None:
    """Append `opening`, raised text and END to `run`, or extend the raised text `run` ends with."""
    if len(run) > 2 and run[-1] == END and run[-3] == opening and len(run[-2]) <= _MOST:
        run[-2] += text
    else:
        run += [opening, text, END]


def sign_tags(markup: str) -> str:
    """Replace `sup` and `sub` tags by SUPERSCRIPT, SUBSCRIPT and END, except in code spans.

    >>> write_raised(sign_tags("10<sup>6</sup> of `x<sup>2</sup>`"))
    '10^6 of `x<sup>2</sup>`'
    """
    if "<" not in markup or "<su" not in markup.lower():
        return markup
    return _TAG.sub(lambda tag: tag[0] if tag[1] else END if tag[2] else _OPENINGS[tag[3].lower()], markup)


def write_raised(text: str) -> str:
    """Convert the text between SUPERSCRIPT, SUBSCRIPT or LINKED and END to plain text.

    Nested raised text counts as one. Adjacent pieces are one exponent or two note marks.

    >>> write_raised("of networks\ufdd01\ufdd3 with 10\ufdd06\ufdd3 H\ufdd12\ufdd3O")
    'of networks[1] with 10^6 H2O'
    """
    numbered = _LINKED_NUMBER.sub(r"[\1]", text)
    if not _SIGN.search(numbered):
        return numbered
    pieces = list(_pieces(text))
    out: list[str] = []
    plain = ""
    for number, (opening, piece) in enumerate(pieces):
        if opening:
            after = _after(pieces, number)
            before = _tail_of(out, number, pieces) if opening != SUBSCRIPT else plain
            out.append(_shown(opening, piece, before, after))
        else:
            out.append(piece)
        plain = (plain + piece)[-_TAIL:]
    return "".join(out)


def _tail_of(out: list[str], number: int, pieces: list[tuple[str, str]]) -> str:
    """Return the text before a superscript, without note marks right before it."""
    parts: list[str] = []
    length = 0
    for place in range(number - 1, max(number - 20, -1), -1):
        opening, piece = pieces[place]
        is_note = opening not in ("", SUBSCRIPT) and out[place].endswith("]")
        if is_note and not parts:
            continue
        parts.append(piece)
        length += len(piece)
        if length >= _TAIL:
            break
    return "".join(reversed(parts))[-_TAIL:]


def _after(pieces: list[tuple[str, str]], number: int) -> str:
    """Return the text after a raised piece.

    A subscript in it begins with its sign, which marks a fraction.
    """
    parts = [opening + piece[:_MOST] for opening, piece in pieces[number + 1 : number + 3]]
    return "".join(parts)[:_MOST]


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Yield (opening sign or "", text) of each part."""
    openings: list[str] = []
    base = ""
    waiting = ("", "")
    depth = done = 0
    for sign in chain(_SIGN.finditer(text), (None,)):
        piece = (openings[-1] if openings else "", text[done : sign.start() if sign else len(text)])
        done = sign.end() if sign else done
        if piece[1] and depth == len(openings) and _are_one(waiting, piece, base):
            waiting = piece[0], waiting[1] + piece[1]
        elif piece[1]:
            if waiting[1]:
                yield waiting
            base, waiting, depth = waiting[1], piece, len(openings)
        if sign and sign[0] != END:
            openings.append(sign[0])
        elif openings:
            openings.pop()
    if waiting[1]:
        yield waiting


def _are_one(first: tuple[str, str], second: tuple[str, str], base: str) -> bool:
    """True if adjacent pieces are one exponent, index or plain text that a program has cut."""
    if first[0] != second[0] or first[0] == LINKED:
        return False
    joins_freely = first[0] != SUPERSCRIPT or not first[1][-1:].isalnum() or not second[1][:1].isalnum()
    return joins_freely or (base[-1:].isdigit() and _is_exponent(first[1], base[-_TAIL:]))


def _shown(opening: str, mark: str, before: str, after: str) -> str:
    """Convert one raised piece to plain text."""
    if len(mark) > _MOST or not mark.strip():
        return mark
    if opening == LINKED:
        leads_back = mark.isalpha() and before[-1:].isspace()  # from a note to where it is referred to: `^ a b`
        return mark if leads_back else _linked(mark)
    return (_subscript if opening == SUBSCRIPT else _superscript)(mark, before, after)


def _linked(mark: str) -> str:
    label = label_of(mark.strip().removeprefix("[").removesuffix("]"))
    return f"[{label}]{',' if mark.rstrip().endswith(',') else ''}" if label else mark


def _subscript(mark: str, before: str, _: str) -> str:
    """Write a subscript without a sign (`H2O`, `Vmax`), unless it would extend a number or hide a word."""
    before = _tail(before)
    hides = _LONG_WORD.search(before) and mark.strip().isalnum() and not _SHORT.search(before)
    return f"_{mark.strip()}" if (before[-1:].isdigit() and mark[:1].isalnum()) or hides else mark


def _superscript(mark: str, before: str, after: str) -> str:
    before, plain = _tail(before), mark.strip()
    if not plain:
        return mark
    if plain[0] in "[(" or mark[0].isspace():
        return mark
    trademark = _TRADEMARKS.get(plain.lower())
    if trademark and before:
        return trademark
    if not before[-1:].strip():
        is_note = _NUMBERS.fullmatch(plain) or _LETTERS.fullmatch(plain)
        is_short = len(plain) < 3 or not plain.isdigit()
        return (
            f"[{label_of(plain)}] "
            if is_note and is_short and mark[-1:] == plain[-1:] and _NOTE_TEXT.match(after)
            else mark
        )
    if before[-1].isdigit():
        return _after_digit(mark, plain, before, after)
    if may_be_mark(before):
        return _after_word(mark, plain, before)
    if _TWO_LETTERS.search(before) and _NUMBERS.fullmatch(plain) and label_of(plain) not in _UNIT_POWERS:
        return _note(plain)
    if (before[-1] == ")" or _FUNCTION.search(before)) and (
        _NUMBERS.fullmatch(plain) or _SIGNED.fullmatch(plain) or _VARIABLE.fullmatch(plain)
    ):
        return f"^{plain}"
    if _VARIABLE_BASE.search(before) and not _ORDINAL.fullmatch(plain) and any(map(str.isalpha, plain)):
        return _power(plain) if _VARIABLE.fullmatch(plain) or _EXPRESSION.fullmatch(plain) or len(plain) < 4 else mark
    return mark


def _after_digit(mark: str, plain: str, before: str, after: str) -> str:
    if after.startswith(_FRACTIONS):
        return f" {plain}"
    if _ORDINAL.fullmatch(plain):
        return mark
    if _NUMBERS.fullmatch(plain):
        return f"^{plain}" if _is_exponent(plain, before) else _note(plain)
    if (
        _SIGNED.fullmatch(plain)
        or _CHARGE.fullmatch(plain)
        or _VARIABLE.fullmatch(plain)
        or _EXPRESSION.fullmatch(plain)
    ):
        return _power(plain)
    return _note(plain) if plain[0].isalnum() else mark


def _after_word(mark: str, plain: str, before: str) -> str:
    if _NUMBERS.fullmatch(plain) or _LETTERS.fullmatch(plain):
        return mark if _ROMAN.search(before) and _ORDINAL.fullmatch(plain) else _note(plain)
    if _LONG_WORD.search(before) and plain.isalpha() and not _ROMAN.search(before):
        return _note(plain)
    return mark


def _is_exponent(plain: str, before: str) -> bool:
    """True if a raised number is an exponent; years, prices and ends of names have none."""
    match = _NUMBER.search(before)
    if match is None:
        return plain.isdigit()
    number, text_before = match[0], before[: match.start()]
    if number in _POWERS and not _OWN_WORD.search(text_before):
        return True
    if not plain.isdigit() or _OWN_WORD.search(text_before) or _DATE.fullmatch(number):
        return False
    return not (_GROUPED.fullmatch(number) or (_YEAR.fullmatch(number) and not text_before[-1:].isalpha()))


def _note(plain: str) -> str:
    return f"[{plain.strip(' .),')}]" + ("," if plain.endswith(",") else "")


def _power(plain: str) -> str:
    """Write an exponent, in brackets if it has several parts."""
    return f"^({plain})" if _EXPRESSION.fullmatch(plain) and not _SIGNED.fullmatch(plain) else f"^{plain}"


def _tail(before: str) -> str:
    """Return the last characters of a text, without combining marks and invisible characters."""
    before = before[-_TAIL:]
    if before.isascii():
        return before
    return "".join(one for one in before if unicodedata.category(one) not in ("Mn", "Me", "Mc", "Cf"))
