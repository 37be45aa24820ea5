"""Mending a parse on the Documents page: a block is picked, a button pressed, and the whole page follows; undone,
listed, exported.
"""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from chunking.config import Config
from chunking.indexing import build_index, staleness
from chunking.model import Document
from chunking.parsing.edits import EDIT_FILE, LeaveOut, read_edits
from chunking.store import Workspace
from chunking.store.documents.listed_changes import changes_of
from chunking.text.anchors import Anchor
from components.documents import document_edits
from components.documents.fix_toolbar import chosen_place
from tests.pages.app_session import open_page, page_text, run_app

FAQ = "faq_faq"


def pick(target: Workspace, words: str) -> AppTest:
    """The page with the block picked that some words begin."""
    app = open_page("documents", doc=FAQ)
    app.session_state["documents.viewer.at"] = target.document(FAQ).text.index(words)
    return run_app(app)


def press(app: AppTest, key: str) -> AppTest:
    button = next(one for one in app.button if one.key == key)
    assert not button.disabled
    button.click()
    return run_app(app)


def titles(of: Document) -> list[str]:
    return [section.title for section in of.sections]


def test_a_block_becomes_a_heading_and_the_index_knows(indexed: Workspace) -> None:
    """By its type; the tree has it, the index is out of date; undone, all is as it was, and redone."""
    before = indexed.document(FAQ)
    words = next(before.text[block.start : block.end] for block in before.blocks if block.type == "paragraph").split(
        ". "
    )[0]
    app = pick(indexed, words)
    field = next(box for box in app.selectbox if str(box.key).startswith("mending.type."))
    field.set_value("Heading 2")
    run_app(app)
    assert len(titles(indexed.document(FAQ))) == len(titles(before)) + 1
    row = indexed.indexes()[0]
    assert staleness(indexed, row)
    press(app, "mending.move.-1")
    assert max(section.level for section in indexed.document(FAQ).sections if section.title not in titles(before)) == 1
    press(press(app, "mending.undo"), "mending.undo")
    assert indexed.document(FAQ) == before
    assert not staleness(indexed, row)
    press(app, "mending.redo")
    build_index(indexed, Config())
    assert not staleness(indexed, indexed.indexes()[0])


def test_what_is_left_out_is_listed_and_taken_back(indexed: Workspace) -> None:
    """A state for each edit; one that does not fit is named; what is ticked is removed, or else all."""
    of = indexed.document(FAQ)
    app = press(pick(indexed, of.text[of.blocks[2].start : of.blocks[2].end]), "mending.out")
    assert [of.text[out.start : out.end] for out in indexed.document(FAQ).left_out] == [
        of.text[of.blocks[2].start : of.blocks[2].end]
    ]
    gone = LeaveOut(anchor=Anchor(0, 20, "not in this document", before="never", after="there"))
    indexed.changes.append(FAQ, document_edits.EDITS, [gone.as_record()])
    app = run_app(app)
    assert any("1 edit" in warning for warning in indexed.document(FAQ).warnings)
    box = next(one for one in app.expander if "Edits: 2" in one.label)
    assert "1" in box.label.partition(",")[2]
    app.session_state["documents.edits"] = True
    states = next(table.value["State"].tolist() for table in run_app(app).dataframe if "State" in table.value)
    assert [state.partition(":")[0] for state in states] == ["Fits", "Does not fit"]
    press(app, "documents.edits.remove")
    assert indexed.document(FAQ) == of
    press(app, "mending.undo")
    assert len(indexed.document(FAQ).left_out) == 1
    press(pick(indexed, of.text[of.blocks[2].start : of.blocks[2].end]), "mending.back")
    assert indexed.document(FAQ).left_out == ()


def test_a_heading_moves_with_those_under_it(indexed: Workspace) -> None:
    """As in an outline; what would fall off the last level stays, and why is said beside the button."""
    of = indexed.document(FAQ)
    top = next(block for block in of.blocks if block.level == 1)
    under = [block.level for block in of.blocks if block.level and block.start > top.start]
    place = chosen_place(of, top.start, None)
    assert place is not None
    assert place.below == under != []
    app = pick(indexed, of.text[top.start : top.end])
    down = next(one for one in app.button if one.key == "mending.move.1")
    assert f"level 2; {len(under)} headings" in down.help
    press(app, "mending.move.1")
    assert [block.level for block in indexed.document(FAQ).blocks if block.level] == [
        2,
        *(level + 1 for level in under),
    ]
    for _ in range(6 - max(under) - 1):
        press(app, "mending.move.1")
    down = next(one for one in app.button if one.key == "mending.move.1")
    assert down.disabled
    assert "level 6" in down.help
    assert indexed.changes.log(FAQ, document_edits.EDITS).changes[0]["below"] is True


def test_what_makes_no_sense_is_not_made(indexed: Workspace) -> None:
    """It is said, and the list stays as it was."""
    of = indexed.document(FAQ)
    app = open_page("documents", doc=FAQ)
    app.session_state["documents.viewer.at"] = None
    app.session_state["mending.selected"] = (FAQ, of.blocks[0].start, of.blocks[-1].end)
    press(run_app(app), "mending.out")
    assert indexed.changes.log(FAQ, document_edits.EDITS).changes == ()
    assert indexed.document(FAQ) == of


def test_edits_of_another_version_stay_in_the_list(indexed: Workspace) -> None:
    """What this version cannot read is counted, and nothing of the page fails."""
    indexed.changes.append(FAQ, document_edits.EDITS, [{"kind": "of the future"}])
    app = open_page("documents", doc=FAQ)
    assert any("Edits: 1" in box.label for box in app.expander)
    assert "1 edit" in page_text(app) or any("1 edit" in warning for warning in indexed.document(FAQ).warnings)


def test_an_exported_list_is_that_of_the_document(indexed: Workspace) -> None:
    """As the command line reads it."""
    of = indexed.document(FAQ)
    press(pick(indexed, of.text[of.blocks[2].start : of.blocks[2].end]), "mending.out")
    edits = changes_of(indexed, FAQ, EDIT_FILE)
    written = document_edits.exported(of, edits)
    assert read_edits(written)[0].changes == edits
    assert json.loads(written)["documents"][0]["source"] == of.source


@pytest.mark.parametrize("selected", [False, True])
def test_every_offer_fits(indexed: Workspace, selected: bool) -> None:
    """What the toolbar offers for a block, or for a part of one, can be made."""
    from chunking.parsing.edits import apply

    of = indexed.document(FAQ)
    for block in of.blocks[:12]:
        place = chosen_place(of, block.start, (block.start, block.end) if selected else None)
        assert place is not None
        offers = [
            place.leave_out(),
            place.moved(1),
            place.swap(1),
            place.part(),
            place.set_type("Quote"),
            place.set_type("Heading 3"),
        ]
        assert [apply(of, [edit]).misfits for edit in offers if edit is not None] == [()] * sum(
            edit is not None for edit in offers
        )
    assert chosen_place(of, None, None) is None
    assert len(document_edits.TYPES) > 12
