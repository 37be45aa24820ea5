"""Numbers of list items and headings: one table of numeral systems for all formats.

Formats name their systems differently (`lowerRoman`, `lower-roman`, `romanLcPeriod`, `i`); each reader maps them to the
names here. A number that a system cannot write is written in decimal, as programs do.

>>> numeral(28, "lower-letter"), numeral(28, "lower-letter-repeated"), numeral(1994, "upper-roman")
('ab', 'bb', 'MCMXCIV')
>>> numeral(101, "chinese"), numeral(12, "circled"), numeral(40, "circled"), numeral(3, "ordinal-words")
('一百零一', '⑫', '40', 'Third')
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

__all__ = ["NUMERALS", "LevelCounter", "NumeralSystem", "numeral"]

_MOST_REPEATS = 30
"""Most repetitions of a letter: Word stops at thirty (780)."""
_MYRIAD = 10_000


@dataclass(frozen=True, slots=True)
class NumeralSystem:
    """Numeral system: a function that writes a number, and the range of numbers it can write."""

    write: Callable[[int], str]
    first: int = 1
    last: int = 10**18


def numeral(number: int, system: str) -> str:
    """Write a number in a system of `NUMERALS`; decimal if it is unknown or lacks the number."""
    row = NUMERALS.get(system)
    return row.write(number) if row is not None and row.first <= number <= row.last else str(number)


def _digits(digits: str) -> NumeralSystem:
    """Place-value notation with other digits, from zero."""
    table = str.maketrans("0123456789", digits)
    return NumeralSystem(lambda number: str(number).translate(table), first=0)


def _fixed(symbols: Sequence[str]) -> NumeralSystem:
    """Numbers with a symbol each."""
    return NumeralSystem(lambda number: symbols[number - 1], last=len(symbols))


def _letters(symbols: Sequence[str]) -> NumeralSystem:
    """Letters like column names: a to z, then aa, ab, ac."""

    def write(number: int) -> str:
        letters = ""
        while number:
            number, rest = divmod(number - 1, len(symbols))
            letters = symbols[rest] + letters
        return letters

    return NumeralSystem(write)


def _repeated(symbols: Sequence[str]) -> NumeralSystem:
    """Repeated letters: a to z, then aa, bb, cc."""

    def write(number: int) -> str:
        times, place = divmod(number - 1, len(symbols))
        return symbols[place] * (times + 1)

    return NumeralSystem(write, last=_MOST_REPEATS * len(symbols))


def _additive(
    values: Sequence[tuple[int, str]], last: int, *, special: Sequence[tuple[str, str]] = ()
) -> NumeralSystem:
    """Sum of the largest values that fit: Roman, Hebrew, Greek, Armenian and Georgian numbers."""

    def write(number: int) -> str:
        symbols = []
        for value, symbol in values:
            times, number = divmod(number, value)
            symbols.append(symbol * times)
        text = "".join(symbols)
        for usual, replacement in special:
            text = text.removesuffix(usual) + replacement if text.endswith(usual) else text
        return text

    return NumeralSystem(write, last=last)


def _alphabetic_values(letters: Sequence[str], last: int = 0) -> NumeralSystem:
    """1 to 9, 10 to 90, 100 to 900 ... by one letter each, smallest first."""
    values = [((n % 9 + 1) * 10 ** (n // 9), letter) for n, letter in enumerate(letters)]
    return _additive(values[::-1], last or values[-1][0] + 10 ** ((len(values) - 1) // 9) - 1)


def _counting(digits: str, units: str, myriad: str, *, zero: str = "", one: str = "", teen: str = "") -> NumeralSystem:
    """Chinese and Japanese numbers, digit by unit: 三百二十一.

    Args:
        digits: one to nine.
        units: ten, hundred, thousand.
        zero: written once for skipped units.
        one: units before which a one is omitted.
        teen: units before which a leading one is omitted.
    """

    def group(number: int, *, leads: bool) -> str:
        text, skipped = "", False
        for place in (3, 2, 1, 0):
            digit, unit = number // 10**place % 10, units[place - 1] if place else ""
            if not digit:
                skipped = True
                continue
            text += zero if skipped and (text or not leads) else ""
            silent = unit and digit == 1 and (unit in one or (unit in teen and leads and not text))
            text, skipped = text + ("" if silent else digits[digit - 1]) + unit, False
        return text

    def write(number: int) -> str:
        high, low = divmod(number, _MYRIAD)
        front = group(high, leads=True) + myriad if high else ""
        return front + (group(low, leads=not high) if low else "")

    return NumeralSystem(write, last=_MYRIAD**2 - 1)


_ONES: tuple[str, ...] = (
    "",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
)
_ONES += ("fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}


def _words(number: int) -> str:
    """English words, capitalised like Word: One, Twenty-one, One hundred twenty-one."""
    thousands, rest = divmod(number, 1000)
    hundreds, rest = divmod(rest, 100)
    parts = [f"{_words(thousands).lower()} thousand"] if thousands else []
    parts += [f"{_ONES[hundreds]} hundred"] if hundreds else []
    tens, ones = divmod(rest, 10)
    parts += [_ONES[rest] if rest < 20 else "-".join(filter(None, (_TENS[tens], _ONES[ones])))] if rest else []
    return " ".join(parts).capitalize()


def _ordinal_words(number: int) -> str:
    words = _words(number)
    front, last = (
        words[: max(words.rfind(" "), words.rfind("-")) + 1],
        words[max(words.rfind(" "), words.rfind("-")) + 1 :],
    )
    word = _ORDINALS.get(last.lower()) or (f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th")
    return front + word if front else word.capitalize()


def _ordinal(number: int) -> str:
    """English ordinals: 1st, 2nd, 3rd, 11th."""
    ending = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _span(first: str, last: str, *, without: str = "") -> str:
    """Characters from one to another, without some."""
    return "".join(letter for letter in map(chr, range(ord(first), ord(last) + 1)) if letter not in without)


_ROMAN = (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x")
_ROMAN_UNITS = (9, "ix"), (5, "v"), (4, "iv"), (1, "i")
_LOWER_ROMAN = (*_ROMAN, *_ROMAN_UNITS)
_LAST_ROMAN = 32_767
"""Largest Roman number of Word: thirty-two M."""
_LATIN = _span("a", "z")
_GREEK = _span("α", "ω", without="ς")
_RUSSIAN = _span("а", "я", without="йъь")
_HEBREW = "אבגדהוזחטיכלמנסעפצקרשת"
_HEBREW_VALUES = [
    (400, "ת"),
    (300, "ש"),
    (200, "ר"),
    (100, "ק"),
    (90, "צ"),
    (80, "פ"),
    (70, "ע"),
    (60, "ס"),
    (50, "נ"),
    (40, "מ"),
]
_HEBREW_VALUES += [(30, "ל"), (20, "כ"), (10, "י"), *((9 - n, letter) for n, letter in enumerate(_HEBREW[8::-1]))]
_HEAVENLY, _EARTHLY = "甲乙丙丁戊己庚辛壬癸", "子丑寅卯辰巳午未申酉戌亥"
_KATAKANA = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
_IROHA = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス"
_HIRAGANA = _span("ぁ", "ん")
_TO_HIRAGANA = str.maketrans(_span("ァ", "ン"), _HIRAGANA)
_ABJAD = "أبجدهوزحطيكلمنسعفصقرشتثخذضظغ"
_ARABIC = "أبتثجحخدذرزسشصضطظعغفقكلمنهوي"
_THAI = _span("ก", "ฮ", without="ฃฅฆฤฦ")
_HINDI_CONSONANTS = _span("क", "ह", without="ऩऱऴ")
_HINDI_VOWELS = [*_span("अ", "औ", without="ऌऍऎऐऑऒ"), "अं", "अः"]

NUMERALS: dict[str, NumeralSystem] = {
    "decimal": NumeralSystem(str, first=-(10**18)),
    "decimal-zero": NumeralSystem(lambda number: f"{number:02}", first=0),
    "hexadecimal": NumeralSystem(lambda number: f"{number:X}"),
    "dashes": NumeralSystem(lambda number: f"- {number} -"),
    "ordinal": NumeralSystem(_ordinal, first=0),
    "words": NumeralSystem(_words, last=999_999),
    "ordinal-words": NumeralSystem(_ordinal_words, last=999_999),
    # letters
    "lower-letter": _letters(_LATIN),
    "upper-letter": _letters(_LATIN.upper()),
    "lower-letter-repeated": _repeated(_LATIN),
    "upper-letter-repeated": _repeated(_LATIN.upper()),
    "lower-greek": _letters(_GREEK),
    "upper-greek": _letters(_GREEK.upper()),
    "lower-russian": _repeated(_RUSSIAN),
    "upper-russian": _repeated(_RUSSIAN.upper()),
    "hebrew-letter": _repeated(_HEBREW),
    "arabic-letter": _repeated(_ARABIC),
    "arabic-abjad": _repeated(_ABJAD),
    "thai-letter": _repeated(_THAI),
    "hindi-consonant": _repeated(_HINDI_CONSONANTS),
    "hindi-vowel": _repeated(_HINDI_VOWELS),
    "katakana": _letters(_KATAKANA),
    "katakana-iroha": _letters(_IROHA),
    "hiragana": _letters(_KATAKANA.translate(_TO_HIRAGANA)),
    "hiragana-iroha": _letters(_IROHA.translate(_TO_HIRAGANA)),
    "korean-syllable": _repeated("가나다라마바사아자차카타파하"),
    "korean-consonant": _repeated("ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ"),
    "footnote-sign": _repeated("*†‡§"),
    # numbers made by adding
    "lower-roman": _additive(_LOWER_ROMAN, _LAST_ROMAN),
    "upper-roman": _additive([(value, letters.upper()) for value, letters in _LOWER_ROMAN], _LAST_ROMAN),
    "hebrew": _additive(_HEBREW_VALUES, 999, special=(("יה", "טו"), ("יו", "טז"))),
    "armenian": _alphabetic_values(_span("Ա", "Ք"), 9999),
    "lower-armenian": _alphabetic_values(_span("ա", "ք"), 9999),
    "georgian": _alphabetic_values("აბგდევზჱთიკლმნჲოპჟრსტჳფქღყშჩცძწჭხჴჯჰ", 9999),
    # Chinese, Japanese, Korean
    "chinese": _counting("一二三四五六七八九", "十百千", "万", zero="零", teen="十"),
    "chinese-ring": _counting("一二三四五六七八九", "十百千", "万", zero="〇", teen="十"),
    "chinese-formal": _counting("壹贰叁肆伍陆柒捌玖", "拾佰仟", "万", zero="零"),
    "taiwanese": _counting("一二三四五六七八九", "十百千", "萬", zero="零", teen="十"),
    "taiwanese-formal": _counting("壹貳參肆伍陸柒捌玖", "拾佰仟", "萬", zero="零"),
    "japanese": _counting("一二三四五六七八九", "十百千", "万", one="十百千"),
    "japanese-formal": _counting("壱弐参四伍六七八九", "拾百阡", "萬"),
    "korean": _counting("일이삼사오육칠팔구", "십백천", "만", one="십백천"),
    "korean-formal": _counting("일이삼사오육칠팔구", "십백천", "만"),
    "korean-hanja": _counting("一二三四五六七八九", "十百千", "萬", one="十百千"),
    "korean-words": _fixed(["하나", "둘", "셋", "넷", "다섯", "여섯", "일곱", "여덟", "아홉", "열"]),
    "vietnamese": _fixed(["một", "hai", "ba", "bốn", "năm", "sáu", "bảy", "tám", "chín", "mười"]),
    "ideograph-digit": _digits("〇一二三四五六七八九"),
    "korean-digit": _digits("영일이삼사오육칠팔구"),
    "heavenly-stem": _fixed(_HEAVENLY),
    "earthly-branch": _fixed(_EARTHLY),
    "stem-branch": _fixed([_HEAVENLY[n % 10] + _EARTHLY[n % 12] for n in range(60)]),
    # signs
    "circled": _fixed(_span("①", "⑳")),
    "black-circled": _fixed(_span("❶", "❿") + _span("⓫", "⓴")),
    "full-stop": _fixed(_span("⒈", "⒛")),
    "parenthesised": _fixed(_span("⑴", "⒇")),
    "circled-ideograph": _fixed(_span("㊀", "㊉")),
    # digits of other scripts
    "full-width": _digits("０１２３４５６７８９"),
    **{name: _digits(_span(zero, chr(ord(zero) + 9))) for name, zero in (
        ("arabic-digit", "٠"), ("persian-digit", "۰"), ("hindi-digit", "०"), ("bengali-digit", "০"),
        ("gurmukhi-digit", "੦"), ("gujarati-digit", "૦"), ("oriya-digit", "୦"), ("tamil-digit", "௦"),
        ("telugu-digit", "౦"), ("kannada-digit", "೦"), ("malayalam-digit", "൦"), ("thai-digit", "๐"),
        ("lao-digit", "໐"), ("tibetan-digit", "༠"), ("myanmar-digit", "၀"), ("khmer-digit", "០"),
        ("mongolian-digit", "᠐"),
    )},
}  # fmt: skip
"""Numeral systems by name."""


class LevelCounter:
    """Counters of a multi-level list: an item counts its own level and restarts those below.

    A level skipped on the way down is counted too, as in word processors: the next item on it is its second.

    >>> counter = LevelCounter(3)
    >>> [counter.advance(level, (1, 1, 1)) for level in (0, 1, 1, 0, 2, 1)]
    [(1,), (1, 1), (1, 2), (2,), (2, 1, 1), (2, 2)]
    """

    def __init__(self, levels: int) -> None:
        self._numbers: list[int | None] = [None] * levels

    def advance(self, level: int, starts: Sequence[int], continued: Collection[int] = ()) -> tuple[int, ...]:
        """Count an item; return its number after those of the levels above it, outermost first.

        Args:
            level: from 0.
            starts: first number of each level.
            continued: deeper levels that do not restart.
        """
        number = self._numbers[level]
        self._numbers[level] = starts[level] if number is None else number + 1
        for deeper in range(level + 1, len(self._numbers)):
            if deeper not in continued:
                self._numbers[deeper] = None
        numbers = tuple(
            start if one is None else one for one, start in zip(self._numbers[: level + 1], starts, strict=False)
        )
        self._numbers[: level + 1] = numbers
        return numbers

    def restart(self, level: int) -> None:
        """Make the next item of a level take the level's first number again."""
        self._numbers[level] = None
