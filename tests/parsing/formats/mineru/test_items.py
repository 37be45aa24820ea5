"""Every type of item of both forms, and the versions in which they come."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest

from chunking.errors import ParseError
from chunking.model import Document
from chunking.parsing import parse
from chunking.parsing.builder.reader_types import RawFile
from chunking.parsing.formats.mineru.content_lists import is_flat, is_paged
from chunking.parsing.formats.mineru.reader import content_lists, read_mineru
from tests.support.facts import tells
from tests.support.laws_documents import check

TABLE = (
    "<table><tr><td>型号</td><td>功率</td></tr><tr><td>甲</td><td>5 W</td></tr><tr><td>乙</td><td>9 W</td></tr></table>"
)


def read(*items: Any) -> Document:
    """A flat content list as a document; items without a page are on the first."""
    placed = [{"page_idx": 0, **item} if isinstance(item, dict) else item for item in items]
    return parsed([{"type": "text", "text": "Opening words stand here.", "page_idx": 0}, *placed])


def read_paged(*pages: list[Any]) -> Document:
    """A paged content list as a document."""
    return parsed(
        [
            [{"type": "paragraph", "content": {"paragraph_content": [run("Opening words stand here.")]}}, *pages[0]],
            *pages[1:],
        ]
    )


def parsed(value: Any) -> Document:
    """A content list as a document, its laws checked."""
    document = parse(json.dumps(value).encode(), "x_content_list.json")
    assert document.format == "mineru"
    check(document)
    return document


def run(text: str, kind: str = "text", **more: Any) -> dict[str, Any]:
    """A run of text of the second form."""
    return {"type": kind, "content": text, **more}


def blocks(document: Document) -> list[tuple[str, str]]:
    """Type and text of all blocks but the opening words."""
    return [(block.type.value, document.text[block.start : block.end]) for block in document.blocks[1:]]


def test_a_table_item_has_caption_rows_and_note() -> None:
    """Caption, rows and note as blocks that follow each other; the image's path and the caption as meta."""
    document = read(
        {
            "type": "table",
            "img_path": "images/a.jpg",
            "table_caption": ["表 1 激光器"],
            "table_footnote": ["注：额定值"],
            "table_body": TABLE,
        }
    )
    rows = "| 型号 | 功率 |\n| 甲 | 5 W |\n| 乙 | 9 W |"
    assert blocks(document) == [("paragraph", "表 1 激光器"), ("table", rows), ("paragraph", "注：额定值")]
    meta = document.blocks[2].meta
    assert (meta["rows"], meta["columns"], meta["path"], meta["caption"]) == (2, 2, "images/a.jpg", "表 1 激光器")


def test_a_table_that_was_not_recognised() -> None:
    """Its caption stays, and the reader of the file is told."""
    document = read({"type": "table", "img_path": "images/a.jpg", "table_caption": ["Table 1"]})
    assert blocks(document) == [("paragraph", "Table 1")]
    assert tells(document.warnings, "1 table cells captions")


def test_an_image_item_is_one_block() -> None:
    """Caption, what is written in it, and notes are one block; older versions write `img_caption`."""
    document = read(
        {
            "type": "image",
            "img_path": "images/a.jpg",
            "image_caption": ["图 1", "光路"],
            "image_footnote": ["示意"],
            "content": "激光",
        },
        {"type": "image", "img_path": "images/b.jpg", "img_caption": ["Fig. 2"]},
        {"type": "image", "img_path": "images/c.jpg"},
    )
    assert blocks(document) == [("image", "图 1\n光路\n激光\n示意"), ("image", "Fig. 2")]
    assert document.blocks[1].meta["path"] == "images/a.jpg"
    assert document.blocks[1].meta["caption"] == "图 1 光路"
    assert tells(document.warnings, "1 image caption")


def test_a_chart_with_its_figures_is_a_table() -> None:
    """Pipe rows and HTML alike."""
    for content in ("| a | b |\n|---|---|\n| 1 | 2 |", "<table><tr><th>a<th>b<tr><td>1<td>2</table>"):
        document = read({"type": "chart", "img_path": "images/a.jpg", "content": content, "chart_caption": ["Fig. 3"]})
        assert blocks(document) == [("paragraph", "Fig. 3"), ("table", "| a | b |\n| 1 | 2 |")]


