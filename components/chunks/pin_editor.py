"""Editor of a document's pins: set in the text, listed, undone; drawn before they are saved."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import streamlit as st

from chunking.errors import ChangeError, ChunkscopeError
from chunking.model import Document, Pin, PinKind
from chunking.splitting import DocumentView
from chunking.splitting.pins.stored_pins import (
    PIN_FILE,
    PINS,
    FoundPin,
    PinnedDocument,
    StoredPin,
    find_pins,
    pin_of,
    read_pins,
    write_pins,
)
from chunking.store import Workspace
from chunking.store.documents.change_log import ChangeLog, LogStep
from chunking.store.documents.listed_changes import changes_of
from chunking.text.change_files import readable
from components.kit.button import button
from components.kit.pick_table import pick_row
from components.kit.viewer import PinMark
from components.kit.wording import plain, quantity, shortened
from components.session.current_workspace import editing
from components.session.workspace import workspace

__all__ = ["PinEditor", "left_out_card", "pin_editor", "pin_panel"]

_SHOWN = 500
"""Most pins listed; lost and overruled ones first."""
_REASON = "pins.reason.field"

LABELS: dict[PinKind, str] = {
    PinKind.SPLIT: "Split here",
    PinKind.KEEP: "Keep together",
    PinKind.LEAVE_OUT: "Leave out",
    PinKind.MERGE: "Merge with next",
}
_WAITING, _FOUND, _SAID = "pins.waiting", "pins.found", "pins.said"
REASON = "pins.reason"
"""Session key of the last reason given."""
_USUAL = "boilerplate"
_POINTS = (PinKind.SPLIT, PinKind.MERGE)


def pin_panel(of: Document, editor: PinEditor, view: DocumentView, go: Callable[[int], None]) -> None:
    """Draw Undo, Redo and File, then the pins with Show and Remove, or how to set one.

    Args:
        go: scrolls the text to a character.
    """
    _buttons(of, editor)
    if unread := len(editor.log.changes) - len(editor.entries):
        st.caption(f"⚠ Set by another version of Chunkscope; kept, but not used here: {quantity(unread, 'pin')}.")
    if not editor.entries:
        st.caption(
            "Pins set boundaries by hand, for every strategy and size. Select text, or move to a chunk with "
            "the arrow keys, then press S to split there, K to keep it together, X to leave it out or M to "
            "merge it with the next chunk. Ctrl+Z undoes a step."
        )
        return
    states = editor.states(view)
    order = sorted(range(len(states)), key=lambda number: (not states[number], _start(editor.entries[number])))[:_SHOWN]
    number = _table(editor, states, order)
    one = editor.entries[number]
    if states[number]:
        st.caption(f"⚠ {plain(states[number])}")
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Show",
            icon=":material/my_location:",
            key="pins.show",
            disabled=one.pin is None,
            on_click=lambda: go(one.pin.start) if one.pin is not None else None,
        )
        gone = LogStep((), (one.stored.id,), "Remove a pin")
        st.button("Remove", icon=":material/delete:", key="pins.remove", on_click=editor.do, args=(gone,), **editing())
    if one.stored.kind is PinKind.LEAVE_OUT:
        st.session_state[_REASON] = one.stored.reason
        st.text_input(
            "Reason",
            key=_REASON,
            max_chars=200,
            on_change=_give_reason,
            args=(editor, one),
            **editing(
                help=(
                    "Why this text belongs to no chunk; shown where it is listed. The next one starts with the "
                    "same reason."
                )
            ),
        )


def left_out_card(of: Document, editor: PinEditor, at: int) -> bool:
    """Draw why a character of the text is in no chunk; False if nothing leaves it out.

    Offers to remove the pin that leaves it out.

    Args:
        at: offset in characters of the text.
    """
    pins = [
        one
        for one in editor.entries
        if one.stored.kind is PinKind.LEAVE_OUT and one.pin is not None and one.pin.start <= at < one.pin.end
    ]
    if not pins:
        reasons = [span.reason for span in of.left_out if span.start <= at < span.end]
        if reasons:
            st.caption(f"Left out when the file was read: {plain(reasons[0])}. This text belongs to no chunk.")
        return bool(reasons)
    one = pins[-1]
    st.caption(
        f"Left out by a pin{f': {plain(one.stored.reason)}' if one.stored.reason else ''}. This text belongs "
        f"to no chunk."
    )
    gone = LogStep((), (one.stored.id,), "Remove a pin")
    st.button(
        "Undo: put it back", icon=":material/undo:", key="pins.put_back", on_click=editor.do, args=(gone,), **editing()
    )
    return True


def _start(pin: FoundPin) -> int:
    return pin.pin.start if pin.pin is not None else pin.stored.anchor.start


def _table(editor: PinEditor, states: list[str], order: list[int]) -> int:
    import pandas as pd

    rows = [
        {
            "Pin": LABELS[editor.entries[number].stored.kind],
            "State": "lost" if editor.entries[number].pin is None else "overruled" if states[number] else "holds",
            "Text": excerpt(editor.entries[number]),
        }
        for number in order
    ]
    help_text = (
        "Holds: applied as set. Overruled: another pin takes precedence, or it has no effect. Lost: its words are gone."
    )
    picked = pick_row(
        pd.DataFrame(rows),
        key=f"pins.table.{editor.log.digest()}",
        columns={
            "Pin": st.column_config.TextColumn(width=104),
            "State": st.column_config.TextColumn(width=76, help=help_text),
        },
        height=min(35 * len(rows) + 38, 213),
    )
    if len(editor.entries) > len(order):
        st.caption(f"The first {len(order):,} of {len(editor.entries):,}; the file has all of them.")
    return order[picked]


def _give_reason(editor: PinEditor, one: FoundPin) -> None:
    reason = " ".join(str(st.session_state[_REASON]).split())
    if reason and reason != one.stored.reason:
        st.session_state[REASON] = reason
        editor.do(LogStep(({**one.stored.as_record(), "reason": reason},), (), "Change a reason"))


def _buttons(of: Document, editor: PinEditor) -> None:
    undo, redo = editor.log.undoable, editor.log.redoable
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.button(
            "Undo",
            icon=":material/undo:",
            key="pins.undo",
            on_click=editor.undo,
            args=(False,),
            **editing(disabled=undo is None, help=f"{undo.label} (Ctrl+Z)" if undo else None),
        )
        st.button(
            "Redo",
            icon=":material/redo:",
            key="pins.redo",
            on_click=editor.undo,
            args=(True,),
            **editing(disabled=redo is None, help=f"{redo.label} (Ctrl+Y)" if redo else None),
        )
        with st.popover("File", icon=":material/swap_vert:"):
            _files(of, editor)


def _files(of: Document, editor: PinEditor) -> None:
    stored = tuple(one.stored for one in editor.entries)
    st.download_button(
        f"Download {quantity(len(stored), 'pin')}",
        data=lambda: write_pins([PinnedDocument(of.doc_id, of.source, stored)]),
        file_name="pins.json",
        mime="application/json",
        on_click="ignore",
        disabled=not stored,
        key="pins.download",
        help="For --pins on the command line, and for another workspace. Export has the pins of all documents.",
    )
    file = st.file_uploader("Add the pins of a file", type="json", key="pins.upload", **editing())
    if file is not None and button("Add", key="pins.add", about=file.file_id, type="primary", **editing()):
        _add(of, editor, file.getvalue(), file.name)


def _add(of: Document, editor: PinEditor, data: bytes, name: str) -> None:
    """Add the file's pins that are for this document and new."""
    try:
        pins = [pin for one in read_pins(data, name) if one.is_about(of) for pin in one.changes]
    except ChangeError as error:
        st.caption(f":red[{plain(str(error))}]")
        return
    there = {(one.stored.kind, one.stored.anchor) for one in editor.entries}
    new = [pin.as_record() for pin in pins if (pin.kind, pin.anchor) not in there]
    if not new:
        st.caption(f"{plain(name)} has no new pin for this document.")
        return
    editor.do(LogStep(tuple(editor.with_ids(new)), (), f"Import {quantity(len(new), 'pin')}"))
    st.rerun(scope="fragment")


