"""What people do to the pins of the document on screen: drawn at once, then saved, so that the text does not wait for a
disk.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import streamlit as st

from chunking.errors import ChangeError, ChunkscopeError
from chunking.model import Document, Pin, PinKind
from chunking.splitting import DocumentView
from chunking.splitting.pins.pin_files import PIN_FILE
from chunking.splitting.pins.stored_pins import PINS, FoundPin, StoredPin, find_pins, pin_of
from chunking.store import Workspace
from chunking.store.documents.change_log import ChangeLog, LogStep
from chunking.store.documents.listed_changes import changes_of
from chunking.text.change_files import readable
from components.kit.viewer import PinMark
from components.kit.wording import plain, shortened
from components.session.workspace import workspace

__all__ = ["LABELS", "REASON", "PinDesk", "excerpt", "pin_desk"]

LABELS: dict[PinKind, str] = {
    PinKind.SPLIT: "Split here",
    PinKind.KEEP: "Keep together",
    PinKind.LEAVE_OUT: "Leave out",
    PinKind.MERGE: "Merge with next",
}
_WAITING, _FOUND, _SAID = "pins.waiting", "pins.found", "pins.said"
REASON = "pins.reason"
"""Session key: the reason given last."""
_USUAL = "boilerplate"
_POINTS = (PinKind.SPLIT, PinKind.MERGE)


class _Action(NamedTuple):
    """Something that was done and is not saved yet."""

    doc_id: str
    seen: int
    """Revision of the list that the person saw."""
    what: LogStep | Literal["undo", "redo"]


@dataclass(frozen=True)
class PinDesk:
    """The pins of a document as they are now, saved or not.

    Attributes:
        parsed: the document without the pins that people set.
        log: their list.
        found: each with where it stands.
    """

    parsed: Document
    log: ChangeLog
    found: tuple[FoundPin, ...]

    @property
    def pins(self) -> tuple[Pin, ...]:
        """As the document bears them."""
        return tuple(dict.fromkeys([*self.parsed.pins, *(one.pin for one in self.found if one.pin is not None)]))

    def states(self, view: DocumentView | None) -> list[str]:
        """For each of `found`, why it does not hold; empty where it does."""
        told = {} if view is None else dict(zip(view.document.pins, view.pin_states, strict=True))
        lost = "Its words are no longer in the text, or occur more than once."
        return [lost if one.pin is None else told.get(one.pin, "") for one in self.found]

    def marks(self, view: DocumentView | None) -> list[PinMark]:
        """What the viewer draws."""
        found = []
        for one, why in zip(self.found, self.states(view), strict=True):
            if one.pin is not None:
                reason = f": {one.pin.reason}" if one.pin.reason else ""
                label = f"Pin: {LABELS[one.pin.kind].lower()}{reason}" + (f". {why}" if why else "")
                found.append(PinMark(one.pin.kind, one.pin.start, one.pin.end, label, not why))
        return found

    def set(self, kind: str, places: Iterable[tuple[int, int]]) -> None:
        """Set pins, with the next run; one that is there already is taken away, and one at the same place that
        contradicts it too.
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
            same = [one for one in self.found if one.pin is not None and self._at_one_place(one.pin, pin)]
            removed += [one.stored.id for one in same]
            if not any(one.stored.kind is pin.kind for one in same):
                added.append(pin.as_record())
        if added or removed:
            self.do(
                LogStep(tuple(self.with_ids(added)), tuple(removed), LABELS[PinKind(kind)] if added else "Remove a pin")
            )

    def with_ids(self, records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Each with an id that no other has: a step that waits is shown like one that is saved."""
        return [{**record, "id": uuid.uuid4().hex[:12]} for record in records]

    def _at_one_place(self, there: Pin, new: StoredPin) -> bool:
        ends = (new.anchor.start, new.anchor.end)
        return (there.start, there.end) == ends and (there.kind in _POINTS) == (new.kind in _POINTS)

    def do(self, what: LogStep | Literal["undo", "redo"]) -> None:
        """Note it for the next run."""
        st.session_state.setdefault(_WAITING, []).append(_Action(self.parsed.doc_id, self.log.revision, what))

    def undo(self, redo: bool) -> None:
        """Take the last step back, or do it again."""
        if self.log.redoable if redo else self.log.undoable:
            self.do("redo" if redo else "undo")

    def save(self) -> None:
        """Save what was drawn; the page is then drawn anew, with what indexes and questions make of it. Call it last in
        a fragment.
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
                doc_id, seen, what = waiting[0]
                if isinstance(what, LogStep):
                    written = changes.append(
                        doc_id, PINS, what.added, removed=what.removed, label=what.label, seen=seen
                    )
                else:
                    written = (
                        changes.undo(doc_id, PINS, seen=seen)
                        if what == "undo"
                        else changes.redo(doc_id, PINS, seen=seen)
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


def pin_desk(of: Document) -> PinDesk:
    """The pins of a document on screen, with what was done to them and is not saved yet."""
    target = workspace()
    log = target.changes.log(of.doc_id, PINS)
    for action in st.session_state.get(_WAITING, []):
        if action.doc_id == of.doc_id:
            log = _with(log, action.what)
    parsed = _parsed(target, of)
    key = (id(parsed), log.digest() if log.changes else "")
    if st.session_state.get(_FOUND, (None,))[0] != key:
        st.session_state[_FOUND] = key, tuple(find_pins(parsed, readable(log.changes, pin_of))), parsed
    return PinDesk(parsed, log, st.session_state[_FOUND][1])


def _parsed(target: Workspace, of: Document) -> Document:
    """The document without the pins that are in its list; those that came with it stay."""
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


def excerpt(found: FoundPin) -> str:
    """The words at which a pin stands."""
    anchor = found.stored.anchor
    words = anchor.quote + (" … " + anchor.tail if anchor.tail else "") if anchor.start < anchor.end else anchor.after
    return shortened(" ".join(words.split()), 80)
