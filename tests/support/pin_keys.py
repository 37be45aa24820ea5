"""Reference model of the pin keys: current chunk, resulting pins, and cursor position."""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from chunking.config import Config
from chunking.embedding.model_folder import find_model
from chunking.model import Document, Pin, PinKind
from chunking.parsing import parse
from chunking.splitting import Chunker, token_counter
from chunking.splitting.pins.stored_pins import StoredPin

__all__ = ["KEYS", "PinKeys", "Placed", "walked_config", "walked_document"]

KEYS = {"s": PinKind.SPLIT, "k": PinKind.KEEP, "x": PinKind.LEAVE_OUT, "m": PinKind.MERGE}
_POINTS = (PinKind.SPLIT, PinKind.MERGE)


def walked_document(seed: int) -> Document:
    """Return a document with every kind of block and without repeated words.

    Some words are beyond the BMP; the last line is long.
    """
    chance, numbers = random.Random(seed), iter(range(10_000))
    ends = ("", "😀", "𝒳", "é", "界世") if seed % 2 else ("", "世界", "𠀀")

    def words(least: int, most: int) -> str:
        return " ".join(f"w{next(numbers)}{chance.choice(ends)}" for _ in range(chance.randint(least, most)))

    parts = [f"# {words(1, 2)}"]
    for number in range(5):
        parts.append(f"{'##' if number % 2 else '###'} {words(1, 3)}")
        parts += [
            ". ".join(words(3, 9) for _ in range(chance.randint(1, 4))) + "." for _ in range(chance.randint(1, 2))
        ]
    parts.append(
        "\n".join(
            [
                f"| {words(1, 1)} | {words(1, 1)} |",
                "|---|---|",
                *(f"| {words(1, 2)} | {words(1, 4)} |" for _ in range(6)),
            ]
        )
    )
    parts.append(
        "```python\n"
        + "\n".join(f"{words(1, 1).encode('ascii', 'ignore').decode()} = {next(numbers)}" for _ in range(6))
        + "\n```"
    )
    parts.append("\n".join(f"- {words(2, 5)}" for _ in range(4)))
    parts.append(words(40, 50))
    return replace(parse("\n\n".join(parts).encode(), f"walk{seed}.md"), doc_id=f"walk{seed}")


def walked_config(seed: int) -> Config:
    """Return settings for small chunks in characters; with overlap from the second seed on."""
    return Config.from_settings(
        {"unit": "characters", "size": "120", "min_size": "0", "overlap": str(30 * (seed > 1)), "prefix": "none"}
    )


class Placed(NamedTuple):
    """Pin in characters of the text."""

    kind: PinKind
    start: int
    end: int


