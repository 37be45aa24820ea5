"""What must hold of every document, as functions that fail with the place where it does not."""

from __future__ import annotations

import re

from chunking.model import BlockType, Document


def check(document: Document) -> None:
    """Every law of a document at once."""
    check_blocks(document)
    check_sections(document)
    check_locations(document)


def check_blocks(document: Document) -> None:
    """Blocks are in order, apart, inside the text, and nothing but space is between them and what is left out."""
    end, line, text = 0, 1, document.text
    has_lines = any(block.line is not None for block in document.blocks)
    for block in document.blocks:
        assert end <= block.start < block.end <= len(text), block
        assert not text[end : block.start].strip(), (end, block)
        assert text[block.start : block.end].strip(), block
        line += len(re.findall(r"\r\n|\r|\n", text[end : block.start]))
        assert block.line == line or not has_lines, block
        line += len(re.findall(r"\r\n|\r|\n", text[block.start : block.end]))
        assert (block.level is not None) == (block.type is BlockType.HEADING), block
        assert block.bbox is None or block.page is not None, block
        end = block.end
    for span in document.left_out:
        assert end <= span.start < span.end <= len(text), span
        assert not text[end : span.start].strip(), span
        assert span.reason, span
        end = span.end
    assert not text[end:].strip()


def check_locations(document: Document) -> None:
    """Places on pages are in order and apart, on pages that exist, in boxes inside them; a block starts on its page."""
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
    """Sections tile the text, nest inside their parents, and end where the next of their rank begins."""
    sections, text = document.sections, document.text
    by_id = {section.section_id: section for section in sections}
    assert len(by_id) == len(sections) > 0
    assert sections[0].start == 0
    for section, after in zip(sections, [*sections[1:], None], strict=True):
        assert section.own_end == (after.start if after else len(text)), section
        assert section.start <= section.body_start <= section.own_end <= section.end <= len(text), section
        later = (other.start for other in sections if other.start > section.start and (other.level <= section.level or not section.level))
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
