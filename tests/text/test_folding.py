"""Folding: what a reader takes for the same letters is the same, what tells words apart stays, and every place leads
back.
"""

from __future__ import annotations

import unicodedata
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.text.folding import fold, fold_for_search, fold_with_offsets

LANGUAGES = (
    *("Kündigungsfrist", "señor café naïve Øresund Łódź", "Việt Nam tiếng", "ΟΔΟΣ οδός Ἀθῆναι", "ёлка йод Їжак"),
    *("المُؤَجِّر أحمد إيجار آمن مسؤول", "שָׁלוֹם עוֹלָם", "क़लम लड़का हिन्दी", "বড় ো ঢ়", "தொகை"),
    *("연차휴가를 받는다 닭", "がぎぐ ガス パリ", "漢字 豈", "ประเทศไทย น้ำ"),
)


@pytest.mark.parametrize("text", LANGUAGES)
@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_the_forms_of_unicode_are_one(text: str, form: Literal["NFC", "NFD", "NFKC", "NFKD"]) -> None:
    """Whichever a file was written in."""
    assert fold(unicodedata.normalize(form, text)) == fold(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *(
            ("Kündigung", "Kundigung"),
            ("Straße", "Strasse"),
            ("İstanbul ısı", "Istanbul isi"),
            ("ﬁrst oﬃce", "first office"),
        ),
        *(("οδός", "οδοσ"), ("ёлка", "елка"), ("за́мок", "замок"), ("المُؤَجِّر", "الموجر"), ("المـــوعد", "الموعد")),
        *(
            ("أحمد إيجار آمن", "احمد ايجار امن"),
            ("مدرسة", "مدرسه"),
            ("على", "علي"),
            ("کتابی", "كتابي"),
            ("ﻣﺮﺣﺒﺎ", "مرحبا"),
            ("١٢٣ ۴۵", "123 45"),
        ),
        *(("שָׁלוֹם", "שלום"), ("צה״ל", "צהל"), ('צה"ל', "צהל"), ("क़लम", "कलम"), ("क़लम", "कलम")),
        *(
            ("ｶﾞｽ ﾊﾟ", "ガス パ"),
            ("ＡＢＣ１２", "ABC12"),
            ("CO₂", "CO2"),
            ("l’eau l＇eau lʼeau", "l'eau l'eau l'eau"),
            ("re‑enter – 1", "re-enter - 1"),
        ),
        *(
            ("infor\u00admation", "information"),
            ("ab\u200bcd\u2060e\ufeff", "abcde"),
            ("👍\ufe0f", "👍"),
            ("㎏ ㎡", "kg m²"),
            ("𝐛𝐨𝐥𝐝", "bold"),
        ),
        *(("\x1b[31mERR\x1b[1mOR\x1b[0m", "ERROR"), ("\\x1b[31mERROR\\u001b[0m", "ERROR"), ("\x9b31mERROR", "ERROR")),
        *(("a\x1b[2Jb", "a b"), ("\x1b]0;title of it\x07$", " $"), ("N\bNA\bA _\bX", "NA X")),
    ],
)
def test_spellings_of_one_word_are_one(one: str, other: str) -> None:
    """Marks, widths, apostrophes, what nobody sees, and the codes of a terminal."""
    assert fold(one) == other


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *(
            ("й", "и"),
            ("ї", "і"),
            ("が", "か"),
            ("ペ", "ベ"),
            ("ड़", "ड"),
            ("น้ำ", "นำ"),
            ("שלומ", "שלום"),
            ("گ", "ك"),
            ("ء", ""),
        ),
        *(("10⁶", "106"), ("2½", "212"), ("ab cd", "abcd"), ("a b", "a b c"), ("C", "c"), ("ـ", "x"), ("각", "가")),
    ],
)
def test_different_words_stay_apart(one: str, other: str) -> None:
    """Letters of their own, voiced kana, tones of Thai, final letters; a power is no digit more."""
    assert fold(one) != fold(other)


LETTERS = st.text(
    st.sampled_from(
        'aeÅéßﬁ\u0308\u0301\u00ad\u200b\u200c\u200d\ufeff ᄀᆨ가カﾞｶ\u3099й\u0306أ\u064b\u0640שׁ"क\u093c\x1b[m0\b\n'
    ),
    max_size=30,
)


@given(LETTERS | st.text(max_size=20))
def test_every_character_leads_back(text: str) -> None:
    """The places are in order, inside the text, and fold to what they are the places of."""
    folded = fold_with_offsets(text)
    assert folded.text == fold_for_search(text)
    assert len(folded.starts) == len(folded.ends) == len(folded.text)
    assert list(folded.starts) == sorted(folded.starts)
    assert all(0 <= start < end <= len(text) for start, end in zip(folded.starts, folded.ends, strict=True))


@pytest.mark.parametrize(
    "text",
    [
        *(
            "a" + "\u0301" * 200_000,
            "й" + "\u0301\u0323" * 100_000,
            "\u200b" * 200_000,
            "\ud800" * 50_000,
            "\x1b[" * 100_000,
        ),
        *(
            "\x1b]" * 100_000,
            "a\b" * 100_000,
            "\u1100" * 100_000,
            "\\x1b[" * 50_000,
            '\u05d0"' * 100_000,
            "カ" + "\u3099" * 100_000,
        ),
    ],
    ids=lambda text: ascii(text[:4]),
)
def test_hostile_texts_are_folded(text: str) -> None:
    """Thousands of marks on a letter, nothing but what nobody sees, halves of characters, codes without an end."""
    assert len(fold(text)) <= len(text)
    assert fold_with_offsets(text).text == fold_for_search(text)


def test_a_text_of_many_forms_folds_as_each_of_its_characters_does() -> None:
    """Few forms are replaced one by one, many at once."""
    letters = "àáâäåèéêëìíîïòóôöùúûüýÿñçßœæőűćčďěłńňřšťůźžżőşţțșāēīū„“”‘’–—，。：；（）！？①ａｂｃ"
    assert fold(letters) == "".join(map(fold, letters))
    assert all(fold(letters[:n]) == "".join(map(fold, letters[:n])) for n in range(len(letters)))