def test_a_code_item_loses_its_fence() -> None:
    """Lines as they are, without the fence that some versions write; the language as meta."""
    document = read(
        {
            "type": "code",
            "sub_type": "code",
            "code_body": "```python\nif x:\n    y()\n```",
            "code_caption": ["Listing 1"],
        },
        {"type": "code", "sub_type": "algorithm", "code_body": "1: a\n2: b"},
    )
    assert blocks(document) == [("paragraph", "Listing 1"), ("code", "if x:\n    y()"), ("code", "1: a\n2: b")]
    assert document.blocks[2].meta["language"] == "python"
    assert document.blocks[3].meta["sub_type"] == "algorithm"


def test_an_equation_item_is_latex() -> None:
    """LaTeX between dollars; one that is only an image is an image."""
    document = read(
        {"type": "equation", "text": "$$\nE = mc^2\n$$", "text_format": "latex"},
        {"type": "equation", "img_path": "i/a.jpg"},
    )
    assert blocks(document) == [("equation", "$$\nE = mc^2\n$$")]


def test_list_items_become_lists() -> None:
    """Items of a list, of texts that are items, and of a text whose lines are items."""
    document = read(
        {"type": "list", "list_items": ["- one", "    - two"]},
        {"type": "list", "sub_type": "ref_text", "list_items": ["[1] A."]},
    )
    assert blocks(document) == [("list", "- one\n  - two\n[1] A.")]
    assert (document.blocks[1].meta["depth"], document.blocks[1].meta["items"]) == (2, 3)
    document = read(
        *({"type": "text", "text": text} for text in ("（1）甲；", "（2）乙", "和丙；", "（3）丁。", "然后。"))
    )
    assert blocks(document) == [("list", "（1）甲；\n（2）乙和丙；\n（3）丁。"), ("paragraph", "然后。")]
    assert blocks(read({"type": "text", "text": "1. one  \n2. two"})) == [("list", "1. one\n2. two")]


def test_an_item_goes_on_over_the_page() -> None:
    """The first words of the next page's list belong to the last item of the one before."""
    document = read(
        {"type": "list", "list_items": ["1. one", "2. two goes"]},
        {"type": "page_number", "text": "1"},
        {"type": "list", "list_items": ["on here.", "3. three"], "page_idx": 1},
    )
    assert blocks(document) == [("list", "1. one\n2. two goes on here.\n3. three")]


def test_items_without_a_type() -> None:
    """What they hold says what they are; the empty ones that some versions write say nothing."""
    document = read(
        {"text": "Words without a type."},
        {"text": "1 Title", "text_level": 1},
        {"list_items": ["a"]},
        {"table_body": TABLE},
        {},
        {"bbox": []},
    )
    assert [kind for kind, _ in blocks(document)] == ["paragraph", "heading", "list", "table"]
    assert document.warnings == ()


def test_furniture_has_reasons() -> None:
    """Each type says why it is left out."""
    kinds = ("header", "footer", "page_number", "page_footnote", "aside_text", "discarded")
    document = read(*({"type": kind, "text": f"the {kind}"} for kind in kinds))
    reasons = [span.reason for span in document.left_out]
    assert tells(reasons, "page header", "page footer", "page number", "footnote", "margin", "discarded layout")
    assert blocks(document) == []


def test_a_table_does_not_part_a_sentence() -> None:
    """At a page break the two halves are joined, and the table stands after them; a formula stays where it is."""
    table = {"type": "table", "table_body": TABLE, "page_idx": 1}
    document = read(
        {"type": "text", "text": "显微镜的分辨率由物镜的数值孔径"},
        table,
        {"type": "text", "text": "和波长决定。", "page_idx": 1},
    )
    assert [kind for kind, _ in blocks(document)] == ["paragraph", "table"]
    assert blocks(document)[0][1] == "显微镜的分辨率由物镜的数值孔径和波长决定。"
    document = read(
        {"type": "text", "text": "The energy is"},
        {"type": "equation", "text": "E"},
        {"type": "text", "text": "where it is."},
    )
    assert [kind for kind, _ in blocks(document)] == ["paragraph", "equation", "paragraph"]
    document = read({"type": "text", "text": "It ends."}, {**table, "page_idx": 0}, {"type": "text", "text": "Next."})
    assert [kind for kind, _ in blocks(document)] == ["paragraph", "table", "paragraph"]


