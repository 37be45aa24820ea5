"""The kinds of edits as plain data with a place; `draft_edits` applies them."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from chunking.errors import ChangeError
from chunking.model import BlockType, Box
from chunking.text.anchors import Anchor
from chunking.text.change_files import ChangeFile, DocumentChanges

__all__ = [
    "EDIT_FILE",
    "EDIT_TYPES",
    "REASON",
    "Edit",
    "EditedDocument",
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
    "read_edits",
    "write_edits",
]

REASON = "hand-picked region"
"""Default reason for a region to belong to no chunk."""
_MOST_TEXT = 400
_MOST_ROWS = 1_000


def _new_id() -> str:
    return uuid.uuid4().hex[:12]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Base of the edits of a parse: an id, and an anchor that is found again by its words."""

    kind: ClassVar[str] = ""
    anchor: Anchor
    """Text that the edit is about."""
    id: str = field(default_factory=_new_id)
    """Unique within its document."""

    def as_record(self) -> dict[str, Any]:
        """Return the edit as JSON values, without None and False; `edit_of` restores it."""
        values = ((one.name, getattr(self, one.name)) for one in fields(self))
        settings = {
            name: _plain(value) for name, value in values if value is not None and value is not False and name != "id"
        }
        return {"id": self.id, "kind": self.kind} | settings


@dataclass(frozen=True, slots=True, kw_only=True)
class SetType(Edit):
    """Edit that sets the type of a block, or of part of a block, which is split off.

    Headings are promoted, demoted, added and removed this way.
    """

    kind: ClassVar[str] = "type"
    type: BlockType
    level: int | None = None
    """Heading level, 1 to 6; None for other types."""
    below: bool = False
    """True to move the headings below by as many levels, within the range."""

    def __post_init__(self) -> None:
        if (self.level is not None) != (self.type is BlockType.HEADING):
            raise ValueError("a heading has a level from 1 to 6, and other blocks have none")


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveOut(Edit):
    """Edit that leaves a span of the text out of all chunks; the text itself stays."""

    kind: ClassVar[str] = "leave_out"
    reason: str = REASON


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveOutBox(Edit):
    """Edit that leaves a rectangle of a page out of all chunks; its anchor is the first words."""

    kind: ClassVar[str] = "leave_out_box"
    page: int
    """1-based."""
    box: Box
    reason: str = REASON


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeBack(Edit):
    """Edit that makes a span left out by the parser or by hand paragraphs again."""

    kind: ClassVar[str] = "take_back"


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinBlocks(Edit):
    """Edit that joins consecutive blocks to one; the anchor spans them."""

    kind: ClassVar[str] = "join"


@dataclass(frozen=True, slots=True, kw_only=True)
class PartBlock(Edit):
    """Edit that splits a block; the anchor is the place between characters where to split."""

    kind: ClassVar[str] = "part"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderRows(Edit):
    """Edit that sets how many of a table's rows are header rows; 0 for none."""

    kind: ClassVar[str] = "header_rows"
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapBlocks(Edit):
    """Edit that swaps two runs of blocks, the only one to change the canonical text."""

    kind: ClassVar[str] = "swap"
    other: Anchor
    """Text of the other run."""


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


def _integer(low: int, high: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if type(value) is not int or not low <= value <= high:
            raise ValueError(f"{str(value)[:20]} is not a number between {low} and {high:,}")
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
    "level": _integer(1, 6),
    "below": _yes,
    "reason": _text,
    "page": _integer(1, 10**6),
    "box": _box,
    "rows": _integer(0, _MOST_ROWS),
}
"""Validators of fields by name."""


def edit_of(record: Any) -> Edit:
    """Restore an edit from a record of `as_record`, and validate its values.

    Raises:
        ChangeError: it is invalid; the sentence says what is wrong.
    """
    kind = record.get("kind") if isinstance(record, Mapping) else None
    edit_type = next((one for one in EDIT_TYPES if one.kind == kind), None)
    if edit_type is None:
        kinds = ", ".join(one.kind for one in EDIT_TYPES)
        raise ChangeError(f"“{str(kind)[:40]}” is not a type of edit; the types are {kinds}.")
    try:
        values = {one.name: _READERS[one.name](record[one.name]) for one in fields(edit_type) if one.name in record}
        return edit_type(**values)
    except (TypeError, ValueError) as error:
        raise ChangeError(f"An edit of type “{kind}” cannot be read: {error}.") from error


def edits_of(records: Iterable[Mapping[str, Any]]) -> tuple[Edit, ...]:
    """Restore edits from records, in order; raise ChangeError if one is invalid."""
    return tuple(map(edit_of, records))


EditedDocument = DocumentChanges[Edit]
"""The edits of one document."""
EDIT_FILE: ChangeFile[Edit] = ChangeFile("edits", edit_of, to_add=lambda edit: edit)
"""Edits as a JSON file. Equal edits share an id: two blocks swapped and swapped back are two edits."""
read_edits, write_edits = EDIT_FILE.read, EDIT_FILE.write
