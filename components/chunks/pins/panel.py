"""The list of a document's pins: what each does and whether it holds; undo and redo, in and out as a file."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from chunking.errors import ChangeError
from chunking.model import Document, PinKind
from chunking.splitting import DocumentView
from chunking.splitting.pins.pin_files import PinnedDocument, read_pins, write_pins
from chunking.splitting.pins.stored_pins import FoundPin
from chunking.store.documents.change_log import LogStep
from components.chunks.pins.desk import LABELS, REASON, PinDesk, excerpt
from components.kit.button import button
from components.kit.pick_table import pick_row
from components.kit.wording import plain, quantity
from components.session.editing import editing

__all__ = ["left_out_card", "pin_panel"]

_SHOWN = 500
"""Pins in the table; those that do not hold come first."""
_REASON = "pins.reason.field"


def pin_panel(of: Document, desk: PinDesk, view: DocumentView, go: Callable[[int], None]) -> None:
    """All of it; below the buttons the pins, or how to set one.

    Args:
        go: brings a character of the text into sight.
    """
    _buttons(of, desk)
    if unread := len(desk.log.changes) - len(desk.found):
        st.caption(f"⚠ Set by another version of Chunkscope, kept, and not used here: {quantity(unread, 'pin')}.")
    if not desk.found:
        st.caption(
            "Pins set boundaries by hand, for every strategy and size. Select text, or move to a chunk "
            "with the arrow keys, then "
            "press S to split there, K to keep it together, X to leave it out or M to merge it with the next chunk. "
            "Ctrl+Z undoes a step."
        )
        return
    states = desk.states(view)
    order = sorted(range(len(states)), key=lambda number: (not states[number], _start(desk.found[number])))[:_SHOWN]
    number = _table(desk, states, order)
    one = desk.found[number]
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
        st.button("Remove", icon=":material/delete:", key="pins.remove", on_click=desk.do, args=(gone,), **editing())
    if one.stored.kind is PinKind.LEAVE_OUT:
        st.session_state[_REASON] = one.stored.reason
        st.text_input(
            "Reason",
            key=_REASON,
            max_chars=200,
            on_change=_give_reason,
            args=(desk, one),
            **editing(
                help=(
                    "Why this text belongs to no chunk; shown where it is listed. The next one starts with the "
                    "same reason."
                )
            ),
        )


def left_out_card(of: Document, desk: PinDesk, at: int) -> bool:
    """What stands at a place of the text that is in no chunk, and how to get it back; False where nothing leaves it
    out.

    Args:
        at: a character of the text.
    """
    pins = [
        one
        for one in desk.found
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
        "Undo: put it back", icon=":material/undo:", key="pins.put_back", on_click=desk.do, args=(gone,), **editing()
    )
    return True


def _start(found: FoundPin) -> int:
    return found.pin.start if found.pin is not None else found.stored.anchor.start


def _table(desk: PinDesk, states: list[str], order: list[int]) -> int:
    import pandas as pd

    rows = [
        {
            "Pin": LABELS[desk.found[number].stored.kind],
            "State": "lost" if desk.found[number].pin is None else "overruled" if states[number] else "holds",
            "Text": excerpt(desk.found[number]),
        }
        for number in order
    ]
    help_text = (
        "Holds: applied as set. Overruled: another pin takes precedence, or it has no effect. Lost: its words are gone."
    )
    picked = pick_row(
        pd.DataFrame(rows),
        key=f"pins.table.{desk.log.digest()}",
        columns={
            "Pin": st.column_config.TextColumn(width=104),
            "State": st.column_config.TextColumn(width=76, help=help_text),
        },
        height=min(35 * len(rows) + 38, 213),
    )
    if len(desk.found) > len(order):
        st.caption(f"The first {len(order):,} of {len(desk.found):,}; the file has all of them.")
    return order[picked]


def _give_reason(desk: PinDesk, one: FoundPin) -> None:
    reason = " ".join(str(st.session_state[_REASON]).split())
    if reason and reason != one.stored.reason:
        st.session_state[REASON] = reason
        desk.do(LogStep(({**one.stored.as_record(), "reason": reason},), (), "Change a reason"))


def _buttons(of: Document, desk: PinDesk) -> None:
    undo, redo = desk.log.undoable, desk.log.redoable
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.button(
            "Undo",
            icon=":material/undo:",
            key="pins.undo",
            on_click=desk.undo,
            args=(False,),
            **editing(disabled=undo is None, help=f"{undo.label} (Ctrl+Z)" if undo else None),
        )
        st.button(
            "Redo",
            icon=":material/redo:",
            key="pins.redo",
            on_click=desk.undo,
            args=(True,),
            **editing(disabled=redo is None, help=f"{redo.label} (Ctrl+Y)" if redo else None),
        )
        with st.popover("File", icon=":material/swap_vert:"):
            _files(of, desk)


def _files(of: Document, desk: PinDesk) -> None:
    stored = tuple(one.stored for one in desk.found)
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
        _add(of, desk, file.getvalue(), file.name)


def _add(of: Document, desk: PinDesk, data: bytes, name: str) -> None:
    """Those that are about this document and that it does not have yet."""
    try:
        given = [pin for one in read_pins(data, name) if one.is_about(of) for pin in one.changes]
    except ChangeError as error:
        st.caption(f":red[{plain(str(error))}]")
        return
    there = {(one.stored.kind, one.stored.anchor) for one in desk.found}
    new = [pin.as_record() for pin in given if (pin.kind, pin.anchor) not in there]
    if not new:
        st.caption(f"{plain(name)} has no new pin for this document.")
        return
    desk.do(LogStep(tuple(desk.with_ids(new)), (), f"Import {quantity(len(new), 'pin')}"))
    st.rerun(scope="fragment")
