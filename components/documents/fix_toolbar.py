"""Toolbar that fixes the parse at the chosen place of a document's text.

It is always drawn, so that nothing moves under the pointer.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from operator import attrgetter
from typing import TypeVar

import streamlit as st

from chunking.model import Block, BlockType, Document, LeftOut
from chunking.parsing.edits import (
    Edit,
    HeaderRows,
    JoinBlocks,
    LeaveOut,
    PartBlock,
    SetType,
    SwapBlocks,
    TakeBack,
)
from chunking.store import Workspace
from chunking.text.anchors import Anchor
from components.documents.document_edits import TYPES, apply_edits, log_of, tell_edit, type_name, undo_edit
from components.kit.button import button
from components.kit.wording import isolated, plain, quantity, shortened
from components.session.current_workspace import editing
from components.session.page.page_frame import sentences

__all__ = ["choose_section", "choose_text", "chosen_place", "forget_text", "toolbar", "type_name"]

_SELECTED = "mending.selected"
_ROW = "mending"

_START = attrgetter("start")
_Spanned = TypeVar("_Spanned", Block, LeftOut)


def choose_text(of: Document, start: int, end: int) -> None:
    """Store in the session which text is selected, as (document id, start, end)."""
    st.session_state[_SELECTED] = (of.doc_id, start, end)


def choose_section(of: Document, viewer: str, index: int | None) -> None:
    """Drop the selected text, and pick the first block of a section; nothing without an index."""
    if index is not None and index < len(of.sections):
        forget_text()
        section = of.sections[index]
        st.session_state[f"{viewer}.at"] = next(
            (block.start for block in of.blocks if block.start >= section.start), section.start
        )


def forget_text() -> None:
    """Drop the selected text from the session, so that the picked block counts."""
    st.session_state.pop(_SELECTED, None)


def toolbar(target: Workspace, of: Document, viewer: str) -> None:
    """Draw the buttons that fix the picked block or selected text, and Undo and Redo.

    Also shows, once, the message about the last edit. Call it in the fragment of the viewer.

    Args:
        viewer: key of the viewer with the pick.
    """
    with sentences():
        tell_edit()
        doc_id, *span = st.session_state.get(_SELECTED, ("", 0, 0))
        selected = (span[0], span[1]) if doc_id == of.doc_id and span[1] <= len(of.text) else None
        place = chosen_place(of, st.session_state.get(f"{viewer}.at"), selected)
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="mending-row"):
            if place is None:
                st.caption("Pick a block or select text to fix its parse.", width="stretch")
            else:
                _about(place)
                _actions(target, place)
            _history(target, of.doc_id)


def _about(place: ChosenPlace) -> None:
    """Draw the type and the beginning of the chosen place."""
    st.markdown(
        f"**{plain(place.name)}** {plain(shortened(place.words, 34))}", width="stretch", help=plain(place.words)
    )


def _actions(target: Workspace, place: ChosenPlace) -> None:
    about = (place.document.doc_id, place.start, place.end)
    words = shortened(place.words, 40)
    if place.level is not None:
        _move(target, place, -1, "Promote", "arrow_back", about)
        _move(target, place, 1, "Demote", "arrow_forward", about)
    if place.block is not None:
        _type(target, place)
    for edit, label, icon, key, keys in _simple(place):
        if edit is not None and _pressed(label, icon, f"{_ROW}.{key}", about, keys):
            _do(target, place, [edit], f"{label}: “{words}”")
    _more(target, place, about)


def _simple(place: ChosenPlace) -> Sequence[tuple[Edit | None, str, str, str, str]]:
    """Return (edit, label, icon, key, shortcut) of the edits with a button."""
    return (
        (place.leave_out(), "Leave out", "visibility_off", "out", "Alt+X"),
        (place.take_back(), "Restore", "visibility", "back", "Alt+X"),
    )


def _pressed(label: str, icon: str, key: str, about: object, keys: str = "") -> bool:
    return button(
        label, key=key, about=about, icon=f":material/{icon}:", type="tertiary", shortcut=keys or None, **editing()
    )


def _move(target: Workspace, place: ChosenPlace, by: int, label: str, icon: str, about: object) -> None:
    edit = place.moved(by)
    keys = "Alt+Shift+Left" if by < 0 else "Alt+Shift+Right"
    help = _what_moves(place, by) if edit else _why_not(place, by)
    looks = editing(disabled=edit is None, help=help, shortcut=keys, icon=f":material/{icon}:", type="tertiary")
    if button(label, key=f"{_ROW}.move.{by}", about=about, **looks) and edit is not None:
        _do(target, place, [edit], f"{label}: “{shortened(place.words, 40)}”")


_ALONE = "To move it alone, choose its type."


def _what_moves(place: ChosenPlace, by: int) -> str:
    under, level = len(place.below), f"Make it a heading of level {(place.level or 0) + by}"
    if not under:
        return f"{level}."
    return f"{level}; {quantity(under, 'heading')} under it {'moves' if under == 1 else 'move'} along. {_ALONE}"


def _why_not(place: ChosenPlace, by: int) -> str:
    if 1 <= (place.level or 0) + by <= 6:
        return f"A heading under it is already of level 6, the lowest. {_ALONE}"
    return f"Its level is already {place.level}, the lowest."


def _type(target: Workspace, place: ChosenPlace) -> None:
    """Draw the choice of the block's type; this also adds and removes headings."""
    names = list(TYPES)
    now = "" if place.selected else place.name
    key = f"{_ROW}.type.{place.document.doc_id}.{place.start}.{place.end}.{now}"
    chosen = st.selectbox(
        "Type of the block",
        names,
        index=names.index(now) if now in names else None,
        key=key,
        label_visibility="collapsed",
        placeholder="Make it a …",
        width=150,
        **editing(),
    )
    if chosen and chosen != now:
        _do(target, place, [place.set_type(chosen)], f"{chosen}: “{shortened(place.words, 40)}”")