@dataclass
class PinKeys:
    """Text with pins and a selection; offsets are characters.

    Keys act on the selected text, else on the chunk at `place`. The place is the first letter that the chunk does not
    share with the one before it, and stays when boundaries move.
    """

    document: Document
    config: Config
    pins: tuple[Placed, ...] = ()
    """Pins in the order of their creation."""
    place: int | None = None
    picked: int | None = None
    """Like `place`, for the selected chunk."""
    selected: tuple[int, int] | None = None
    _past: list[tuple[Placed, ...]] = field(default_factory=list)
    _undone: list[tuple[Placed, ...]] = field(default_factory=list)
    _did: dict[PinKind, set[Placed]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._measured = Chunker(self.document, token_counter(find_model(self.config.embedding.model).path))
        self._split()

    @property
    def cursor(self) -> int:
        """Chunk that keys act on; -1 for none."""
        return self.owner(self.place)

    @property
    def left_out(self) -> set[Placed]:
        """Pins that leave text out."""
        return {pin for pin in self.pins if pin.kind is PinKind.LEAVE_OUT}

    def owner(self, place: int | None) -> int:
        """Return the chunk whose own text contains a character; -1 for none."""
        at = -1 if place is None else bisect_right(self.ends, place)
        return at if 0 <= at < len(self.ends) and place is not None and self.starts[at] <= place else -1

    def own_start(self, chunk: int) -> int:
        """Return the start of a chunk's text after the overlap."""
        return max(self.starts[chunk], self.ends[chunk - 1]) if chunk else self.starts[0]

    def name(self, chunk: int) -> int:
        """Return the offset of the first letter of a chunk's own text."""
        text = self.document.text[self.own_start(chunk) : self.ends[chunk]]
        return self.own_start(chunk) + len(text) - len(text.lstrip())

    def press(self, key: str) -> None:
        """Press a key."""
        if key in KEYS:
            self._pin(KEYS[key])
        elif key == "ArrowDown":
            self._move(1)
        elif key == "ArrowUp":
            self._move(-1)
        elif key == "Enter":
            self.picked = self.place if self.cursor >= 0 else self.picked
        elif key == "Escape":
            self.picked, self.selected = None, None
            self._go(None)
        elif key == "Control+z" and self._past:
            self._undone.append(self.pins)
            self._become(self._past.pop())
        elif key == "Control+y" and self._undone:
            self._past.append(self.pins)
            self._become(self._undone.pop())

    def click(self, chunk: int) -> None:
        """Select a chunk."""
        self.selected = None
        self._go(self.name(chunk))
        self.picked = self.place

    def click_out(self, pin: Placed) -> None:
        """Select left-out text; a chunk that contains it later is selected then."""
        self.selected = None
        self._go(pin.start)
        self.picked = pin.start

    def select(self, start: int, end: int) -> None:
        """Select text without surrounding white space."""
        text = self.document.text[start:end]
        chosen = (start + len(text) - len(text.lstrip()), end - len(text) + len(text.rstrip()))
        if chosen != self.selected:
            self._did.clear()
        self.selected = chosen

    def _move(self, step: int) -> None:
        if not self.starts:
            return
        if self.selected:
            self._go(self.selected[0])
            self.selected = None
        if self.cursor >= 0:
            to = self.cursor + step
        elif self.place is None:
            to = 0
        else:
            to = bisect_left(self.starts, self.place) - (step < 0)
        self._go(self.name(max(0, min(len(self.starts) - 1, to))))

    def _go(self, place: int | None) -> None:
        if place != self.place:
            self.place = place
            self._did.clear()

    def _pin(self, kind: PinKind) -> None:
        there = [pin for pin in self.pins if pin in self._did.get(kind, ())] or self._visible(kind)
        places = [(pin.start, pin.end) for pin in there] or self._fresh(kind)
        if not places:
            return
        removed, added = set(), []
        for start, end in places:
            stored = StoredPin.of(self.document, kind, start, end).anchor
            new = Placed(kind, stored.start, stored.end)
            same = [pin for pin in self.pins if pin[1:] == new[1:] and (pin.kind in _POINTS) == (kind in _POINTS)]
            removed |= set(same)
            added += [new] if kind not in [pin.kind for pin in same] else []
        self._past.append(self.pins)
        self._undone.clear()
        self._become((*(pin for pin in self.pins if pin not in removed), *added))
        if added:
            self._did[kind] = set(added)

    def _visible(self, kind: PinKind) -> list[Placed]:
        """Return the pin that a key removes: the last one that causes the selection's current state."""
        those = [pin for pin in self.pins if pin.kind is kind]
        if self.selected:
            start, end = self.selected
            inside = [pin for pin in those if start < pin.start < end]
            return inside if kind is PinKind.MERGE and not self._boundaries(start, end) else []
        chunk = self.cursor
        if kind is PinKind.LEAVE_OUT:
            return [pin for pin in those if chunk < 0 and self.place is not None and pin.start <= self.place < pin.end][
                -1:
            ]
        if chunk < 0 or kind is PinKind.KEEP:
            return []
        start = self.own_start(chunk) - (kind is PinKind.SPLIT)
        return [pin for pin in those if start < pin.start < self.ends[chunk]][-1:]

    def _fresh(self, kind: PinKind) -> list[tuple[int, int]]:
        if self.selected:
            start, end = self.selected
            points = [start] if kind is PinKind.SPLIT else self._boundaries(start, end)
            return [(at, at) for at in points] if kind in _POINTS else [self.selected]
        chunk = self.cursor
        if chunk < 0 or (kind is PinKind.MERGE and chunk + 1 == len(self.starts)):
            return []
        start = self.own_start(chunk + (kind is PinKind.MERGE))
        return [(start, start if kind in _POINTS else self.ends[chunk])]

    def _boundaries(self, start: int, end: int) -> list[int]:
        begins = (self.own_start(chunk) for chunk in range(1, len(self.starts)) if start <= self.starts[chunk] < end)
        return [at for at in begins if start < at < end]

    def _become(self, pins: tuple[Placed, ...]) -> None:
        self.pins = pins
        self._split()

    def _split(self) -> None:
        pins = tuple(Pin(kind, start, start if kind in _POINTS else end) for kind, start, end in self.pins)
        boundaries = self._measured.with_pins(pins).boundaries(self.config.chunk)
        self.starts, self.ends = boundaries.starts.tolist(), boundaries.ends.tolist()
