"""Laws of every document, as functions that fail with the offending place."""

from __future__ import annotations

import re

from chunking.model import Block, BlockType, Document, LeftOut


def check(document: Document) -> None:
    """Assert all laws of a document."""
    check_blocks(document)
    check_sections(document)
    check_locations(document)


def check_blocks(document: Document) -> None:
    """Assert that blocks and left-out spans ascend without overlap, with only white space between them."""
    end, line, text = 0, 1, document.text
    has_lines = any(block.line is not None for block in document.blocks)
    pieces: list[Block | LeftOut] = sorted((*document.blocks, *document.left_out), key=lambda piece: piece.start)
    assert [piece for piece in pieces if isinstance(piece, Block)] == list(document.blocks)
    assert [piece for piece in pieces if isinstance(piece, LeftOut)] == list(document.left_out)
    for piece in pieces:
        assert end <= piece.start < piece.end <= len(text), piece
        assert not text[end : piece.start].strip(), (end, piece)
        assert text[piece.start : piece.end].strip(), piece
        line += len(re.findall(r"\r\n|\r|\n", text[end : piece.start]))
        if isinstance(piece, Block):
            assert piece.line == line or not has_lines, piece
            assert (piece.level is not None) == (piece.type is BlockType.HEADING), piece
            assert piece.bbox is None or piece.page is not None, piece
        else:
            assert piece.reason, piece
        line += len(re.findall(r"\r\n|\r|\n", text[piece.start : piece.end]))
        end = piece.end
    assert not text[end:].strip()


def check_locations(document: Document) -> None:
    """Assert that locations ascend, lie on existing pages and in their boxes, and match the blocks' pages."""
    end = 0
    for place in document.locations:
        assert end <= place.start < place.end <= len(document.text), place
        assert 1 <= place.page <= document.page_count, place
        if place.bbox is not None:
            left, top, right, bottom = place.bbox
            assert 0 <= left <= right <= 1, place
            assert 0 <= top <= bottom <= 1, place
        end = place.end
    for block in document.blocks:
        inside = document.locations_in(block.start, block.end)
        assert block.page == (inside[0].page if inside else None), block


def check_sections(document: Document) -> None:
    """Assert that sections tile the text, nest, and end where the next of their rank begins."""
    sections, text = document.sections, document.text
    by_id = {section.section_id: section for section in sections}
    assert len(by_id) == len(sections) > 0
    assert sections[0].start == 0
    for section, after in zip(sections, [*sections[1:], None], strict=True):
        assert section.own_end == (after.start if after else len(text)), section
        assert section.start <= section.body_start <= section.own_end <= section.end <= len(text), section
        later = (
            other.start
            for other in sections
            if other.start > section.start and (other.level <= section.level or not section.level)
        )
        assert section.end == next(later, len(text)), section
        assert section.title, section
        assert "\n" not in section.title, section
        if section.parent_id is not None:
            parent = by_id[section.parent_id]
            assert parent.level < section.level, section
            assert parent.start <= section.start < section.end <= parent.end, section
            assert section.title_path[: len(parent.title_path)] == parent.title_path, section
        assert section.title_made or section.title_path[-1] == section.title, section
    assert len(document.doc_toc.split("\n")) == len(sections)
