"""Pins found again in a changed text, and told where they do not hold."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from chunking.config import ChunkConfig, Strategy
from chunking.embedding.model_folder import find_model
from chunking.errors import ChangeError
from chunking.model import Document, Flag, Pin, PinKind
from chunking.parsing import parse
from chunking.splitting import Chunker, token_counter
from chunking.splitting.pins.stored_pins import (
    PinnedDocument,
    StoredPin,
    apply_changes,
    find_pins,
    pin_of,
    read_pins,
    with_file_pins,
    with_pins,
    write_pins,
)
from chunking.text.anchors import Anchor
from tests.support.facts import tells
from tests.support.own_files import ROOT as FILES

TEXT = """# Pump

Close the valve before you start. Then open the lid, and wait for ten minutes.

## Parts

| part | number |
|---|---|
| lid | 12 |
| seal | 13 |

All parts can be ordered from the shop in town.

## Warranty

Two years after you bought it. Keep the bill.
"""


@pytest.fixture(scope="module")
def document() -> Document:
    return parse(TEXT.encode(), "guide/pump.md")


def chunked(document: Document, **settings: object) -> tuple[Chunker, list[str]]:
    chunker = Chunker(document, token_counter(find_model("all-MiniLM-L6-v2").path))
    return chunker, [chunk.content for chunk in chunker.chunks(ChunkConfig.model_validate(settings))]


def at(text: str, words: str) -> int:
    return text.index(words)


def pin(document: Document, kind: PinKind, words: str, reason: str = "") -> StoredPin:
    start = at(document.text, words)
    return StoredPin.of(document, kind, start, start + len(words), reason)


def test_pins_go_with_their_words(document: Document) -> None:
    """In a new version each stands at the words it stood at, whatever was put before them; lost ones are told."""
    pins = [
        pin(document, PinKind.SPLIT, "Then open"),
        pin(document, PinKind.LEAVE_OUT, "All parts can be ordered", "advertising"),
    ]
    newer = parse(("# News\n\nAnother chapter.\n\n" + TEXT).encode(), "guide/pump.md")
    placed = with_pins(newer, pins)
    assert placed.pins == (
        Pin(PinKind.SPLIT, at(newer.text, "Then open"), at(newer.text, "Then open")),
        Pin(PinKind.LEAVE_OUT, at(newer.text, "All parts"), at(newer.text, " from the shop"), "advertising"),
    )
    assert not placed.warnings
    shorter = parse(TEXT.replace("All parts can be ordered from the shop in town.\n\n", "").encode(), "guide/pump.md")
    assert [one.pin is None for one in find_pins(shorter, pins)] == [False, True]
    assert tells(with_pins(shorter, pins).warnings[-1], "1 pin its words")
    assert tells(with_pins(parse(b"# Other\n\nText.\n", "a.md"), pins).warnings[-1], "2 pins their words")


def test_records_are_read_as_they_were_written(document: Document) -> None:
    """As changes of a workspace and as a file; what a later version wrote is counted."""
    pins = tuple(pin(document, kind, "open the lid", "why " * 100) for kind in PinKind)
    assert tuple(pin_of(one.as_record()) for one in pins) == pins
    data = write_pins([PinnedDocument("guide_pump", "guide/pump.md", pins), PinnedDocument("other", "other.md", ())])
    (read,) = read_pins(data)
    assert read == PinnedDocument("guide_pump", "guide/pump.md", pins)
    assert (
        with_file_pins([document], [read])[0].pins
        == apply_changes(document, [one.as_record() for one in pins]).pins
        != ()
    )
    unread = apply_changes(document, [{"kind": "glue", "id": "1"}, pins[0].as_record()])
    assert unread.pins == with_pins(document, pins[:1]).pins
    assert tells(unread.warnings, "1 pin another version")


def _file(pin: object) -> str:
    return json.dumps({"chunkscope_pins": 1, "documents": [{"source": "a.md", "pins": [pin]}]})


@pytest.mark.parametrize(
    ("data", "facts"),
    [
        ("[]", "pins.json list"),
        ("{", "pins.json list"),
        ('{"chunkscope_pins": 2, "documents": []}', "another version"),
        ('{"chunkscope_pins": 1, "documents": [3]}', "entry document"),
        (
            '{"chunkscope_pins": 1, "documents": [{"source": "a.md", "pins": [{"kind": "glue"}]}]}',
            "pin 1 a.md glue type",
        ),
        ('{"chunkscope_pins": 1, "documents": [{"source": "a.md", "pins": [{"kind": "split"}]}]}', "split place"),
        (
            (
                '{"chunkscope_pins": 1, "documents": [{"source": "a.md", "pins": [{"kind": "keep", "anchor": '
                '{"start": 3, "end": 3}}]}]}'
            ),
            "needs a span",
        ),
    ],
)
def test_a_bad_file_is_reported(data: str, facts: str) -> None:
    """One sentence that names the file, and the pin where it is one."""
    with pytest.raises(ChangeError) as error:
        read_pins(data, "pins.json")
    assert tells(str(error.value), facts)


def test_a_pin_has_words(document: Document) -> None:
    """White space cannot be pinned, nor what is outside; white space around words goes."""
    for start, end in ((-1, 4), (5, 4), (0, 10**6)):
        with pytest.raises(ChangeError, match="outside"):
            StoredPin.of(document, PinKind.KEEP, start, end)
    with pytest.raises(ChangeError, match="selection"):
        StoredPin.of(document, PinKind.LEAVE_OUT, 6, 8)
    assert StoredPin.of(document, PinKind.KEEP, 0, 8).anchor.quote == "# Pump"
    assert StoredPin.of(document, PinKind.SPLIT, 6).anchor.start == at(document.text, "Close")


def test_contradictions_are_decided_and_reported(document: Document) -> None:
    """What is left out beats a split, a split a kept span, both a merge; what has no effect says why."""
    text = document.text
    span = (at(text, "Close"), at(text, "| part"))
    pins = (
        Pin(PinKind.KEEP, *span),
        Pin(PinKind.SPLIT, at(text, "Then"), at(text, "Then")),
        Pin(PinKind.MERGE, at(text, "Then"), at(text, "Then")),
        Pin(PinKind.LEAVE_OUT, at(text, "All parts"), at(text, "## Warranty")),
        Pin(PinKind.SPLIT, at(text, "shop"), at(text, "shop")),
        Pin(PinKind.KEEP, at(text, "ordered"), at(text, "town")),
        Pin(PinKind.LEAVE_OUT, at(text, "ill."), at(text, "ill.") + 2),
        Pin(PinKind.SPLIT, 0, 0),
        Pin(PinKind.KEEP, 10**6, 10**7),
        Pin(PinKind.KEEP, at(text, "Two"), at(text, "Keep")),
    )
    chunker, chunks = chunked(replace(document, pins=pins), size=60, min_size=0)
    assert chunks[:3] == [
        "# Pump\n\nClose the valve before you start.",
        "Then open the lid, and wait for ten minutes.\n\n## Parts",
        "| part | number |\n|---|---|\n| lid | 12 |\n| seal | 13 |",
    ]
    assert chunks[3:] == ["## Warranty\n\nTwo years after you bought it. Keep the bill."]
    facts = (
        "inside each part",
        "",
        "split same place",
        "",
        "around left out",
        "all left out",
        "part word",
        "end",
        "no word",
        "",
    )
    states = chunker.split(ChunkConfig(size=60)).view.pin_states
    assert tells(states, *facts)
    assert [bool(state) for state in states] == [bool(one) for one in facts]
    assert tells(chunker.boundaries(ChunkConfig(size=60)).warnings, *(f"1 {one}" for one in facts if one))


def test_what_is_kept_over_the_size_is_flagged(document: Document) -> None:
    """It stands alone, and says why it is too long; without a pin nothing does."""
    text = document.text
    pinned = replace(document, pins=(Pin(PinKind.KEEP, at(text, "Close"), at(text, "| part")),))
    for strategy in (Strategy.STRUCTURE, Strategy.FIXED, Strategy.ELEMENTS):
        chunker, chunks = chunked(pinned, size=16, strategy=strategy, prefix="none")
        over = [
            chunk
            for chunk in chunker.chunks(ChunkConfig(size=16, strategy=strategy, prefix="none"))
            if Flag.KEPT_OVER_SIZE in chunk.flags
        ]
        assert [chunk.content for chunk in over] == [text[at(text, "Close") : at(text, "\n\n| part")]]
        assert Flag.OVER_SIZE in over[0].flags
        assert chunks[0] == "# Pump"


def test_rows_of_a_table_behind_a_pin_have_its_header(document: Document) -> None:
    """Split between two rows, or with rows left out: what follows repeats the header, as in any table that is split."""
    text = document.text
    row = at(text, "| seal")
    for one in (Pin(PinKind.SPLIT, row, row), Pin(PinKind.LEAVE_OUT, at(text, "| lid"), row)):
        chunker, chunks = chunked(replace(document, pins=(one,)), size=60, own_chunk=["table"], min_size=0)
        number = chunks.index("| seal | 13 |")
        assert (
            "| part | number |" in chunker.chunks(ChunkConfig(size=60, own_chunk=("table",), min_size=0))[number].prefix
        )


def test_a_merge_ends_inside_the_head_of_a_table() -> None:
    """The head gives way: no row behind it is in two chunks."""
    sheet = parse((FILES / "counts.ods").read_bytes(), "counts.ods")
    merge = at(sheet.text, "水位记录") - 2
    settings = {"size": 16, "overlap": "0", "prefix": "none", "strategy": "sentence", "table_rows_limit": 1}
    _, chunks = chunked(replace(sheet, pins=(Pin(PinKind.MERGE, merge, merge),)), **settings)
    assert chunks[-3:] == [
        "| Water rail 秧鸡 | 37 | 28 |\n\n水位记录\n\n| 日期 | 水位 |",
        "| 星期一 | 81 |",
        "| 星期四 | 69 |",
    ]


def test_a_merge_takes_sentences_not_words(document: Document) -> None:
    """A heading with its first sentence goes to the chunk before, where the strategy would have split."""
    text = document.text
    merge = (Pin(PinKind.MERGE, at(text, "## Warranty"), at(text, "## Warranty")),)
    _, chunks = chunked(replace(document, pins=merge), size=100, strategy="structure", min_size=0)
    assert chunks[-1].startswith("## Parts")
    assert chunks[-1].endswith("Keep the bill.")
    _, chunks = chunked(replace(document, pins=merge), size=35, strategy="fixed", prefix="none")
    assert not any(chunk.startswith("## Warranty") for chunk in chunks)
    assert any("town.\n\n## Warranty\n\nTwo years after you bought it." in chunk for chunk in chunks)


def test_ten_thousand_overlapping_pins_are_resolved(document: Document) -> None:
    """Anywhere and over each other: all are settled, and what does not hold is told in a handful of sentences."""
    long = parse((TEXT * 60).encode(), "guide/long.md")
    kinds = [*PinKind]
    pins = tuple(
        Pin(kinds[n % 4], (n * 37) % len(long.text), (n * 37) % len(long.text) + n % 90) for n in range(10_000)
    )
    chunker, chunks = chunked(replace(long, pins=pins), size=60)
    assert chunks or not long.text
    view = chunker.split(ChunkConfig(size=60)).view
    assert len(view.pin_states) == 10_000
    assert len(view.pin_warnings) <= 8


def test_ten_thousand_pins_of_another_text_are_looked_for_in_bounded_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that stand where they stood cost nothing; of those that do not, only so many are looked for."""
    sought: list[int] = []
    seek = Anchor._sought
    monkeypatch.setattr(Anchor, "_sought", lambda self, text, near: sought.append(1) or seek(self, text, near))
    monkeypatch.setattr("chunking.text.anchors._WORK", 0)
    text = "\n\n".join(f"Pump {number} needs oil each month." for number in range(2_000))
    of = parse(text.encode(), "pumps.txt")
    pins = [StoredPin.of(of, PinKind.SPLIT, number * 7 % (len(text) - 40)) for number in range(10_000)]
    assert sum(one.pin is not None for one in find_pins(of, pins)) == 10_000
    assert sought == []
    other = parse(("A valve closes the line. " * 2_000).encode(), "valves.txt")
    assert not any(one.pin for one in find_pins(other, pins))
    assert 0 < len(sought) < 2_000
