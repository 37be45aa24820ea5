"""Superscripts and subscripts as plain text: no number grows by an exponent, no word by the mark of a note."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.text.raised_text import END, LINKED, SUBSCRIPT, SUPERSCRIPT, add_raised, sign_tags, write_raised

_SIGNS = SUPERSCRIPT + SUBSCRIPT + LINKED + END
_marked = st.text(st.sampled_from(f"{_SIGNS}ab2 10,.()€H中\u0301"), max_size=60)


def shown(markup: str) -> str:
    """Text with `sup`, `sub` and `note` (a linked superscript) as it is written."""
    return write_raised(sign_tags(markup.replace("<note>", LINKED).replace("</note>", END)))


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("3.2 × 10<sup>6</sup> N/m<sup>2</sup>", "3.2 × 10^6 N/m2"),
        ("10<sup>−3</sup> and 10<sup>-12</sup>", "10^−3 and 10^-12"),
        ("2<sup>10</sup> = 1024, 45<sup>2</sup>, 10<sup>0</sup>, 10<sup>1</sup>", "2^10 = 1024, 45^2, 10^0, 10^1"),
        ("2<sup>n</sup> and 2<sup>n+1</sup>", "2^n and 2^(n+1)"),
        ("e<sup>x</sup>, e<sup>−kt</sup>, n<sup>th</sup>", "e^x, e^−kt, nth"),
        ("(1 + r)<sup>10</sup>", "(1 + r)^10"),
        ("(see above)<sup>3</sup>", "(see above)[3]"),
        ("E = mc<sup>2</sup>, sin<sup>2</sup> x", "E = mc2, sin^2 x"),
        ("in 2023<sup>1</sup>", "in 2023[1]"),
        ("in 2023<sup>1,2</sup> and 2023/24<sup>3</sup>", "in 2023[1,2] and 2023/24[3]"),
        ("$5,400<sup>2</sup>, 12 %<sup>2</sup>, 31.12.2023<sup>2</sup>", "$5,400[2], 12 %[2], 31.12.2023[2]"),
        ("45 million<sup>1</sup>, networks<sup>12</sup>", "45 million[1], networks[12]"),
        ("NATO<sup>1</sup> of the EU<sup>2</sup>, COVID-19<sup>3</sup>", "NATO[1] of the EU[2], COVID-19[3]"),
        ("ends.<sup>1</sup> “said”<sup>2</sup>", "ends.[1] “said”[2]"),
        ("约定<sup>1</sup>，약속<sup>2</sup>", "约定[1]，약속[2]"),
        ("नमस्ते<sup>1</sup>, cafe\u0301<sup>2</sup>", "नमस्ते[1], cafe\u0301[2]"),
        ("total<sup>a</sup>, sum<sup>a,b</sup>, price<sup>*</sup>", "total[a], sum[a,b], price*"),
        ("grew<sup>[1]</sup>, said<sup>[citation needed]</sup>", "grew[1], said[citation needed]"),
        ("word<sup>1</sup><sup>2</sup>, word<sup>1</sup>,<sup>2</sup>", "word[1][2], word[1],[2]"),
        ("2023<note>1</note>, x<note>*</note>, m<note>[2]</note>", "2023[1], x[*], m[2]"),
        ("10<sup>1</sup><sup>2</sup>", "10^12"),
        (
            "1<sup>st</sup>, 22<sup>nd</sup>, 19<sup>e</sup>, XIX<sup>e</sup>, M<sup>me</sup>",
            "1st, 22nd, 19e, XIXe, Mme",
        ),
        ("Acme<sup>TM</sup>, Acme<sup>®</sup>", "Acme™, Acme®"),
        ("H<sub>2</sub>O, CO<sub>2</sub>, C<sub>6</sub>H<sub>12</sub>O<sub>6</sub>", "H2O, CO2, C6H12O6"),
        ("V<sub>max</sub>, Ca<sup>2+</sup>, SO<sub>4</sub><sup>2−</sup>", "Vmax, Ca2+, SO4^2−"),
        ("1010<sub>2</sub> is ten, price<sub>new</sub>", "1010_2 is ten, price_new"),
        ("x<sub>1</sub><sup>2</sup>, CO<sub>2</sub><sup>4</sup>", "x1^2, CO2[4]"),
        ("5<sup>1</sup>/<sub>2</sub> inch, 2<sup>1</sup>⁄4", "5 1/2 inch, 2 1⁄4"),
        ("<sup>14</sup>C dating, <sup>1</sup>Without tax", "14C dating, [1] Without tax"),
        ("<sup>1</sup> Without tax. <sup>2</sup>2023 figures", "1 Without tax. [2] 2023 figures"),
        ("10<sup>6<sup>2</sup></sup>", "10^6^2"),
        ("a<sup></sup>b<sup> </sup>c", "ab c"),
        (f"much <sup>{'small print ' * 5}</sup>here", f"much {'small print ' * 5}here"),
    ],
)
def test_as_a_person_would_copy_it(markup: str, text: str) -> None:
    """One line a kind of mark, exponent, index or ordinal."""
    assert shown(markup) == text


@given(st.integers(0, 999), st.integers(2, 99))
def test_no_number_grows(base: int, exponent: int) -> None:
    """A number, a sign and its exponent, or a note of it: never more digits."""
    assert re.fullmatch(rf"{base}(?:\^{exponent}|\[{exponent}\])", shown(f"{base}<sup>{exponent}</sup>"))


@given(st.from_regex(r"[a-zäöü]{5,12}", fullmatch=True), st.integers(1, 99))
def test_no_word_grows(word: str, note: int) -> None:
    """A word keeps its letters to itself."""
    assert shown(f"the {word}<sup>{note}</sup> of") == f"the {word}[{note}] of"


@given(_marked)
def test_no_letter_is_lost(text: str) -> None:
    """Whatever stands raised, in whatever order its signs come: letters and figures stay, in their order."""
    plain = write_raised(text)
    assert not set(plain) & set(_SIGNS)
    assert [one for one in plain if one in "ab210H中"] == [one for one in text if one in "ab210H中"]


@given(st.text(st.sampled_from("<>/supb 1`x"), max_size=60))
def test_any_tags_are_taken(markup: str) -> None:
    """Tags that are not closed, code spans that are not: nothing is a fault, and no sign is left."""
    assert not set(write_raised(sign_tags(markup))) & set(_SIGNS)


def test_runs_that_a_program_has_cut_are_one() -> None:
    """`10`, `1` and `2` in three runs are ten to the twelfth."""
    run = ["10"]
    for piece in ("1", "2"):
        add_raised(run, piece, SUPERSCRIPT)
    assert write_raised("".join(run)) == "10^12"


def test_hostile_raised_texts_take_no_time() -> None:
    """Signs 100,000 deep or in a row, thousands of combining marks on one letter: read in one pass."""
    assert write_raised(SUPERSCRIPT * 100_000 + "2" + END * 100_000) == "2"
    assert write_raised(f"10{SUPERSCRIPT}2{END}" * 20_000) == "10^2" * 20_000
    letter = "a" + "\u0301" * 50_000
    assert write_raised(f"{letter}{SUPERSCRIPT}1{END}").startswith(letter)
