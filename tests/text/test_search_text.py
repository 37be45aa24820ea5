"""Words as they are indexed: parts of identifiers, elisions, names with signs; with their places in the text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.text.search_text import phrase_text, search_text, search_words


def forms(text: str) -> set[str]:
    return {word.form.lower() for word in search_words(text)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("max_retry_count", "max retry count maxretrycount"),
        ("maxRetryCount", "max retry count maxretrycount"),
        ("MAX_RETRY_COUNT", "max retry count maxretrycount"),
        ("parseHTTPResponse", "parse http response parsehttpresponse"),
        ("HTTPServer2", "http server2 httpserver2"),
        ("user_account_v2", "user account v2 useraccountv2"),
        ("__init__", "init"),
        ("_private", "private"),
        ("ROW_ID", "row id rowid"),
        ("node.js", "node js nodejs"),
        ("com.example.UserService", "com example user service userservice comexampleuserservice"),
        ("src/main.rs", "src main rs mainrs"),
        ("main.c", "mainc main"),
        ("x_1", "x1"),
        ("--dry-run", "dry run"),
        ("e-mail", "e mail email"),
        ("COVID-19", "covid 19 covid19"),
        ("state-of-the-art", "state of the art"),
        ("v1.2.3", "v1.2.3 v1"),
        ("python3.11", "python3.11 python3"),
        ("3.14 1_000 10,000", "3.14 1000 10,000"),
        ("U.S.A. e.g.", "u.s.a e.g"),
        ("end.Next", "end next endnext"),
        ("iPhone", "iphone phone"),
        ("GmbH PhD URLs McDonald", "gmbh phd urls mc donald mcdonald"),
        ("C C# C++ .NET F# R", "c csharp cplusplus dotnet fsharp r"),
        ("C♯ Ｃ＃ Ｃ＋＋", "csharp cplusplus"),
        ("C++17 C#7", "cplusplus csharp 17 7"),
        ("Objective-C", "objective objectivec"),
        ("ASP.NET notepad++", "asp dotnet aspnet notepadplusplus notepad"),
        ("C/C++, (C#)", "c cplusplus csharp"),
        ("page.html#part", "page html pagehtml part"),
        ("a+b x++y", "a b x y"),
        ("don’t user's", "don't user's"),
        ("L’assurance l'incendie qu’elle d’aujourd’hui", "assurance incendie elle aujourd'hui"),
        ("dell'arte l'amico un’ora", "arte amico ora"),
        ("O'Brien o'clock I'm", "o'brien o'clock i'm"),
        ("п’ять п'ять", "п'ять"),
        ("zero\u200bwidth", "zero width zerowidth"),
        ("می‌شود", "مي شود ميشود"),
        ("10⁶ m²", "10 ⁶ m ²"),
        ("使用max_retry参数 API를", "max retry maxretry api"),
        ("हिन्दी", "हिन्दी"),
    ],
)
def test_words_and_their_parts(text: str, expected: str) -> None:
    """What one of several spellings is asked by, it is found by."""
    assert forms(text) == set(expected.split())


@pytest.mark.parametrize(("text", "form", "place"), [
    ("Call parseHTTPResponse.", "HTTP", "HTTP"),
    ("Call parseHTTPResponse.", "parsehttpresponse", "parseHTTPResponse"),
    ("set max_retry_count,", "retry", "retry"),
    ("In C#7", "csharp", "C#"),
    ("on ASP.NET now", "dotnet", "NET"),
    ("on .NET now", "dotnet", ".NET"),
    ("L’e\u0301cole.", "ecole", "e\u0301cole"),
    ("infor\u00admation", "information", "infor\u00admation"),
    ("\x1b[31mERROR\x1b[0m", "ERROR", "ERROR"),
    ("Ｃ＋＋。", "cplusplus", "Ｃ＋＋"),
])  # fmt: skip
def test_a_form_has_its_place(text: str, form: str, place: str) -> None:
    """Exactly the characters that a reader would mark."""
    assert [text[word.start : word.end] for word in search_words(text) if word.form == form] == [place]


def test_phrases_have_no_other_spellings() -> None:
    """What stands in quotation marks is asked for word by word; spellings stand behind the text, so that they part no
    phrase.
    """
    assert phrase_text("set max_retry_count to") == "set max retry count to"
    assert search_text("set max_retry_count to").splitlines() == ["set max retry count to", "maxretrycount"]


ALPHABET = "aBcC1_.-'’+# \n\u200b\u00adéλя가漢ن"


@given(st.text(st.sampled_from(ALPHABET), max_size=40) | st.text(max_size=20))
def test_places_are_in_the_text_and_agree_with_it(text: str) -> None:
    """Whatever the text: each word is a stretch of it, and its letters are indexed."""
    indexed = search_text(text)
    for word in search_words(text):
        assert 0 <= word.start < word.end <= len(text)
        assert word.form in indexed


@given(st.text(st.sampled_from("abc .,;:!?()\n"), max_size=60))
def test_plain_prose_is_indexed_as_it_stands(text: str) -> None:
    """Only words that are made of several become others."""
    plain = re.sub(r"(?<=\w)[.](?=\w)", " ", text)
    assert search_text(plain) == plain


@pytest.mark.parametrize(
    "unit", ["a_", "aB", "a-", "a.", "_", "l'", "c+", "C#", "1,", "a\u200b", ".NET", "_a", "A", "a'", "😀_", "+#"]
)
def test_long_identifiers_are_bounded(unit: str) -> None:
    """A word of 300,000 letters is read once; its text does not grow."""
    text = unit * (300_000 // len(unit))
    assert len(search_text(text)) <= 4 * len(text)
    assert sum(1 for _ in search_words(text)) <= len(text)


def test_only_wanted_words_are_given() -> None:
    """With the places they have among all others, parts of compounds too."""
    text = "Größe: die max_retry_count, 安装 retry und Größe"
    picked = list(search_words(text, {"retry", "Grosse"}.__contains__))
    assert picked == [word for word in search_words(text) if word.form in ("retry", "Grosse")]
    assert [text[word.start : word.end] for word in picked] == ["Größe", "retry", "retry", "Größe"]
