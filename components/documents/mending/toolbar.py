"""One row above the text: what is chosen, and what can be done with it. It is always there, so that nothing moves under
the pointer.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from chunking.model import Document
from chunking.parsing.edits import Edit
from chunking.store import Workspace
from components.documents.mending.chosen_place import TYPES, ChosenPlace, choose
from components.documents.mending.edit_state import log_of, make, tell, undo
from components.kit.button import button
from components.kit.wording import apart, plain, quantity, shortened
from components.session.editing import editing
from components.session.page.page_frame import sentences

__all__ = ["choose_section", "choose_text", "forget_text", "toolbar"]

_SELECTED = "mending.selected"
_ROW = "mending"
_STYLE = """<style>
.st-key-mending-row { min-height: 44px; }
.st-key-mending-row p { margin: 0; } .st-key-mending-row [data-testid=stMarkdownContainer] { margin-bottom: 0; }
@media (max-width: 1200px) { .st-key-mending-row { flex-wrap: nowrap; overflow-x: auto; } .st-key-mending-row > * { flex-shrink: 0; } }
</style>"""


def choose_text(of: Document, start: int, end: int) -> None:
    """Remember that text of a document was selected."""
    st.session_state[_SELECTED] = (of.doc_id, start, end)


def choose_section(of: Document, viewer: str, index: int | None) -> None:
    """Let the heading of a section be what is picked in the text."""
    if index is not None and index < len(of.sections):
        forget_text()
        section = of.sections[index]
        st.session_state[f"{viewer}.at"] = next(
            (block.start for block in of.blocks if block.start >= section.start), section.start
        )


def forget_text() -> None:
    """What was picked last counts, not what was selected before."""
    st.session_state.pop(_SELECTED, None)


def toolbar(target: Workspace, of: Document, viewer: str) -> None:
    """The row; call it in the fragment of the viewer.

    Args:
        viewer: key of the viewer, whose pick it is about.
    """
    with sentences():
        tell()
        doc_id, *span = st.session_state.get(_SELECTED, ("", 0, 0))
        selected = (span[0], span[1]) if doc_id == of.doc_id and span[1] <= len(of.text) else None
        place = choose(of, st.session_state.get(f"{viewer}.at"), selected)
        st.html(_STYLE)
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="mending-row"):
            if place is None:
                st.caption("Pick a block or select text to fix its parse.", width="stretch")
            else:
                _about(place)
                _actions(target, place)
            _history(target, of.doc_id)


def _about(place: ChosenPlace) -> None:
    """What is chosen, in as many words as there is room for."""
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
    """(edit, label, icon, key, keyboard) of what has a button of its own."""
    return (
        (place.leave_out(), "Leave out", "visibility_off", "out", "Alt+X"),
        (place.take_back(), "Take back", "visibility", "back", "Alt+X"),
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
    """What the block is, to be changed: this adds a heading, and removes one."""
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
    """What is needed less often."""
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
    wanted = st.number_input(
        "Header rows",
        0,
        max(most, now, 1),
        now,
        key=f"{_ROW}.rows.{place.document.doc_id}.{place.start}.{now}",
        **editing(help="Number of header rows: they are repeated before chunks of later rows, and are not data."),
    )
    if wanted != now:
        _do(
            target, place, [place.set_header_rows(int(wanted))], f"{wanted} header rows: “{shortened(place.words, 40)}”"
        )


def _history(target: Workspace, doc_id: str) -> None:
    """Undo and redo."""
    log = log_of(target, doc_id)
    for step, label, icon, keys, again in (
        (log.undoable, "Undo", "undo", "Ctrl+Z", False),
        (log.redoable, "Redo", "redo", "Ctrl+Shift+Z", True),
    ):
        help = (
            apart(f"{label}: {step.label}")
            if step and step.label
            else f"Nothing to {label.lower()}"
            if not step
            else label
        )
        looks = editing(
            icon=f":material/{icon}:", type="tertiary", disabled=step is None, help=plain(help), shortcut=keys
        )
        if button(label, key=f"{_ROW}.{icon}", about=(doc_id, log.revision), **looks):
            undo(target, doc_id, again=again)
            st.rerun()


def _do(target: Workspace, place: ChosenPlace, edits: Sequence[Edit], label: str) -> None:
    make(target, place.document.doc_id, edits, label)
    forget_text()
    st.rerun()