class _Action(NamedTuple):
    """An action not saved yet."""

    doc_id: str
    revision: int
    """Revision of the change log that the user saw."""
    what: LogStep | Literal["undo", "redo"]


@dataclass(frozen=True)
class PinEditor:
    """Pins of a document, with steps queued in the session that `save` has yet to write.

    Attributes:
        parsed: document without the pins of the change log.
        log: change log of the pins, queued steps included.
        entries: pins of the log, each with its position in the text unless it is lost.
    """

    parsed: Document
    log: ChangeLog
    entries: tuple[FoundPin, ...]

    @property
    def pins(self) -> tuple[Pin, ...]:
        """Located pins, those of the document's own file first, without duplicates."""
        return tuple(dict.fromkeys([*self.parsed.pins, *(one.pin for one in self.entries if one.pin is not None)]))

    def states(self, view: DocumentView | None) -> list[str]:
        """Return per entry why it is lost or overruled; "" if it holds.

        Without a view only lost pins are known.
        """
        reasons = {} if view is None else dict(zip(view.document.pins, view.pin_states, strict=True))
        lost = "Its words are no longer in the text, or occur more than once."
        return [lost if one.pin is None else reasons.get(one.pin, "") for one in self.entries]

    def marks(self, view: DocumentView | None) -> list[PinMark]:
        """Return the viewer's marks of the pins that were located in the text."""
        marks = []
        for one, why in zip(self.entries, self.states(view), strict=True):
            if one.pin is not None:
                reason = f": {one.pin.reason}" if one.pin.reason else ""
                label = f"Pin: {LABELS[one.pin.kind].lower()}{reason}" + (f". {why}" if why else "")
                marks.append(PinMark(one.pin.kind, one.pin.start, one.pin.end, label, not why))
        return marks

    def set(self, kind: str, places: Iterable[tuple[int, int]]) -> None:
        """Queue a pin at each (start, end): the same pin is removed, a contradicting one replaced.

        Does nothing for an unknown kind. If a pin cannot be set at a place, `save` shows why.
        """
        if kind not in list(PinKind):
            return
        reason = st.session_state.get(REASON, _USUAL)
        added: list[dict[str, Any]] = []
        removed: list[str] = []
        for start, end in places:
            try:
                pin = StoredPin.of(self.parsed, PinKind(kind), start, end, reason)
            except ChangeError as error:
                st.session_state[_SAID] = str(error)
                continue
            same = [one for one in self.entries if one.pin is not None and self._at_one_place(one.pin, pin)]
            removed += [one.stored.id for one in same]
            if not any(one.stored.kind is pin.kind for one in same):
                added.append(pin.as_record())
        if added or removed:
            self.do(
                LogStep(tuple(self.with_ids(added)), tuple(removed), LABELS[PinKind(kind)] if added else "Remove a pin")
            )

    def with_ids(self, records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return copies of pin records with new ids, so that unsaved pins look like saved ones."""
        return [{**record, "id": uuid.uuid4().hex[:12]} for record in records]

    def _at_one_place(self, there: Pin, new: StoredPin) -> bool:
        ends = (new.anchor.start, new.anchor.end)
        return (there.start, there.end) == ends and (there.kind in _POINTS) == (new.kind in _POINTS)

    def do(self, what: LogStep | Literal["undo", "redo"]) -> None:
        """Queue a step, an undo or a redo in the session; `save` writes it."""
        st.session_state.setdefault(_WAITING, []).append(_Action(self.parsed.doc_id, self.log.revision, what))

    def undo(self, redo: bool) -> None:
        """Queue an undo, or with `redo` a redo, if there is a step for it."""
        if self.log.redoable if redo else self.log.undoable:
            self.do("redo" if redo else "undo")

    def save(self) -> None:
        """Write queued steps to the change log and rerun the app; return if none is queued.

        Call it last in a fragment. After an error the queued steps are dropped, and a toast shows the error.
        """
        waiting: list[_Action] = st.session_state.get(_WAITING, [])
        said = st.session_state.pop(_SAID, "")
        if said:
            st.toast(plain(said), icon=":material/info:")
        if not waiting:
            return
        changes = workspace().changes
        try:
            while waiting:
                doc_id, revision, what = waiting[0]
                if isinstance(what, LogStep):
                    written = changes.append(
                        doc_id, PINS, what.added, removed=what.removed, label=what.label, seen_revision=revision
                    )
                else:
                    written = (
                        changes.undo(doc_id, PINS, seen_revision=revision)
                        if what == "undo"
                        else changes.redo(doc_id, PINS, seen_revision=revision)
                    )
                waiting.pop(0)  # before anything is shown: a new run may begin there, and must not save the step twice
                if written.elsewhere and isinstance(what, LogStep):
                    st.toast(
                        "The pins of this document were also changed elsewhere; both changes are kept.",
                        icon=":material/sync:",
                    )
                elif written.elsewhere:
                    st.toast(
                        "The pins were changed elsewhere in the meantime; nothing was undone.",
                        icon=":material/sync_problem:",
                    )
        except ChunkscopeError as error:
            waiting.clear()
            st.toast(plain(str(error)), icon=":material/error:")
        st.rerun(scope="app")


def pin_editor(of: Document) -> PinEditor:
    """Return the editor of a document's pins, with the session's queued steps already applied."""
    target = workspace()
    log = target.changes.log(of.doc_id, PINS)
    for action in st.session_state.get(_WAITING, []):
        if action.doc_id == of.doc_id:
            log = _with(log, action.what)
    parsed = _parsed(target, of)
    key = (id(parsed), log.digest() if log.changes else "")
    if st.session_state.get(_FOUND, (None,))[0] != key:
        st.session_state[_FOUND] = key, tuple(find_pins(parsed, readable(log.changes, pin_of))), parsed
    return PinEditor(parsed, log, st.session_state[_FOUND][1])


def _parsed(target: Workspace, of: Document) -> Document:
    """Return the document without the pins of its change log; pins of its file stay."""
    listed = {one.pin for one in find_pins(of, changes_of(target, of.doc_id, PIN_FILE))} if of.pins else set()
    kept = st.session_state.get("pins.parsed", (None, None, None))
    if kept[0] is not of:
        kept = st.session_state["pins.parsed"] = (
            of,
            replace(of, pins=tuple(pin for pin in of.pins if pin not in listed)),
            None,
        )
    return kept[1]  # type: ignore[no-any-return]


def _with(log: ChangeLog, what: LogStep | Literal["undo", "redo"]) -> ChangeLog:
    if isinstance(what, LogStep):
        return log.with_step(what)
    done = max(log.done - 1, 0) if what == "undo" else min(log.done + 1, len(log.steps))
    return log if done == log.done else replace(log, revision=log.revision + 1, done=done)


def excerpt(pin: FoundPin) -> str:
    """Return the words a pin was set on, or those after a point, in up to 80 characters."""
    anchor = pin.stored.anchor
    words = anchor.quote + (" … " + anchor.tail if anchor.tail else "") if anchor.start < anchor.end else anchor.after
    return shortened(" ".join(words.split()), 80)