def test_headings_in_pieces() -> None:
    """A number on its own line takes the words after it; a phrase that goes on is one heading; two headings are two."""
    titles = ("第一章", "总则", "2.1 The aims of", "the project", "2.2 Means", "3 End")
    document = read(*({"type": "text", "text": title, "text_level": 1} for title in titles))
    headings = [(document.text[block.start : block.end], block.level) for block in document.blocks[1:]]
    assert headings == [("第一章 总则", 1), ("2.1 The aims of the project", 3), ("2.2 Means", 3), ("3 End", 2)]


def test_given_levels_count_where_they_differ() -> None:
    """Three true levels are kept; a title above headings all alike is a title, and the rest come from their numbers."""
    kept = read(
        *(
            {"text": text, "text_level": level}
            for text, level in (("Birds", 1), ("Finches", 2), ("Beaks", 3), ("Owls", 2))
        )
    )
    assert [block.level for block in kept.blocks[1:]] == [1, 2, 3, 2]
    rebuilt = read(
        *(
            {"text": text, "text_level": level}
            for text, level in (("Birds", 1), ("1 Finches", 2), ("1.1 Beaks", 2), ("2 Owls", 2))
        )
    )
    assert [block.level for block in rebuilt.blocks[1:]] == [1, 2, 3, 2]
    wrong = read(
        *(
            {"text": text, "text_level": level}
            for text, level in (("1 A", 2), ("1.1 B", 1), ("1.2 C", 1), ("2 D", 2), ("2.1 E", 1))
        )
    )
    assert [block.level for block in wrong.blocks[1:]] == [1, 2, 2, 1, 2]


def test_runs_of_the_second_form() -> None:
    """Inline formulas, code and links keep their words; a link's parts come once."""
    link = run("the site", "hyperlink", url="https://example.org", children=[run("the "), run("site")])
    parts = [
        run("See  "),
        link,
        run(" for "),
        run("x^2", "equation_inline"),
        run(" and "),
        run("f()", "code_inline"),
        run("."),
    ]
    document = read_paged([{"type": "paragraph", "content": {"paragraph_content": parts}}])
    assert blocks(document) == [("paragraph", "See the site for $x^2$ and `f()`.")]


def test_types_of_the_second_form() -> None:
    """Titles, lists in lists, code, algorithms, images, charts, formulas, tables, furniture."""
    document = read_paged(
        [
            {"type": "title", "content": {"title_content": [run("1 Aims")], "level": 1}},
            {
                "type": "list",
                "content": {
                    "list_type": "text_list",
                    "list_items": [
                        {"item_type": "text", "ilevel": 0, "prefix": "-", "item_content": [run("one")]},
                        {"item_type": "text", "ilevel": 1, "prefix": "    1.", "item_content": [run("two")]},
                    ],
                },
            },
            {
                "type": "code",
                "content": {
                    "code_content": [run("x = 1")],
                    "code_caption": [run("Listing 1")],
                    "code_language": "python",
                },
            },
            {"type": "algorithm", "content": {"algorithm_content": [run("1: go")], "algorithm_caption": []}},
            {
                "type": "equation_interline",
                "content": {"math_content": "a+b", "math_type": "latex", "image_source": {"path": "i/e.jpg"}},
            },
            {},
        ],
        [
            {
                "type": "image",
                "content": {"image_source": {"path": "i/a.jpg"}, "image_caption": [run("Fig. 1"), run("Light")]},
            },
            {
                "type": "chart",
                "content": {"content": TABLE, "chart_caption": [run("Fig. 2")], "image_source": {"path": "i/c.jpg"}},
            },
            {
                "type": "table",
                "content": {"html": TABLE, "table_caption": [run("Table 1")], "table_footnote": [run("Note")]},
            },
            {"type": "page_aside_text", "content": {"page_aside_text_content": [run("arXiv")]}},
            {"type": "index", "content": {"list_items": [{"item_content": [run("1 Aims")]}]}},
        ],
    )
    rows = "| 型号 | 功率 |\n| 甲 | 5 W |\n| 乙 | 9 W |"
    assert blocks(document) == [
        ("heading", "1 Aims"),
        ("list", "- one\n  1. two"),
        ("paragraph", "Listing 1"),
        ("code", "x = 1"),
        ("code", "1: go"),
        ("equation", "$$\na+b\n$$"),
        ("image", "Fig. 1 Light"),
        ("paragraph", "Fig. 2"),
        ("table", rows),
        ("paragraph", "Table 1"),
        ("table", rows),
        ("paragraph", "Note"),
        ("list", "1 Aims"),
    ]
    assert [block.page for block in document.blocks] == [1] * 7 + [2] * 7
    assert document.blocks[4].meta["language"] == "python"
    assert [span.reason for span in document.left_out] == ["text in the margin"]