def _more(target: Workspace, place: ChosenPlace, about: object) -> None:
    """Draw the less frequent edits in a popover."""
    offers = (
        (place.part(), "Start a block here", "vertical_split", "part"),
        (place.join(), "Join the selected blocks" if place.selected else "Join with the next block", "merge", "join"),
        (place.swap(-1), "Move up in the reading order", "arrow_upward", "up"),
        (place.swap(1), "Move down in the reading order", "arrow_downward", "down"),
    )
    rows = place.header_rows
    if not any(edit for edit, *_ in offers) and rows is None:
        return
    with st.popover("More", type="tertiary", key=f"{_ROW}.more"):
        for edit, label, icon, key in offers:
            if edit is not None and _pressed(label, icon, f"{_ROW}.{key}", about):
                _do(target, place, [edit], f"{label}: “{shortened(place.words, 40)}”")
        if rows is not None:
            _header(target, place, *rows)


def _header(target: Workspace, place: ChosenPlace, now: int, most: int) -> None:
    rows = st.number_input(
        "Header rows",
        0,
        max(most, now, 1),
        now,
        key=f"{_ROW}.rows.{place.document.doc_id}.{place.start}.{now}",
        **editing(help="Number of header rows: they are repeated before chunks of later rows, and are not data."),
    )
    if rows != now:
        _do(target, place, [place.set_header_rows(int(rows))], f"{rows} header rows: “{shortened(place.words, 40)}”")


def _history(target: Workspace, doc_id: str) -> None:
    """Draw undo and redo."""
    log = log_of(target, doc_id)
    for step, label, icon, keys, again in (
        (log.undoable, "Undo", "undo", "Ctrl+Z", False),
        (log.redoable, "Redo", "redo", "Ctrl+Shift+Z", True),
    ):
        help = (
            isolated(f"{label}: {step.label}")
            if step and step.label
            else f"Nothing to {label.lower()}"
            if not step
            else label
        )
        looks = editing(
            icon=f":material/{icon}:", type="tertiary", disabled=step is None, help=plain(help), shortcut=keys
        )
        if button(label, key=f"{_ROW}.{icon}", about=(doc_id, log.revision), **looks):
            undo_edit(target, doc_id, again=again)
            st.rerun()


def _do(target: Workspace, place: ChosenPlace, edits: Sequence[Edit], label: str) -> None:
    apply_edits(target, place.document.doc_id, edits, label)
    forget_text()
    st.rerun()


