"""Apply edits to a document, without side effects and in time linear in document and list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from chunking.display import quantity
from chunking.model import Document, Section
from chunking.parsing.detection.path_names import stem
from chunking.parsing.edits.draft import DocumentDraft, DoesNotFit
from chunking.parsing.edits.draft_edits import (
    join_blocks,
    leave_out,
    leave_out_box,
    part_block,
    set_header_rows,
    set_type,
    swap_blocks,
    take_back,
)
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
from chunking.parsing.outline import build_sections, toc
from chunking.text.anchors import Anchor, FoundPlace, find_anchors
from chunking.text.byte_caches import LARGEST_TEXT, ByteCache
from chunking.text.change_files import readable

__all__ = ["AppliedEdits", "Misfit", "apply", "apply_changes"]


class Misfit(NamedTuple):
    """Id of an edit that was not applied, with a sentence that says why."""

    id: str
    sentence: str


class AppliedEdits(NamedTuple):
    """An edited document, the edits that did not fit it, and where the others were applied."""

    document: Document
    misfits: tuple[Misfit, ...]
    """Edits not applied, in list order."""
    places: Mapping[str, FoundPlace]
    """Current place of each applied edit by id; for a place between characters, the one after it."""


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
"""Bytes per character of a cached document with its edited copy, about."""
_results: ByteCache[tuple[Document, tuple[Edit, ...], AppliedEdits]] = ByteCache(
    f"{__name__}.apply", LARGEST_TEXT, size=lambda entry: _EACH * len(entry[0].text)
)
"""Cache by document identity: the entry holds the document, so no other can have its id."""


def apply(document: Document, edits: Sequence[Edit]) -> AppliedEdits:
    """Apply edits in order to a copy of a document; those that do not fit are listed, not raised.

    A later edit overrides an earlier one it contradicts. The last few results are cached for those that draw the
    document and list its edits.

    Args:
        document: as read from its file.
    Returns:
        The edited copy; the document itself if there are no edits.
    """
    edit_list = tuple(edits)
    if not edit_list:
        return AppliedEdits(document, (), {})
    cached = _results.get(id(document))
    if cached is not None and cached[1] == edit_list:
        return cached[2]
    result = _apply_all(document, edit_list)
    _results.put(id(document), (document, edit_list, result))
    return result


def apply_changes(document: Document, changes: Sequence[Mapping[str, Any]]) -> Document:
    """Apply stored edits; a warning of the document counts those unreadable or not fitting."""
    edits = readable(changes, edit_of)
    result = apply(document, edits)
    lost = len(result.misfits) + len(changes) - len(edits)
    if not lost:
        return result.document
    sentence = (
        f"{quantity(lost, 'edit')} of this document {'does' if lost == 1 else 'do'} not fit its current version; "
        f"see Edits."
    )
    return replace(result.document, warnings=(*result.document.warnings, sentence))


def _apply_all(document: Document, edits: tuple[Edit, ...]) -> AppliedEdits:
    draft = DocumentDraft(document)
    misfits: list[Misfit] = []
    places: dict[str, FoundPlace] = {}
    run: list[Edit] = []
    for edit in (*edits, None):
        if edit is not None and not isinstance(edit, SwapBlocks):
            run.append(edit)
            continue
        for one, place in zip(run, find_anchors([one.anchor for one in run], draft.text), strict=True):
            _apply_one(draft, one, place, misfits, places)
        run = []
        if edit is not None:
            _swap(draft, edit, misfits, places)
    order = {edit.id: number for number, edit in enumerate(edits)}
    return AppliedEdits(_finished(document, draft), tuple(sorted(misfits, key=lambda one: order[one.id])), places)


def _apply_one(
    draft: DocumentDraft, edit: Edit, place: FoundPlace | None, misfits: list[Misfit], places: dict[str, FoundPlace]
) -> None:
    """Apply an edit, or record why it does not fit."""
    if place is None:
        misfits.append(Misfit(edit.id, f"{_named(edit.anchor)} is not in this version of the document."))
        return
    try:
        _MAKERS[type(edit)](draft, edit, place.span)
        places[edit.id] = place
    except DoesNotFit as fault:
        misfits.append(Misfit(edit.id, f"{_named(edit.anchor)} {fault}."))


def _swap(draft: DocumentDraft, edit: SwapBlocks, misfits: list[Misfit], places: dict[str, FoundPlace]) -> None:
    """Apply an edit that changes the text: earlier places move along."""
    first, second = find_anchors([edit.anchor, edit.other], draft.text)
    lost = edit.anchor if first is None else edit.other
    if first is None or second is None:
        misfits.append(Misfit(edit.id, f"{_named(lost)} is not in this version of the document."))
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
    """Describe the place of an edit, for a sentence."""
    words = " ".join((anchor.quote or anchor.after).split())
    excerpt = words if len(words) <= 60 else f"{words[:60].rstrip()}…"
    return f"“{excerpt}”" if anchor.quote.strip() else f"The place before “{excerpt}”"


def _finished(document: Document, draft: DocumentDraft) -> Document:
    """Return the document after editing."""
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
    """Return the new title, if the old one came from headings; else the old one."""
    before, now = _headed(document.sections), _headed(sections)
    return (now or stem(document.source)) if document.title in (before, stem(document.source)) else document.title


def _headed(sections: Sequence[Section]) -> str:
    """Return the title of the only heading of level 1, else of the first of level 1, else of the first."""
    headings = [section for section in sections if section.level and not section.title_made]
    return next((section.title for section in headings if section.level == 1), headings[0].title if headings else "")
