"""Patterns of unknown people: their matches, the refusals, and a bound on their work."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.config import safe_patterns
from chunking.config.safe_patterns import find_matches, most_work, safe_pattern
from tests.support.examples import law


def words(source: str, text: str) -> list[str]:
    """What a pattern matches."""
    return [text[start:end] for start, end in find_matches(source, text)]


def test_lines_are_matched_one_by_one_whatever_ends_them() -> None:
    """`^` and `$` are a line's, `.` and white space end with it, and offsets are characters."""
    text = "é第一条\u3000甲\r\n第二条 乙\r𝄞第三条\n第四条\u00a0丁"
    assert words(r"^第.条\s", text) == ["第二条", "第四条"]
    assert words("第.条.*$", text) == ["第一条\u3000甲", "第二条 乙", "第三条", "第四条\u00a0丁"]
    assert words(r"条\s+第", text) == words(r"(?s)甲.第", text) == []


def test_long_lines_are_searched_to_their_end() -> None:
    """A line is looked through in parts, which no cut of a character goes into; `^` is its start and not a part's."""
    text = "中" * 5_000 + "Article 1" + "文" * 5_000
    assert words(r"Article \d", text) == ["Article 1"]
    assert words("^文", text) == words("中$", text) == []


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("(a", "opening"),
        ("a)", "closing"),
        ("[a", "["),
        ("*a", "before"),
        ("a**", "two"),
        ("a{1001}", "1,000"),
        ("((a{100}){100}){100}", "1,000"),
        ("[z-a]", "backwards"),
        ("a\\", "ends"),
        (r"(a)\1", "references"),
        ("(?=a)b", "ahead"),
        ("(?<=a)b", "behind"),
        (r"[^\n]{1000}", "large"),
        ("a\ud800", "half"),
        ("a" * 501, "501 500"),
        ("", "everywhere"),
        ("a*", "everywhere"),
        (r"\b", "everywhere"),
        ("^", "everywhere"),
        ("foo|$", "everywhere"),
    ],
)
def test_what_cannot_be_used_is_a_sentence(source: str, sentence: str) -> None:
    """It names what is wrong, and what to write instead."""
    with pytest.raises(ValueError, match=r"^has ") as refused:
        safe_pattern(source)
    assert all(word in str(refused.value) for word in sentence.split())


def test_work_is_bounded_and_not_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps over the bound end the search with a sentence, the same on any machine; searches are counted, and look
    through little each.
    """
    looked: list[int] = []
    monkeypatch.setattr(safe_patterns, "most_work", lambda text: 50 * len(text))
    text = "".join(random.Random(1).choices("ab", k=30_000))

    class Counted:
        def __init__(self, program: object) -> None:
            self.search = lambda data, low, high: looked.append(high - low) or program.search(data, low, high)  # type: ignore[attr-defined]

    real = safe_pattern("a[ab]*c|a")
    monkeypatch.setattr(
        safe_patterns,
        "safe_pattern",
        lambda source: safe_patterns.SafePattern(source, Counted(real.program), real.size),
    )
    find_matches.clear()
    found = find_matches("a[ab]*c|a", text)
    find_matches.clear()
    assert "long" in found.fault
    assert not len(found)
    assert sum(looked) * real.size <= 50 * len(text) + real.size * 2_048
    assert max(looked) <= 2_048


def test_a_pattern_that_matches_everywhere_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hundreds of thousands of boundaries are nobody's wish."""
    monkeypatch.setattr(safe_patterns, "MOST_MATCHES", 100)
    find_matches.clear()
    assert "100" in find_matches("x", "x\n" * 101).fault
    assert len(find_matches("x", "x\n" * 100)) == 100
    find_matches.clear()


def test_ordinary_patterns_have_room() -> None:
    """The bound is for what is made to explode: a line of an ordinary pattern costs a small part of what it may."""
    text = "第一条 为了规范活动，制定本法。\n" * 2_000
    found = find_matches("^第[一二三四五六七八九十百千零〇]+条", text)
    assert len(found) == 2_000
    assert found.work * 4 < most_work(text)


@law(50)
@given(st.text(max_size=200), st.sampled_from([r"\w+", "[^ ]", ".", r"a|\s", "(?i)B.*", r"\p{Han}", "é+$"]))
def test_matches_are_spans_of_the_text_in_order(text: str, source: str) -> None:
    """Apart, ascending, never empty, and without white space at their ends."""
    end = 0
    for start, after in find_matches(source, text):
        assert end <= start < after <= len(text)
        assert text[start:after] == text[start:after].strip()
        end = after
