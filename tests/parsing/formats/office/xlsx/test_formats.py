"""Numbers as a spreadsheet shows them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.parsing.formats.office.xlsx.formats import BUILT_IN, formatter, text_frame

ACCOUNTS = '_(* #,##0_);_(* \\(#,##0\\);_(* "—"_);_(@_)'


@pytest.mark.parametrize(
    ("code", "value", "text"),
    [
        ("General", 3.0, "3"),
        ("General", 0.1 + 0.2, "0.3"),
        ("0", 2.5, "3"),
        ("0.00", 1.005, "1.01"),
        ("0.0##", 1.5, "1.5"),
        ("0.0##", 1.23456, "1.235"),
        ("000", 7, "007"),
        ("#,##0", 1234567, "1,234,567"),
        ("#,##0.00;[Red]-#,##0.00", -5, "-5.00"),
        ("#,##0;(#,##0)", -81, "-81"),
        ("0;[Red]0", -3, "-3"),
        (ACCOUNTS, 12553, "12,553"),
        (ACCOUNTS, -337, "-337"),
        (ACCOUNTS, 0, "—"),
        ("0%", 0.256, "26%"),
        ("0.0%", -0.256, "-25.6%"),
        ('"$"#,##0.00', 1234.5, "$1,234.50"),
        ("[$€-407] #,##0.00", -2, "-€ 2.00"),
        ('0.0" kg"', 2, "2.0 kg"),
        ("0.0,,\\M", 2_500_000, "2.5M"),
        ("0.00E+00", 12345.678, "1.23E+04"),
        ("# ?/?", 0.5, "1/2"),
        ("000-0000", 5551234, "555-1234"),
        ('"AB-"00000', 12034, "AB-12034"),
        ('"AB-"00000', -12034, "-AB-12034"),
        ("\\A\\B\\-00000", 34, "AB-00034"),
        ("(000) 000-0000", 5551234567, "(555) 123-4567"),
        ("[<=9999999]###-####;(###) ###-####", 5551234, "555-1234"),
        ("[<=9999999]###-####;(###) ###-####", 5551234567, "(555) 123-4567"),
        ("000-00-0000", 12345678, "012-34-5678"),
        ("00000-0000", 123456789, "12345-6789"),
        ("000 000 000", 7, "000 000 007"),
        ("00\\:00", 1230, "12:30"),
        ("00.00.0000", 12.5, "12.50.0000"),
        ("###-###", 1234567, "1234-567"),
        ('0" - "0', 12, "1 - 2"),
        ('#,##0"-"', 1200, "1,200-"),
        ('"v"0.0', 2.1, "v2.1"),
        ('0.0"."0', 1.25, "1.2.5"),
        ("#,###", 1234567.5, "1,234,568"),
        ("#", 0, "0"),
        ("0000000,000", 1234567, "0,001,234,567"),
        ("0.00E-00", 0.00012, "1.20E-04"),
        ("##0.0E+0", 12345, "12.3E+3"),
        ("0.0E+0", 9.96, "1.0E+1"),
        ("0E+0", 0, "0E+0"),
        ("0.00E+00", -12345.678, "-1.23E+04"),
        ("# ?/?", 1.5, "1 1/2"),
        ("# ??/??", 3.14159, "3 14/99"),
        ("# ?/8", 0.5, "4/8"),
        ("?/?", 2.5, "5/2"),
        ("# ?/?", 2.999, "3"),
        ("# ?/?", 0, "0"),
        ("# ?/?", -0.5, "-1/2"),
        ('# ?/?" cup"', 0.75, "3/4 cup"),
        ("0,", 12345, "12"),
        ('0.0,,"M"', 12_345_678, "12.3M"),
        ('[>=1000000]0.0,,"M";[>=1000]0.0,"K";0', 1_500_000, "1.5M"),
        ('[>=1000000]0.0,,"M";[>=1000]0.0,"K";0', 1500, "1.5K"),
        ('[>=1000000]0.0,,"M";[>=1000]0.0,"K";0', 15, "15"),
        ('[=1]"yes";[=0]"no";General', 1, "yes"),
        ('[=1]"yes";[=0]"no";General', 0, "no"),
        ('[=1]"yes";[=0]"no";General', 7, "7"),
        ("[Red][<0]-0.0;[Blue]0.0", -2, "-2.0"),
        ("[Color10]0.0;[Magenta](0.0)", -2, "-2.0"),
        ('"up "0;"down "0;"level"', -3, "-down 3"),
        ('"up "0;"down "0;"level"', 0, "level"),
        ('General" kg"', 2.5, "2.5 kg"),
        ('"No. "@', 5, "No. 5"),
        ("0%_);(0%)", -0.2, "-20%"),
        ("0 %", 0.5, "50 %"),
        ("[$€-407] #,##0.00", 1234.5, "€ 1,234.50"),
        ("#,##0.00 [$₽-419]", 2, "2.00 ₽"),
        ("[$USD] 0.00", 2, "USD 2.00"),
        ("[$-409]0.00", 2, "2.00"),
        ("$* #,##0.00_)", 5, "$5.00"),
        ("_-* #,##0.00_-;-* #,##0.00_-", -5, "-5.00"),
        ("\u00a50", 5, "¥5"),
        ('0"', 5, "5"),
        ("@", 5, "5"),
        (";;;", 5, "5"),
        ("0.00", 1e300, "1e+300"),
        ("yyyy-mm-dd", 45000, "2023-03-15"),
        ("m/d/yy h:mm", 45000.5, "2023-03-15 12:00"),
        ('yyyy"年"m"月"d"日"', 45000, "2023-03-15"),
        ("[$-409]d-mmm-yy;@", 45000, "2023-03-15"),
        ("mmm-yy", 45000, "2023-03"),
        ("yyyy", 45000, "2023"),
        ("h:mm AM/PM", 0.75, "18:00"),
        ("h:mm:ss", 0.5, "12:00:00"),
        ("[h]:mm", 1.5, "36:00"),
        ("[mm]:ss", 0.01, "0:14:24"),
        ("[h]:mm", 1.7e308, "1.7e+308"),
        ("yyyy-mm-dd", 1, "1900-01-01"),
        ("yyyy-mm-dd", -1, "-1"),
        ("yyyy-mm-dd", 1e12, "1000000000000"),
    ],
)
def test_as_a_person_sees_it(code: str, value: float, text: str) -> None:
    """One line a kind of format; one that shows nothing of a number shows it as it is."""
    assert formatter(code)(value) == text


_LITERALS = st.sampled_from(
    ['"AB-"', "-", " ", "\\x", '"()"', "(", ")", ":", '"°C"', "\\/", "_)", "*x", "[Red]", "[$€-407]", "+", "'"]
)


@given(st.lists(st.tuples(_LITERALS, st.integers(0, 4)), min_size=1, max_size=6), st.integers(0, 10**12))
def test_no_digit_is_lost_among_literals(parts: list[tuple[str, int]], value: int) -> None:
    """A number is filled up with zeros to the places of its format, whatever stands between them."""
    places = sum(zeros for _, zeros in parts)
    text = formatter("".join(literal + "0" * zeros for literal, zeros in parts))(value)
    assert "".join(filter(str.isdecimal, text)) == f"{value:0{places}d}" if places else True


@given(st.integers(0, 10**9), st.sampled_from(["#,##0", "#,###", "0,000", '"n "#,##0" x"']))
def test_groups_of_thousands(value: int, code: str) -> None:
    """Commas stand where a person puts them."""
    expected = f"{value:,}" if value > 999 or code != "0,000" else f"0,{value:03}"
    assert expected in formatter(code)(value)


@given(st.integers(1, 999), st.integers(1, 99))
def test_fractions_of_two_digits_are_exact(top: int, bottom: int) -> None:
    """A fraction of two digits comes out as it went in."""
    text = formatter("?/??")(top / bottom)
    first, second = map(int, text.split("/"))
    assert Fraction(first, second) == Fraction(top, bottom)


def test_a_format_that_is_no_format() -> None:
    """One of 10 MB, or of nothing but opening quotes, shows the number."""
    assert formatter("0" * 10_000_000)(5) == "5"
    assert formatter('"' * 499)(5) == "5"
    assert formatter("0" * 499)(5).lstrip("0") == "5"


def test_formats_of_texts() -> None:
    """The fourth section, or the only one, frames a text."""
    assert text_frame('"Nr. "@') == ("Nr. ", "")
    assert text_frame('0;-0;0;@" (old)"') == ("", " (old)")
    assert text_frame("0;-0;0;@") is text_frame("@") is text_frame(ACCOUNTS) is text_frame(";;;") is None


def test_dates_count_from_1904_in_old_mac_workbooks() -> None:
    """Old workbooks of the Mac count days from 1904."""
    assert formatter("yyyy-mm-dd", since_1904=True)(0) == "1904-01-01"


@given(
    st.text(alphabet='0#?.,%;@"\\_*[]$€-() EeymdhsAMPG/0', max_size=30),
    st.floats(allow_nan=False, allow_infinity=False),
)
def test_any_format_shows_something(code: str, value: float) -> None:
    """No format and no number is a fault."""
    assert formatter(code)(value).strip()


def test_built_in_formats_are_known() -> None:
    """Each number that a file may name instead of a format has one that shows a number."""
    assert all(formatter(code)(1.5) for code in BUILT_IN.values())