@dataclass(frozen=True, slots=True)
class ChosenPlace:
    """A picked block, selected text, or a left-out span, with the edits that apply to it."""

    document: Document
    start: int
    end: int
    block: Block | None
    """The block that contains the start; None in left-out text."""
    out: LeftOut | None = None
    selected: bool = False
    """True for selected text, False for a picked block."""

    @property
    def anchor(self) -> Anchor:
        return Anchor.of(self.document.text, self.start, self.end)

    @property
    def words(self) -> str:
        """The first 160 characters of the text on one line, without an ellipsis."""
        return " ".join(self.document.text[self.start : min(self.end, self.start + 160)].split())

    @property
    def name(self) -> str:
        """Label: why it is left out, `Selected text`, or the type of the block."""
        if self.out is not None:
            return f"Left out ({self.out.reason})"
        if self.selected:
            return "Selected text"
        return type_name(self.block.type, self.block.level) if self.block else "Text"

    @property
    def level(self) -> int | None:
        """Level of a picked heading, else None."""
        return self.block.level if self.block and not self.selected else None

    def set_type(self, name: str) -> Edit:
        """Return the edit that sets the type, by its label in `TYPES`."""
        kind, level = TYPES[name]
        return SetType(anchor=self.anchor, type=kind, level=level)

    @property
    def below(self) -> list[int]:
        """Levels of the headings under a picked heading; empty for any other place."""
        level = self.level
        if level is None or self.block is None:
            return []
        after = islice(self.document.blocks, bisect_right(self.document.blocks, self.block.start, key=_START), None)
        levels = (block.level for block in after if block.level is not None)
        return list(takewhile(lambda one: one > level, levels))

    def moved(self, by: int) -> Edit | None:
        """Return the edit that promotes (-1) or demotes (1) a heading and all headings under it.

        None if one of them would leave levels 1 to 6.
        """
        if self.level is None or not 1 <= self.level + by <= 6 or max(self.below, default=1) + by > 6:
            return None
        return SetType(anchor=self.anchor, type=BlockType.HEADING, level=self.level + by, below=True)

    def leave_out(self) -> Edit | None:
        return None if self.out else LeaveOut(anchor=self.anchor)

    def take_back(self) -> Edit | None:
        return TakeBack(anchor=self.anchor) if self.out else None

    def part(self) -> Edit | None:
        """Return the edit that starts a block at text selected inside a block, else None."""
        if not self.selected or self.block is None or not self.document.text[self.block.start : self.start].strip():
            return None
        return PartBlock(anchor=Anchor.of(self.document.text, self.start, self.start))

    def join(self) -> Edit | None:
        """Return the edit that joins the selected blocks, or a picked one and the next; or None."""
        last = self._neighbour(0 if self.selected and self.block and self.end > self.block.end else 1)
        if self.block is None or last is None:
            return None
        end = max(last.end, self.end if self.selected else 0)
        return JoinBlocks(anchor=Anchor.of(self.document.text, self.block.start, end))

    def swap(self, by: int) -> Edit | None:
        """Return the edit that swaps a picked block with the previous (-1) or next (1); or None."""
        other = self._neighbour(by)
        if self.selected or self.block is None or other is None:
            return None
        return SwapBlocks(anchor=self.anchor, other=Anchor.of(self.document.text, other.start, other.end))

    @property
    def header_rows(self) -> tuple[int, int] | None:
        """(current, most possible) header rows of a picked table, else None."""
        if self.block is None or self.block.type is not BlockType.TABLE or self.selected:
            return None
        from chunking.parsing.edits.draft_edits import all_rows

        rows = len(all_rows(self.document.text, self.block))
        return rows - len(self.block.meta.get("row_starts", ())), min(rows - 1, 9)

    def set_header_rows(self, rows: int) -> Edit:
        return HeaderRows(anchor=self.anchor, rows=rows)

    def _neighbour(self, by: int) -> Block | None:
        if self.block is None:
            return None
        place = bisect_right(self.document.blocks, self.block.start, key=_START) - 1 + by
        return self.document.blocks[place] if 0 <= place < len(self.document.blocks) else None


def chosen_place(document: Document, at: int | None, selected: tuple[int, int] | None) -> ChosenPlace | None:
    """Return the selected text, else the block or left-out span at an offset; None if nothing."""
    start = selected[0] if selected else at
    if start is None or start >= len(document.text):
        return None
    block = _holding(document.blocks, start)
    if selected is not None:
        return ChosenPlace(document, *selected, block, selected=True)
    if block is not None:
        return ChosenPlace(document, block.start, block.end, block)
    out = _holding(document.left_out, start)
    return ChosenPlace(document, out.start, out.end, None, out) if out is not None else None


def _holding(spans: tuple[_Spanned, ...], offset: int) -> _Spanned | None:
    place = bisect_right(spans, offset, key=_START) - 1
    return spans[place] if place >= 0 and offset < spans[place].end else None
