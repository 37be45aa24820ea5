"""Numeral systems read back, and the counter of levels against a model that looks at the whole list each time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.parsing.builder.numerals import NUMERALS, LevelCounter, numeral

_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_UNITS = {"十": 10, "百": 100, "千": 1000}


def _roman(text: str) -> int:
    values = [_VALUES[letter] for letter in text]
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))


def _letters(text: str) -> int:
    total = 0
    for letter in text:
        total = total * 26 + ord(letter) - 96
    return total


def _chinese(text: str) -> int:
    """By the rules of reading: a digit times the unit after it, and everything before 万 by ten thousand."""
    high, mark, low = text.rpartition("万")
    total = _chinese(high) * 10_000 if mark else 0
    digit = 0
    for letter in low:
        if letter in _UNITS:
            total, digit = total + (digit or 1) * _UNITS[letter], 0
        elif letter not in "零〇":
            digit = "一二三四五六七八九".index(letter) + 1
    return total + digit


@given(st.integers(1, 32_767))
def test_roman_numbers_read_back(number: int) -> None:
    """In both cases of letters."""
    assert _roman(numeral(number, "upper-roman")) == number
    assert numeral(number, "lower-roman").upper() == numeral(number, "upper-roman")


@given(st.integers(1, 10**18))
def test_letters_read_back(number: int) -> None:
    """a to z, aa to az; with repeated letters each run is of one."""
    assert _letters(numeral(number, "lower-letter")) == number
    repeated = numeral(number, "lower-letter-repeated")
    if number <= 780:
        assert (len(repeated) - 1) * 26 + ord(repeated[0]) - 96 == number
        assert len(set(repeated)) == 1


@given(st.integers(1, 10**8 - 1), st.sampled_from(["chinese", "chinese-ring", "japanese"]))
def test_counted_numbers_read_back(number: int, system: str) -> None:
    """Zeros stand for units that are skipped, once a run, and never two in a row."""
    text = numeral(number, system)
    assert _chinese(text) == number
    assert "零零" not in text
    assert not text.endswith(("零", "〇"))


@given(st.integers(0, 10**18), st.sampled_from([name for name in NUMERALS if name.endswith("-digit")]))
def test_digits_of_other_scripts_keep_their_places(number: int, system: str) -> None:
    """A digit for a digit."""
    digits = [numeral(digit, system) for digit in range(10)]
    assert len(set(digits)) == 10
    assert numeral(number, system) == "".join(digits[int(digit)] for digit in str(number))


@pytest.mark.parametrize("system", NUMERALS)
@given(number=st.integers(-(10**30), 10**30))
def test_every_number_is_written_shortly(system: str, number: int) -> None:
    """What a system has no words for is written in decimal; nothing is long, however large the number."""
    text = numeral(number, system)
    assert text
    assert len(text) <= 120
    row = NUMERALS[system]
    if not row.first <= number <= row.last:
        assert text == str(number)


@pytest.mark.parametrize("system", NUMERALS)
def test_first_numbers_differ(system: str) -> None:
    """No two of the first ten items of a list have the same number."""
    assert len({numeral(number, system) for number in range(1, 11)}) == 10


@pytest.mark.parametrize(
    ("system", "number", "text"),
    [
        ("upper-roman", 1994, "MCMXCIV"),
        ("lower-letter", 27, "aa"),
        ("lower-letter-repeated", 28, "bb"),
        ("chinese", 210, "二百一十"),
        ("taiwanese-formal", 105, "壹佰零伍"),
        ("japanese", 121, "百二十一"),
        ("korean", 23, "이십삼"),
        ("hebrew", 15, "טו"),
        ("hebrew", 16, "טז"),
        ("hebrew", 123, "קכג"),
        ("arabic-abjad", 4, "د"),
        ("hindi-digit", 12, "१२"),
        ("ordinal", 112, "112th"),
        ("ordinal", 23, "23rd"),
        ("words", 45, "Forty-five"),
        ("ordinal-words", 20, "Twentieth"),
        ("ordinal-words", 132, "One hundred thirty-second"),
        ("decimal-zero", 7, "07"),
        ("stem-branch", 60, "癸亥"),
        ("no such system", 5, "5"),
    ],
)
def test_numerals_match_dictionaries_and_word_processors(system: str, number: int, text: str) -> None:
    """As dictionaries and word processors have them."""
    assert numeral(number, system) == text


_STEPS = st.lists(st.tuples(st.integers(0, 4), st.booleans()), max_size=40)


@given(_STEPS, st.lists(st.integers(-3, 10**18), min_size=5, max_size=5))
def test_counter_against_a_naive_model(steps: list[tuple[int, bool]], starts: list[int]) -> None:
    """A level counts its items since the last one above it, and itself once where it was skipped on the way down."""
    counter, levels = LevelCounter(5), list[int]()
    restarts = [0] * 5
    """Where each level was last told to restart."""
    for level, restart in steps:
        if restart:
            counter.restart(level)
            restarts[level] = len(levels)
        levels.append(level)
        numbers = counter.advance(level, starts)
        assert numbers == tuple(_number(levels, place, starts[place], restarts[place]) for place in range(level + 1))


def _number(levels: list[int], place: int, start: int, restart: int) -> int:
    first = max([n + 1 for n, level in enumerate(levels) if level < place] + [restart])
    since = [level for level in levels[first:] if level >= place]
    return start + since.count(place) + (since[0] > place) - 1


@given(st.lists(st.integers(0, 3), max_size=30))
def test_levels_that_are_kept_go_on(levels: list[int]) -> None:
    """A level that nothing restarts counts all of its items."""
    counter, count = LevelCounter(4), 0
    for level in levels:
        numbers = counter.advance(level, [1] * 4, continued=[2])
        count += level == 2 or (level == 3 and count == 0)
        if level >= 2:
            assert numbers[2] == count
