"""Edits applied to a document: pure, in time that grows with the document and the list, whatever the list says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from chunking.display import quantity
from chunking.model import Document, Section
from chunking.parsing.detection.path_names import stem
from chunking.parsing.edits.block_edits import join_blocks, part_block, set_header_rows, set_type, swap_blocks
from chunking.parsing.edits.draft import DocumentDraft, DoesNotFit
from chunking.parsing.edits.edit_types import (
    Edit,
    HeaderRows,
    JoinBlocks,
    LeaveOut,
    LeaveOutBox,
    PartBlock,
    SetType,
    SwapBlocks,
    TakeBack,
    edit_of,
)
from chunking.parsing.edits.region_edits import leave_out, leave_out_box, take_back
from chunking.parsing.outline import build_sections, toc
from chunking.text.anchors import Anchor, FoundPlace, find_anchors
from chunking.text.byte_caches import LARGEST_TEXT, ByteCache
from chunking.text.change_files import readable

__all__ = ["AppliedEdits", "Misfit", "apply", "apply_changes"]


class Misfit(NamedTuple):
    """An edit that the document has no place for."""

    id: str
    sentence: str


class AppliedEdits(NamedTuple):
    """A document with edits."""

    document: Document
    misfits: tuple[Misfit, ...]
    """Those that were not made, in the order of the list."""
    places: Mapping[str, FoundPlace]
    """Where each of the others stands in the document now, by its id; of a place between two characters, the one behind
    it.
    """


_MAKERS: Mapping[type[Edit], Callable[..., None]] = {
    SetType: set_type,
    LeaveOut: leave_out,
    LeaveOutBox: leave_out_box,
    TakeBack: take_back,
    JoinBlocks: join_blocks,
    PartBlock: part_block,
    HeaderRows: set_header_rows,
}
_EACH = 6
"""Bytes of a document and the edited one for each character of its text, about."""
_kept: ByteCache[tuple[Document, tuple[Edit, ...], AppliedEdits]] = ByteCache(
    f"{__name__}.apply", LARGEST_TEXT, size=lambda kept: _EACH * len(kept[0].text)
)
"""By the document's identity: the entry holds it, so that no other one has its id."""


def apply(document: Document, edits: Sequence[Edit]) -> AppliedEdits:
    """Apply edits one after the other; a later one wins over an earlier one that it contradicts.

    The last few results are kept, so that who draws the document and who lists its edits pay once.

    Args:
        document: as it was read from its file.
    Returns:
        The same document where there are no edits.
    """
    wanted = tuple(edits)
    if not wanted:
        return AppliedEdits(document, (), {})
    known = _kept.get(id(document))
    if known is not None and known[1] == wanted:
        return known[2]
    made = _applied(document, wanted)
    _kept.put(id(document), (document, wanted, made))
    return made


def apply_changes(document: Document, changes: Sequence[Mapping[str, Any]]) -> Document:
    """The same of plain values, as a workspace keeps them; those that are no edits of this version are left out and
    counted.
    """
    edits = readable(changes, edit_of)
    made = apply(document, edits)
    lost = len(made.misfits) + len(changes) - len(edits)
    if not lost:
        return made.document
    sentence = (
        f"{quantity(lost, 'edit')} of this document {'does' if lost == 1 else 'do'} not fit its present version; "
        f"see Edits."
    )
    return replace(made.document, warnings=(*made.document.warnings, sentence))


def _applied(document: Document, edits: tuple[Edit, ...]) -> AppliedEdits:
    draft = DocumentDraft(document)
    misfits: list[Misfit] = []
    places: dict[str, FoundPlace] = {}
    run: list[Edit] = []
    for edit in (*edits, None):
        if edit is not None and not isinstance(edit, SwapBlocks):
            run.append(edit)
            continue
        for one, found in zip(run, find_anchors([one.anchor for one in run], draft.text), strict=True):
            _make(draft, one, found, misfits, places)
        run = []
        if edit is not None:
            _swap(draft, edit, misfits, places)
    order = {edit.id: number for number, edit in enumerate(edits)}
    return AppliedEdits(_finished(document, draft), tuple(sorted(misfits, key=lambda one: order[one.id])), places)


def _make(
    draft: DocumentDraft, edit: Edit, found: FoundPlace | None, misfits: list[Misfit], places: dict[str, FoundPlace]
) -> None:
    """Make one edit, or say why not."""
    if found is None:
        misfits.append(Misfit(edit.id, f"{_named(edit.anchor)} does not stand in this version of the document."))
        return
    try:
        _MAKERS[type(edit)](draft, edit, found.span)
        places[edit.id] = found
    except DoesNotFit as fault:
        misfits.append(Misfit(edit.id, f"{_named(edit.anchor)} {fault}."))


def _swap(draft: DocumentDraft, edit: SwapBlocks, misfits: list[Misfit], places: dict[str, FoundPlace]) -> None:
    """The same of an edit that changes the text: what was placed before moves with it."""
    first, second = find_anchors([edit.anchor, edit.other], draft.text)
    lost = edit.anchor if first is None else edit.other
    if first is None or second is None:
        misfits.append(Misfit(edit.id, f"{_named(lost)} does not stand in this version of the document."))
        return
    try:
        swap_blocks(draft, edit, first.span, second.span)
    except DoesNotFit as fault:
        misfits.append(Misfit(edit.id, f"{_named(edit.anchor)} {fault}."))
        return
    places[edit.id] = first
    for name, place in places.items():
        places[name] = FoundPlace(*draft.moved(place.start, place.end), nearly=place.nearly)


def _named(anchor: Anchor) -> str:
    """The place of an edit, for a sentence."""
    words = " ".join((anchor.quote or anchor.after).split())
    shown = words if len(words) <= 60 else f"{words[:60].rstrip()}…"
    return f"“{shown}”" if anchor.quote.strip() else f"The place before “{shown}”"


def _finished(document: Document, draft: DocumentDraft) -> Document:
    """The document that the draft has become."""
    sections, title, outline = document.sections, document.title, document.doc_toc
    if draft.outline_changed or draft.text is not document.text or not sections:
        sections = build_sections(document.doc_id, draft.text, draft.blocks)
        title, outline = _title(document, sections), toc(sections)
    return replace(
        document,
        text=draft.text,
        blocks=tuple(draft.blocks),
        sections=sections,
        title=title,
        doc_toc=outline,
        left_out=tuple(draft.left_out),
        locations=draft.locations,
    )


def _title(document: Document, sections: Sequence[Section]) -> str:
    """What the document is called now: by its headings if it was before, else as it was."""
    before, now = _headed(document.sections), _headed(sections)
    return (now or stem(document.source)) if document.title in (before, stem(document.source)) else document.title


def _headed(sections: Sequence[Section]) -> str:
    """The only heading of level 1, else the first of level 1, else the first."""
    headings = [section for section in sections if section.level and not section.title_made]
    return next((section.title for section in headings if section.level == 1), headings[0].title if headings else "")
