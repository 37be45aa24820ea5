"""Headings where patterns find them: blocks, sections and outline follow; the text stays as it is."""

from __future__ import annotations

import pytest

from chunking.config import ChunkConfig
from chunking.model import BlockType, Document
from chunking.parsing import parse
from chunking.splitting import patterned
from tests.support.laws_documents import check

STATUTE = """# 示例法

目录

第一章　总则
第二章　登记
第三章　罚则

## 正文

第一章　总则

**第一条**　为了规范活动，制定本法。
第二条　本法适用于境内。
依照第三条规定办理。

第二章　登记

第三条　登记机关应当决定。

第三章 罚则

第四条　处以罚款。
"""


def with_headings(text: str, patterns: str, source: str = "law.md") -> Document:
    """A document with the headings that patterns find, held to the laws of documents."""
    document = patterned(parse(text.encode(), source), ChunkConfig(headings_from=patterns)).document
    check(document)
    return document


def test_articles_become_sections_with_their_paths() -> None:
    """What matches is the heading, the rest of the line its text; headings of the file stay, and cross-references are
    none.
    """
    document = with_headings(STATUTE, "chinese_statute")
    assert [section.title_path[1:] for section in document.sections if section.level == 5] == [
        ("正文", "第一章 总则", "第一条"),
        ("正文", "第一章 总则", "第二条"),
        ("正文", "第二章 登记", "第三条"),
        ("正文", "第三章 罚则", "第四条"),
    ]
    first = next(section for section in document.sections if section.title == "第一条")
    assert document.text[first.start : first.end].strip() == "**第一条**　为了规范活动，制定本法。"
    assert document.text[first.body_start :].startswith("为了")


def test_a_table_of_contents_makes_no_sections() -> None:
    """Its lines come again, with text under them."""
    titles = [section.title for section in with_headings(STATUTE, "chinese_statute").sections]
    assert titles[:3] == ["示例法", "正文", "第一章 总则"]
    assert titles.count("第一章 总则") == 1


def test_headings_of_the_file_take_the_level_of_a_pattern() -> None:
    """And stay headings where none matches."""
    document = with_headings("# Title\n\n## Article 1\n\nText.\n\n# Annex\n\nMore.\n", r"4: ^[# ]*Article \d+")
    assert [(section.title, section.level) for section in document.sections] == [
        ("Title", 1),
        ("Article 1", 4),
        ("Annex", 1),
    ]


def test_code_tables_and_words_inside_a_line_have_no_headings() -> None:
    """The first of several patterns that match on a line decides."""
    text = (
        "Article 1 one.\nSee\nArticle 2 and Article 3.\n\n```\nArticle 4\n```\n\n| Article 5 | x |\n|---|---|\n| "
        "Article 6 | y |\n"
    )
    document = patterned(parse(text.encode(), "a.md"), ChunkConfig(headings_from=r"2: Article \d || 3: ^Article 1 one"))
    assert [(section.title, section.level) for section in document.document.sections] == [
        ("Article 1", 2),
        ("Article 2", 2),
    ]
    assert document.headings is not None
    assert (document.headings.counts, document.headings.elsewhere) == ((2, 0), (4, 1))


def test_pieces_keep_line_and_kind() -> None:
    """A list that is parted at headings stays a list; a question pair with a heading in it is none any more."""
    document = with_headings("- (a) one\n- (b) two\n- three\n", r"3: ^[\s-]*\([a-z]\)", "a.md")
    assert [(block.type, block.line) for block in document.blocks] == [
        (BlockType.HEADING, 1),
        (BlockType.LIST, 1),
        (BlockType.HEADING, 2),
        (BlockType.LIST, 2),
    ]
    paired = with_headings("Q: Why?\nA: Because.\n", "questions", "faq.txt")
    assert [block.type for block in paired.blocks] == [BlockType.HEADING, BlockType.PARAGRAPH]


@pytest.mark.parametrize("patterns", ["nowhere", r"x\d"])
def test_a_document_without_matches_is_itself(patterns: str) -> None:
    """The same object: nothing that is kept of it is made anew."""
    document = parse(STATUTE.encode(), "law.md")
    assert patterned(document, ChunkConfig(headings_from=patterns)).document is document
    assert patterned(document, ChunkConfig()).document is document
