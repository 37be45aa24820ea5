"""The edits that there are: what each says of which place. They are plain data; `block_edits` and `region_edits` say
what they do.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from chunking.errors import ChangeError
from chunking.model import BlockType, Box
from chunking.text.anchors import Anchor

__all__ = [
    "EDIT_TYPES",
    "REASON",
    "Edit",
    "HeaderRows",
    "JoinBlocks",
    "LeaveOut",
    "LeaveOutBox",
    "PartBlock",
    "SetType",
    "SwapBlocks",
    "TakeBack",
    "edit_of",
    "edits_of",
]

REASON = "hand-picked region"
"""Why a region belongs to no chunk, where nobody said more."""
_MOST_TEXT = 400
_MOST_ROWS = 1_000


def _new_id() -> str:
    return uuid.uuid4().hex[:12]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What all edits have. Its place is found again by its words when the document changes."""

    kind: ClassVar[str] = ""
    anchor: Anchor
    """The text it is about."""
    id: str = field(default_factory=_new_id)
    """Tells it apart from the others of its document."""

    def as_record(self) -> dict[str, Any]:
        """As plain values; `edit_of` gives the same edit back."""
        values = ((one.name, getattr(self, one.name)) for one in fields(self))
        said = {
            name: _plain(value) for name, value in values if value is not None and value is not False and name != "id"
        }
        return {"id": self.id, "kind": self.kind} | said


@dataclass(frozen=True, slots=True, kw_only=True)
class SetType(Edit):
    """The type of a block, or of a part of one, which is parted from the rest: a heading is promoted, demoted, added,
    removed so.
    """

    kind: ClassVar[str] = "type"
    type: BlockType
    level: int | None = None
    """1 to 6 of a heading; None of all others."""
    below: bool = False
    """What was a heading takes those under it along: each moves by as many levels, not beyond the last."""

    def __post_init__(self) -> None:
        if (self.level is not None) != (self.type is BlockType.HEADING):
            raise ValueError("a heading has a level from 1 to 6, and nothing else has one")


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveOut(Edit):
    """A span of the text that is to belong to no chunk."""

    kind: ClassVar[str] = "leave_out"
    reason: str = REASON


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveOutBox(Edit):
    """Whatever stands in a rectangle of a page is to belong to no chunk. Its anchor is of the first words there."""

    kind: ClassVar[str] = "leave_out_box"
    page: int
    """1-based."""
    box: Box
    reason: str = REASON


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeBack(Edit):
    """A span that was left out, by the parser or by hand, belongs to the text again."""

    kind: ClassVar[str] = "take_back"


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinBlocks(Edit):
    """Two or more blocks that follow one another are one; the anchor reaches from the first to the last."""

    kind: ClassVar[str] = "join"


@dataclass(frozen=True, slots=True, kw_only=True)
class PartBlock(Edit):
    """One block is two; the anchor is the place between two characters at which the second begins."""

    kind: ClassVar[str] = "part"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderRows(Edit):
    """How many of a table's first rows are its header."""

    kind: ClassVar[str] = "header_rows"
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapBlocks(Edit):
    """Two blocks change places in the reading order: the only edit that changes the canonical text."""

    kind: ClassVar[str] = "swap"
    other: Anchor


EDIT_TYPES: tuple[type[Edit], ...] = (
    SetType,
    LeaveOut,
    LeaveOutBox,
    TakeBack,
    JoinBlocks,
    PartBlock,
    HeaderRows,
    SwapBlocks,
)


def _plain(value: Any) -> Any:
    if isinstance(value, Anchor):
        return value.as_record()
    return list(value) if isinstance(value, tuple) else getattr(value, "value", value)


def _whole(low: int, high: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if type(value) is not int or not low <= value <= high:
            raise ValueError(f"{str(value)[:20]} is no number between {low} and {high:,}")
        return value

    return read


def _yes(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{str(value)[:20]} is neither true nor false")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("a text is empty or none")
    return " ".join(value.split())[:_MOST_TEXT]


def _box(value: Any) -> Box:
    if not isinstance(value, (list, tuple)) or len(value) != 4 or not all(type(one) in (int, float) for one in value):
        raise ValueError("a box is four numbers")
    left, top, right, bottom = map(float, value)
    if not (0 <= left < right <= 1 and 0 <= top < bottom <= 1):
        raise ValueError("a box is left, top, right and bottom as shares of the page, 0 to 1")
    return left, top, right, bottom


_READERS: dict[str, Callable[[Any], Any]] = {
    "id": _text,
    "anchor": Anchor.from_record,
    "other": Anchor.from_record,
    "type": BlockType,
    "level": _whole(1, 6),
    "below": _yes,
    "reason": _text,
    "page": _whole(1, 10**6),
    "box": _box,
    "rows": _whole(0, _MOST_ROWS),
}
"""How the value of each field is read, by its name."""


def edit_of(record: Any) -> Edit:
    """The edit that `as_record` was called for.

    Raises:
        ChangeError: it is something else; the sentence says what is wrong.
    """
    kind = record.get("kind") if isinstance(record, Mapping) else None
    made = next((one for one in EDIT_TYPES if one.kind == kind), None)
    if made is None:
        kinds = ", ".join(one.kind for one in EDIT_TYPES)
        raise ChangeError(f"“{str(kind)[:40]}” is no kind of edit; the kinds are {kinds}.")
    try:
        values = {one.name: _READERS[one.name](record[one.name]) for one in fields(made) if one.name in record}
        return made(**values)
    except (TypeError, ValueError) as error:
        raise ChangeError(f"An edit of the kind “{kind}” cannot be read: {error}.") from error


def edits_of(records: Iterable[Mapping[str, Any]]) -> tuple[Edit, ...]:
    """Several, in their order. Raises ChangeError."""
    return tuple(map(edit_of, records))
