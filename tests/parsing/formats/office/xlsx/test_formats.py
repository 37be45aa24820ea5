"""Numbers as a spreadsheet shows them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.parsing.formats.office.xlsx.formats import BUILT_IN, formatter

ACCOUNTS = '_(* #,##0_);_(* \\(#,##0\\);_(* "—"_);_(@_)'


@pytest.mark.parametrize(
    ("code", "value", "shown"),
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
        ("0.00E+00", 12345.678, "12345.678"),
        ("# ?/?", 0.5, "0.5"),
        ("000-0000", 5551234, "5551234"),
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
def test_as_a_person_sees_it(code: str, value: float, shown: str) -> None:
    """One line a kind of format; what is not known shows the number itself."""
    assert formatter(code)(value) == shown


def test_the_other_epoch() -> None:
    """Old workbooks of the Mac count days from 1904."""
    assert formatter("yyyy-mm-dd", since_1904=True)(0) == "1904-01-01"


@given(st.text(alphabet='0#?.,%;@"\\_*[]$€-() EeymdhsAMPG/0', max_size=30), st.floats(allow_nan=False, allow_infinity=False))
def test_any_format_shows_something(code: str, value: float) -> None:
    """No format and no number is a fault."""
    assert formatter(code)(value).strip()


def test_built_in_formats_are_known() -> None:
    """Each number that a file may name instead of a format has one that shows a number."""
    assert all(formatter(code)(1.5) for code in BUILT_IN.values())
