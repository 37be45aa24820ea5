"""Edits applied to a document: what each does, what does not fit, and what holds whatever they are."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import chunk_document
from chunking.model import Block, BlockType, Document
from chunking.parsing import parse
from chunking.parsing.edits import (
    Edit,
    HeaderRows,
    JoinBlocks,
    LeaveOut,
    LeaveOutBox,
    PartBlock,
    SetType,
    SwapBlocks,
    TakeBack,
    apply,
    apply_changes,
    draft,
)
from chunking.parsing.edits import applying as module
from chunking.text.anchors import Anchor
from tests.support.edited import edits
from tests.support.examples import law
from tests.support.laws_chunks import check_cutting
from tests.support.laws_documents import check_locations, check_sections
from tests.support.pdfs import report
from tests.support.strategies import built, documents

TEXT = (
    "# Pump\n\nIt moves 90 litres.\n\nNotes\n\nClose the valve.\n\nOpen the housing.\n\n## Sizes\n\n"
    "| Name | Size |\n| --- | --- |\n| S | 3 |\n| M | 5 |\n\nPage 7 of 9\n"
)
DOCUMENT = parse(TEXT.encode(), "manual.md")


def at(words: str, document: Document = DOCUMENT) -> Anchor:
    """The anchor of some words."""
    start = document.text.index(words)
    return Anchor.of(document.text, start, start + len(words))


def before(words: str) -> Anchor:
    """The anchor of the place before some words."""
    return replace(at(words), end=at(words).start, quote="", after=TEXT[at(words).start :][:48])


def heading(words: str, level: int = 2) -> SetType:
    return SetType(anchor=at(words), type=BlockType.HEADING, level=level)


def block_texts(document: Document) -> list[tuple[str, str]]:
    """(type, text) of each block."""
    return [
        (f"h{one.level}" if one.level else one.type.value, document.text[one.start : one.end])
        for one in document.blocks
    ]


def block(document: Document, kind: BlockType) -> Block:
    return next(one for one in document.blocks if one.type is kind)


def test_headings_are_added_moved_and_removed() -> None:
    """The section tree, the outline and the title follow; the text stays, and the document that was read as it was."""
    result = apply(
        DOCUMENT, [heading("Notes"), heading("## Sizes", 1), SetType(anchor=at("# Pump"), type=BlockType.PARAGRAPH)]
    ).document
    assert [(one.level, one.title) for one in result.sections if not one.title_made] == [(2, "Notes"), (1, "Sizes")]
    assert result.doc_toc.split("\n")[1:] == ["Notes", "Sizes"]
    assert result.title == "Sizes"
    assert result.text is DOCUMENT.text
    assert DOCUMENT.title == "Pump"


def test_headings_move_with_those_under_them() -> None:
    """By as many levels, to the next heading that is not under it; not beyond the last level; alone where nobody asks
    for it.
    """
    text = "# A\n\n## B\n\n#### C\n\n###### D\n\n## E\n\n### F\n"
    of = parse(text.encode(), "levels.md")

    def levels(*edits: Edit) -> list[int | None]:
        return [one.level for one in apply(of, edits).document.blocks]

    below = SetType(anchor=at("## B", of), type=BlockType.HEADING, level=1, below=True)
    assert levels(below) == [1, 1, 3, 5, 2, 3]
    assert levels(below, replace(below, id="2")) == levels(below)
    assert levels(replace(below, level=3)) == [1, 3, 5, 6, 2, 3]
    assert levels(replace(below, below=False)) == [1, 1, 4, 6, 2, 3]
    assert [one.level for one in apply(of, [replace(below, type=BlockType.LIST, level=None)]).document.blocks][1:3] == [
        None,
        4,
    ]
    assert [(one.title, one.level) for one in apply(of, [below]).document.sections][:3] == [
        ("A", 1),
        ("B", 1),
        ("C", 3),
    ]


def test_a_list_that_moves_everything_again_and_again_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """After as many blocks as nobody's edits walk over; what was left undone is told."""
    monkeypatch.setattr(draft, "_MOST_WALKED", 6)
    of = parse(b"# A\n\n## B\n\n## C\n\n## D\n", "levels.md")
    first = SetType(anchor=at("# A", of), type=BlockType.HEADING, level=1, below=True)
    result = apply(of, [replace(first, id=str(n), level=1 + n % 2) for n in range(1, 5)])
    assert [misfit.id for misfit in result.misfits] == ["3", "4"]


def test_a_part_of_a_block_becomes_a_heading() -> None:
    """It is parted from the rest, at whole words."""
    start = TEXT.index("Close the valve")
    result = apply(
        DOCUMENT, [SetType(anchor=Anchor.of(TEXT, start, start + 7), type=BlockType.HEADING, level=3)]
    ).document
    assert ("h3", "Close the") in block_texts(result)
    assert ("paragraph", "valve.") in block_texts(result)


