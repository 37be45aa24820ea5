"""Places in a text, found again when it has changed."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.text import anchors as module
from chunking.text.anchors import CONTEXT, MOST_QUOTE, Anchor, find_anchors

TEXT = (
    "# Install\n\nClose the valve before you open the housing.\n\n## Notes\n\nThe pump moves 90 litres a minute.\n\n"
    "# Service\n\nOpen the housing with a 4 mm key.\n\n## Notes\n\nThe seal lasts two years in clean water.\n\n"
    "## 关机\n\n请先关闭电源，再打开后盖。\n"
)


def anchor(words: str, text: str = TEXT, occurrence: int = 0) -> Anchor:
    """The anchor of some words."""
    start = -1
    for _ in range(occurrence + 1):
        start = text.index(words, start + 1)
    return Anchor.of(text, start, start + len(words))


def found_text(of: Anchor, text: str) -> str | None:
    """What stands there now."""
    place = of.find(text)
    return None if place is None else text[place.start : place.end]


@given(st.text(max_size=700), st.data())
def test_every_span_is_found_in_the_same_text(text: str, data: st.DataObject) -> None:
    """Where it is, exactly; also a place between characters, and in an empty text; and after its way through plain
    values.
    """
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    of = Anchor.of(text, start, end)
    assert Anchor.from_record(of.as_record()) == of
    assert of.find(text) == (start, end, False)
    assert len(of.quote) + len(of.tail) <= MOST_QUOTE


@pytest.mark.parametrize("words", ["## Notes", "90 litres", "请先关闭电源", "Open the housing with a 4 mm key."])
@pytest.mark.parametrize("occurrence", [0, 1])
def test_it_moves_with_its_surroundings(words: str, occurrence: int) -> None:
    """A chapter put in ahead: each of two equal headings is still the one it was."""
    if TEXT.count(words) <= occurrence:
        occurrence = 0
    of = anchor(words, occurrence=occurrence)
    ahead = "# Safety\n\nRead this before anything else.\n\n## Notes\n\nKeep it dry.\n\n"
    assert of.find(ahead + TEXT) == (of.start + len(ahead), of.end + len(ahead), False)


def test_it_is_found_in_other_white_space_markup_and_case() -> None:
    """A parser that reads the file in another way."""
    of = anchor("The pump moves 90 litres a minute.")
    changed = TEXT.replace("The pump moves 90 litres a minute.", "The **pump** moves\n90 litres a minute.")
    place = of.find(changed)
    assert place is not None
    assert changed[place.start : place.end] == "The **pump** moves\n90 litres a minute."
    assert not place.nearly


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The seal lasts two years in clean water.", "The seal lasts three years in clean tap water."),
        ("Open the housing with a 4 mm key.", "Open the housing with a 5 mm hex key."),
        ("请先关闭电源，再打开后盖。", "请先关闭主电源，再打开后盖。"),
        ("## Notes\n\nThe seal", "## Note\n\nThe seal"),
    ],
)
def test_it_is_nearly_found_where_its_words_were_changed(old: str, new: str) -> None:
    """And says that it is not quite the same."""
    of = anchor(old.split("\n")[0], occurrence=TEXT[: TEXT.index(old)].count(old.split("\n")[0]))
    changed = "One line more.\n\n" + TEXT.replace(old, new)
    place = of.find(changed)
    assert place is not None
    assert place.nearly
    assert changed[place.start : place.end].strip("。.") in new


def test_a_place_between_characters_is_found_by_what_stands_around_it() -> None:
    """Ahead of a paragraph, also where what stood before it, or behind it, was changed."""
    at = TEXT.index("The seal lasts")
    of = Anchor.of(TEXT, at, at)
    for changed in (
        "Ahead.\n\n" + TEXT,
        TEXT.replace("with a 4 mm key", "with a short key of 4 mm"),
        TEXT.replace("The seal lasts two years in clean water", "The seal lasts three years"),
    ):
        place = of.find(changed)
        assert place is not None
        assert place.start == place.end == changed.index("The seal lasts")


@pytest.mark.parametrize(
    "changed",
    [
        "",
        "Nothing of it is left in here, not one sentence.",
        TEXT[: TEXT.index("## Notes")],
        "## Notes\n\nOther.\n\n## Notes\n\nMore.\n",
    ],
)
def test_what_is_gone_is_not_found_elsewhere(changed: str) -> None:
    """Nor is a heading whose surroundings are gone taken for another of the same words."""
    assert anchor("## Notes", occurrence=1).find(changed) is None
    assert anchor("The pump moves 90 litres a minute.").find(changed) is None


def test_a_long_quote_is_remembered_by_its_ends() -> None:
    """A paragraph of thousands of characters, one word of which was changed, and a line put in."""
    source = random.Random(7)
    long = " ".join("".join(source.choices("abcdefghij", k=source.randint(3, 9))) for _ in range(900))
    text = f"{TEXT}\n\n{long}\n\nThe end of it.\n"
    of = anchor(long, text)
    assert len(of.quote) + len(of.tail) == MOST_QUOTE
    middle = len(long) // 2
    changed = "Ahead.\n\n" + text.replace(long, long[:middle] + " put in " + long[middle:])
    place = of.find(changed)
    assert place is not None
    assert changed[place.start : place.end] == long[:middle] + " put in " + long[middle:]


def test_thousands_are_found_at_once() -> None:
    """Each is expected as far from its place as the one before; those that are gone are looked for a bounded number of
    times.
    """
    lines = [f"Line {number} says {number * 7919 % 10_007} and no more." for number in range(3_000)]
    text = "\n\n".join(lines)
    many = [anchor(line, text) for line in lines]
    ahead = "A paragraph that was put in ahead.\n\n" * 80
    assert [place and place.start for place in find_anchors(many, ahead + text)] == [
        of.start + len(ahead) for of in many
    ]


def test_the_work_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted, not timed: a text of which nothing is left is searched a fixed number of times."""
    searched: list[int] = []
    sought = Anchor._sought
    monkeypatch.setattr(
        Anchor, "_sought", lambda self, text, guess: searched.append(guess) or sought(self, text, guess)
    )
    monkeypatch.setattr(module, "_WORK", 1)
    monkeypatch.setattr(module, "_LEAST_SOUGHT", 5)
    many = [
        Anchor(number, number + 8, quote=f"gone {number:03}", before="never", after="there") for number in range(300)
    ]
    assert find_anchors(many, TEXT) == [None] * 300
    assert len(searched) == 5


@pytest.mark.parametrize(
    "record",
    [
        None,
        [],
        {},
        {"start": 1},
        {"start": "1", "end": 2},
        {"start": 3, "end": 2},
        {"start": -1, "end": 2},
        {"start": 1, "end": 2, "quote": 7},
    ],
)
def test_an_invalid_anchor_is_one_sentence(record: object) -> None:
    with pytest.raises(ValueError, match=r"quote|offsets"):
        Anchor.from_record(record)  # type: ignore[arg-type]


def test_a_span_outside_the_text_is_refused() -> None:
    with pytest.raises(ValueError, match="3 characters"):
        Anchor.of("abc", 2, 4)
    assert len(Anchor.of("a" * 500, 200, 210).before) == CONTEXT