def zipped(**entries: Any) -> bytes:
    """An archive of JSON entries; a double underscore in a name is a slash."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, value in entries.items():
            archive.writestr(name.replace("__", "/") + ".json", json.dumps(value))
        archive.writestr("out/auto/images/a.jpg", b"\xff\xd8\xff")
        archive.writestr("__MACOSX/out/._a_content_list.json", b"\0\5")
    return data.getvalue()


FLAT = [{"type": "text", "text": "Both forms say this.", "page_idx": 0}]
PAGED = [[{"type": "paragraph", "content": {"paragraph_content": [run("Both forms say this.")]}}]]


def test_a_folder_as_zip() -> None:
    """The form that keeps more is read: the second, unless it has fewer words."""
    code = {"type": "code", "content": {"code_content": [run("x")], "code_language": "c"}}
    both = zipped(
        out__auto__a_content_list=[*FLAT, {"type": "code", "code_body": "x", "page_idx": 0}],
        out__auto__a_content_list_v2=[[*PAGED[0], code]],
    )
    document = parse(both, "out.zip")
    assert document.format == "mineru"
    assert document.blocks[1].meta["language"] == "c"
    more = zipped(
        out__auto__a_content_list=[*FLAT, {"type": "text", "text": "And this.", "page_idx": 0}],
        out__auto__a_content_list_v2=PAGED,
    )
    assert "And this." in parse(more, "out.zip").text
    unnamed = zipped(a__1234_content_list=FLAT, a__content_list_v2=PAGED)
    assert parse(unnamed, "out.zip").text == "Both forms say this."
    assert parse(zipped(content_list=FLAT), "out.zip").text == "Both forms say this."


def test_folders_of_several_documents_and_of_none() -> None:
    """One sentence each."""
    with pytest.raises(ParseError, match=r"^x\.zip .* 2 documents"):
        read_mineru(RawFile(zipped(a__a_content_list=FLAT, b__b_content_list=FLAT), "x.zip"))
    with pytest.raises(ParseError, match=r"^x\.zip has no content list"):
        read_mineru(RawFile(zipped(a__middle=FLAT), "x.zip"))


def test_what_is_a_content_list() -> None:
    """The two forms, and nothing else; by name inside an archive."""
    assert [is_flat(FLAT), is_paged(FLAT)] == [True, False]
    assert [is_flat(PAGED), is_paged(PAGED)] == [False, True]
    assert is_paged([[], PAGED[0]])
    for other in (
        [],
        {},
        None,
        "x",
        1,
        [1],
        [[]],
        [{"a": 1}],
        [[{"type": "x"}]],
        [{"type": "Title", "text": "a", "element_id": "1"}],
    ):
        assert not is_flat(other)
        assert not is_paged(other)
    assert content_lists(
        ["a_content_list.json", "b/content_list_v2.json", "c/model.json", "__MACOSX/._a_content_list.json"]
    ) == [
        "a_content_list.json",
        "b/content_list_v2.json",
    ]