def test_blocks_are_joined_and_parted() -> None:
    """One block of two, and two of one."""
    first, second = at("Close the valve."), at("Open the housing.")
    joined = apply(DOCUMENT, [JoinBlocks(anchor=Anchor.of(TEXT, first.start, second.end))]).document
    assert ("paragraph", "Close the valve.\n\nOpen the housing.") in block_texts(joined)
    parted = apply(DOCUMENT, [PartBlock(anchor=before("90 litres"))]).document
    assert block_texts(parted)[1:3] == [("paragraph", "It moves"), ("paragraph", "90 litres.")]


def test_regions_are_left_out_and_taken_back() -> None:
    """With a reason; what is taken back is a paragraph again; a part of a block leaves the rest in."""
    result = apply(DOCUMENT, [LeaveOut(anchor=at("Page 7 of 9"), reason="page number"), LeaveOut(anchor=at("moves"))])
    assert [(TEXT[out.start : out.end], out.reason == "page number") for out in result.document.left_out] == [
        ("moves", False),
        ("Page 7 of 9", True),
    ]
    assert block_texts(result.document)[1:3] == [("paragraph", "It"), ("paragraph", "90 litres.")]
    back = apply(DOCUMENT, [LeaveOut(anchor=at("Page 7 of 9")), TakeBack(anchor=at("Page 7 of 9"))]).document
    assert (back.left_out, block_texts(back)) == ((), block_texts(DOCUMENT))


def test_a_table_gets_another_header() -> None:
    """None, one row or more; its rows are counted again."""
    for rows, body in ((0, 3), (1, 2), (2, 1)):
        table = block(apply(DOCUMENT, [HeaderRows(anchor=at("| S | 3 |"), rows=rows)]).document, BlockType.TABLE)
        assert table.meta["rows"] == len(table.meta["row_starts"]) == body
        assert ("header_end" in table.meta) == bool(rows)
    lines = parse(b"Name\tSize\nS\t3\n", "sizes.txt")
    table = block(
        apply(lines, [SetType(anchor=at("Name\tSize\nS\t3", lines), type=BlockType.TABLE)]).document, BlockType.TABLE
    )
    assert (table.meta["rows"], table.meta["columns"]) == (2, 2)


def test_two_blocks_change_places() -> None:
    """The text does, too: every span is that of its words, and so are the places of a table and of an earlier edit."""
    mark = heading("Notes")
    result = apply(DOCUMENT, [mark, SwapBlocks(anchor=at("Notes"), other=at("| S | 3 |"))])
    text = result.document.text
    assert Counter(words for _, words in block_texts(result.document)) == Counter(
        words for _, words in block_texts(DOCUMENT)
    )
    assert text.index("| S | 3 |") < text.index("Close the valve.") < text.index("Notes")
    table = block(result.document, BlockType.TABLE)
    assert text[table.meta["header_end"] :].startswith("| S | 3 |")
    place = result.places[mark.id]
    assert text[place.start : place.end] == "Notes"
    assert result.document.text != TEXT
    check_cutting(result.document)


PDF = parse(report(), "report.pdf")


def test_a_rectangle_of_a_page_is_left_out() -> None:
    """The lines whose middle is in it, and no others; not where other words stand there now."""
    place = next(
        one
        for one in PDF.locations
        if one.bbox is not None and any(b.start <= one.start < b.end for b in PDF.blocks[1:])
    )
    assert place.bbox is not None
    left, top, right, bottom = place.bbox
    edit = LeaveOutBox(
        anchor=Anchor.of(PDF.text, place.start, place.end), page=place.page, box=(left, top, right, bottom)
    )
    result = apply(PDF, [edit])
    assert not result.misfits
    new = set(result.document.left_out) - set(PDF.left_out)
    assert [PDF.text[out.start : out.end] for out in new] == [PDF.text[place.start : place.end].strip()]
    assert len(apply(PDF, [replace(edit, page=place.page + 1)]).misfits) == 1
    check_locations(result.document)


@pytest.mark.parametrize(
    ("edit", "word"),
    [
        (SetType(anchor=Anchor(3, 9, "of another text", before="not", after="here"), type=BlockType.CODE), "version"),
        (LeaveOut(anchor=at(TEXT.strip())), "stay"),
        (TakeBack(anchor=at("Notes")), "not left out"),
        (JoinBlocks(anchor=at("Notes")), "already"),
        (JoinBlocks(anchor=at("## Sizes\n\n| Name | Size |")), "types"),
        (PartBlock(anchor=before("Notes")), "already"),
        (PartBlock(anchor=before("3 |\n| M")), "row"),
        (HeaderRows(anchor=at("Notes"), rows=1), "table"),
        (HeaderRows(anchor=at("| S | 3 |"), rows=3), "3 rows"),
        (SwapBlocks(anchor=at("Notes"), other=at("Notes")), "same"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.kind,
)
def test_what_does_not_fit_gets_a_sentence(edit: Edit, word: str) -> None:
    """It names the place; the others are made all the same, and the document says how many are missing."""
    result = apply(DOCUMENT, [edit, heading("Notes")])
    assert [(one.id, word in one.sentence, one.sentence[-1]) for one in result.misfits] == [(edit.id, True, ".")]
    assert ("h2", "Notes") in block_texts(result.document)
    changed = apply_changes(
        DOCUMENT, [edit.as_record(), {"id": "x", "kind": "of the future"}, heading("Notes").as_record()]
    )
    assert changed.blocks == result.document.blocks
    assert len(changed.warnings) == 1
    assert changed.warnings[0].startswith("2 ")


def test_a_later_edit_wins() -> None:
    """Contradictions are no error; what an earlier one left out is not there for a later one."""
    result = apply(
        DOCUMENT,
        [
            heading("Notes"),
            SetType(anchor=at("Notes"), type=BlockType.QUOTE),
            LeaveOut(anchor=at("Notes")),
            heading("Notes", 1),
        ],
    )
    assert "Notes" not in [words for _, words in block_texts(result.document)]
    assert len(result.misfits) == 1


def test_edits_survive_a_new_version() -> None:
    """A chapter put in ahead, and a paragraph that was written anew: what still fits is kept, the rest is named."""
    changed = parse(
        ("# Before\n\nRead this.\n\n" + TEXT.replace("Open the housing.", "Then wait for an hour.")).encode(),
        "manual.md",
    )
    result = apply(
        changed,
        [
            heading("Notes"),
            LeaveOut(anchor=at("Page 7 of 9")),
            SetType(anchor=at("Open the housing."), type=BlockType.QUOTE),
        ],
    )
    assert ("h2", "Notes") in block_texts(result.document)
    assert len(result.document.left_out) == 1
    assert [one.id for one in result.misfits] != []
    assert len(result.misfits) == 1


def test_ten_thousand_are_made_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted: each is placed once, and the outline is built once; asked again, nothing is made."""
    text = "\n\n".join(f"Paragraph {number} of many." for number in range(10_000))
    document = parse(text.encode(), "long.txt")
    many = [
        SetType(anchor=Anchor.of(text, one.start, one.end), type=BlockType.HEADING, level=1 + n % 6)
        for n, one in enumerate(document.blocks)
    ]
    built_outlines: list[int] = []
    build = module.build_sections
    monkeypatch.setattr(module, "build_sections", lambda *some: built_outlines.append(1) or build(*some))
    result = apply(document, many)
    assert (len(result.misfits), len(result.document.sections), built_outlines) == (0, 10_000, [1])
    assert apply(document, list(many)) is result


@pytest.mark.parametrize(
    ("text", "remainder"),
    [("한국어는 좋다", "좋다"), ("これはペン。です", "。です"), ("中文很好", "文很好"), ("hello there", "there")],
)
def test_what_is_left_out_ends_where_a_chunk_can_begin(text: str, remainder: str) -> None:
    """The first character is chosen: the rest of its word goes with it, and nothing of what stays is missing from the
    chunks.
    """
    document = parse(f"{text}\n\nThe end.".encode(), "notes.txt")
    edited = apply(document, [LeaveOut(anchor=Anchor.of(document.text, 0, 1))]).document
    assert chunk_document(edited)[0].content.split()[0] == remainder


@law()
@given(st.data())
def test_whatever_people_do(data: st.DataObject) -> None:
    """Blocks stay in order and apart, every visible character is in a block or left out, sections tile the text, and
    chunks obey.
    """
    document = data.draw(
        st.one_of(
            built(),
            documents().filter(lambda one: one[0].strip() != "").map(lambda one: parse(one[0].encode(), one[1])),
        )
    )
    list_of_edits = data.draw(edits(document))
    result = apply(document, list_of_edits)
    check_blocks(result.document)
    check_sections(result.document)
    check_locations(result.document)
    check_cutting(result.document)
    assert sorted(result.document.text.split()) == sorted(document.text.split())
    assert {*result.places, *(one.id for one in result.misfits)} == {one.id for one in list_of_edits}
    records = [one.as_record() for one in list_of_edits]
    assert apply_changes(document, records).blocks == result.document.blocks


def check_blocks(document: Document) -> None:
    """Blocks and what is left out are in order and apart, and hold every visible character."""
    end = 0
    for span in sorted([*document.blocks, *document.left_out], key=lambda one: one.start):
        assert end <= span.start < span.end <= len(document.text), span
        assert not document.text[end : span.start].strip(), (end, span)
        assert document.text[span.start : span.end].strip(), span
        end = span.end
    assert not document.text[end:].strip()
    assert list(document.blocks) == sorted(document.blocks, key=lambda one: one.start)
    assert list(document.left_out) == sorted(document.left_out, key=lambda one: one.start)
    for one in document.blocks:
        assert (one.level is not None) == (one.type is BlockType.HEADING), one
        rows = one.meta.get("row_starts", ())
        assert all(one.start <= row < one.end for row in rows), one
        assert one.start <= one.meta.get("header_end", one.start) <= one.end, one
