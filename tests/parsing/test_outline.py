"""The section tree, its labels and the table of contents."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import chunk_document
from chunking.errors import TooLargeError
from chunking.model import Block, BlockType
from chunking.parsing import document as document_module
from chunking.parsing import outline, parse
from chunking.parsing.outline import MAX_CHUNK_TOC, MAX_LABEL, build_sections, chunk_toc, clean_label
from tests.support.laws_documents import check, check_blocks


@pytest.mark.parametrize(
    ("heading", "label"),
    [
        ("# Title", "Title"),
        ("Title\n===", "Title"),
        ("## Anchored {#the-id}", "Anchored"),
        ('### A [link](https://example.org/a_(b) "t") here ###', "A link here"),
        ("# [Both](#a) and [refs][1] and [Unreleased]", "Both and refs and Unreleased"),
        ("# ![logo](x.png) Name", "logo Name"),
        ("# **bold** *it* __b__ _i_ ~~gone~~ snake_case 2 * 3", "bold it b i gone snake_case 2 * 3"),
        ("# `<Transition>` {#transition}", "<Transition>"),
        ("# `a_b_c` and ``x`y``", "a_b_c and x`y"),
        ("# array[0] and C#", "array[0] and C#"),
        ("<h2 class='x'>A <em>b</em><br>c</h2>", "A b c"),
        ("# A &amp; B &lt;C&gt;", "A & B <C>"),
        ("# 声明响应式状态 \\* {#declaring}", "声明响应式状态 *"),
        ("# Note[^1] <!-- hidden --> end", "Note end"),
        ("1.2 Plain title", "1.2 Plain title"),
        ("a\nb\r\n  c", "a b c"),
        ("#", ""),
        ("# {#only}", ""),
    ],
)
def test_markup_is_stripped_from_headings(heading: str, label: str) -> None:
    """Markup goes, words stay."""
    assert clean_label(heading) == label


@pytest.mark.parametrize(
    "heading", ["# a &#xE000;7&#xE001; b", "# a `x` &#xE000; b", "# \ue000 a\\* `b`", "# \ue0007\ue001 a"]
)
def test_private_letters_are_letters(heading: str) -> None:
    """Whatever a document has, as letters or as entities that name them, stands for itself and for nothing that was
    held.
    """
    label = clean_label(heading)
    assert label == html.unescape(heading[2:]).replace("`", "").replace("\\", "")
    assert parse(f"{heading}\n\ntext".encode(), "x.md").sections[0].title == label


@given(st.text("&#xE01;<>`*_[]()\\~ \ue000\ue001\ue002ab", max_size=60))
def test_any_label_is_cleaned(heading: str) -> None:
    """No letters make it fail."""
    assert len(clean_label(heading)) <= MAX_LABEL


@given(st.text("&#1;<>`*_[]{}()\\~=-! \r\n\t\ue000ab", max_size=30))
def test_a_label_is_the_same_however_it_is_cleaned(heading: str) -> None:
    """What has no markup is not looked through for each kind of it."""
    label = clean_label(heading)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outline, "_MARKUP", re.compile(""))
        assert clean_label(heading) == label


def test_long_labels_are_bounded() -> None:
    """A heading of a megabyte is a label of a line."""
    assert len(clean_label("# " + "word " * 200_000)) <= MAX_LABEL
    assert clean_label("# " + "x" * 5_000).endswith("…")


def test_the_outline_has_parents_paths_and_spans() -> None:
    """Parents, paths, spans, and a level that is skipped."""
    text = "intro\n\n# A\n\na\n\n#### Deep\n\nd\n\n## B\n\n# C\n"
    document = parse(text.encode(), "x.md")
    check(document)
    rows = [(s.section_id, s.parent_id, s.level, s.title_path) for s in document.sections]
    assert rows == [
        ("x_sec0", None, 0, ()),
        ("x_sec1", None, 1, ("A",)),
        ("x_sec2", "x_sec1", 4, ("A", "Deep")),
        ("x_sec3", "x_sec1", 2, ("A", "B")),
        ("x_sec4", None, 1, ("C",)),
    ]
    assert document.doc_toc == "intro\nA\n  Deep\n  B\nC"
    spans = [
        (text[s.start : s.body_start], text[s.body_start : s.own_end], text[s.start : s.end]) for s in document.sections
    ]
    assert spans[1] == ("# A\n\n", "a\n\n", "# A\n\na\n\n#### Deep\n\nd\n\n## B\n\n")
    assert document.section_at(text.index("d\n\n##")).title == "Deep"


def test_duplicate_and_empty_titles() -> None:
    """Sections of one title are two sections; a heading without words is named after its text, and says so."""
    document = parse(b"# A\n\n## Same\n\n## Same\n\n#\n\nfirst words of it\n\n## In it\n", "x.md")
    check(document)
    assert [s.title for s in document.sections] == ["A", "Same", "Same", "first words of it", "In it"]
    assert [s.title_made for s in document.sections] == [False, False, False, True, False]
    assert [s.title_path for s in document.sections[3:]] == [(), ("In it",)]


def test_text_before_the_first_heading() -> None:
    """It is a section only if there is text; its title is made from words, not from metadata."""
    assert [s.level for s in parse(b"\n\n  \n# A\n\nx", "x.md").sections] == [1]
    document = parse(
        b"---\nkey: value\n---\n\nWelcome to the manual of everything that there is to know about it\n\n# A\n", "x.md"
    )
    assert document.sections[0].title == "Welcome to the manual of everything that there is to know…"


@pytest.mark.parametrize(
    ("top", "title"),
    [
        ("---\ntitle: Foo\n---", "Front matter"),
        ("---\ntitle: Foo\n---\n\n<p>A <b>tool</b></p>", "A tool"),
        ("---\n\nReal words", "Real words"),
        ("```sh\nrun it\n```", "run it"),
        ("| Key | Default |\r\n| --- | :-: |\r\n| a | 1 |", "Key Default a 1"),
        ("- first item\n- second", "first item second"),
        ("<p>\n<img src=x>\n</p>", "Untitled"),
    ],
)
def test_titles_made_from_what_stands_before_the_first_heading(top: str, title: str) -> None:
    """Words a person reads: no fence, pipe, bullet or rule; front matter is called so where it stands alone."""
    assert parse(f"{top}\n\n# Head\n\nx".encode(), "x.md").sections[0].title == title


def test_10_000_headings() -> None:
    """Many sections, all six levels: one pass."""
    document = parse(b"".join(b"#" * (n % 6 + 1) + b" Title %d\n\ntext\n\n" % n for n in range(10_000)), "x.md")
    check_blocks(document)
    assert len(document.sections) == 10_000
    assert document.sections[-1].title_path[-1] == "Title 9999"
    assert document.sections[5].title_path == tuple(f"Title {n}" for n in range(6))


def test_the_outline_of_a_chunk_is_bounded() -> None:
    """With every chunk goes an outline: one of all headings would be the square of their number."""
    lengths = []
    for count in (1_000, 5_000):
        document = parse(b"".join(b"%b T%d\n\nx\n\n" % (b"#" * (n % 3 + 1), n) for n in range(count)), "x.md")
        chunks = chunk_document(document)
        lengths.append(sum(len(chunk.metadata["doc_toc"]) for chunk in chunks) / len(chunks))
    assert max(lengths) <= MAX_CHUNK_TOC
    assert len(document.doc_toc) > 4 * MAX_CHUNK_TOC


@pytest.mark.parametrize(("levels", "count", "left"), [(1, 1_500, {0}), (2, 1_500, {0}), (3, 900, {0, 1})])
def test_the_deepest_levels_of_an_outline_go_first(levels: int, count: int, left: set[int]) -> None:
    """What is left out is told; what stays is whole lines in order."""
    lines = [f"{'  ' * (n % levels)}Title {n}" for n in range(count)]
    short = chunk_toc("\n".join(lines)).split("\n")
    assert short[-1] == "…"
    assert set(short[:-1]) < set(lines)
    assert {line.index("T") // 2 for line in short[:-1]} == left
    assert chunk_toc("\n".join(lines[:9])).split("\n") == lines[:9]


def test_more_headings_than_a_document_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """Told before any of them is read."""
    monkeypatch.setattr(document_module, "MAX_SECTIONS", 3)
    with pytest.raises(TooLargeError, match="4"):
        parse(b"# a\n" * 4, "x.md")
    assert len(parse(b"# a\n" * 3, "x.md").sections) == 3


def test_a_block_may_open_a_section() -> None:
    """A slide without a title: the section's title is made from its first words and is in no path, its body is all of
    it.
    """
    text = "Plan\n\nDig.\n\nFrom: Ann\n\nThen wait.\n\nMore\n\nEnd."
    rows = (("Plan", BlockType.HEADING, 1), ("Dig.", BlockType.PARAGRAPH, 0), ("From: Ann", BlockType.METADATA, 1))
    rows += (("Then wait.", BlockType.PARAGRAPH, 0), ("More", BlockType.HEADING, 2), ("End.", BlockType.PARAGRAPH, 1))
    blocks = []
    for words, kind, level in rows:
        start = text.index(words)
        heading = kind is BlockType.HEADING
        meta = {"opens_section": level} if level and not heading else {}
        blocks.append(Block(kind, start, start + len(words), level=level if heading else None, meta=meta))
    sections = build_sections("d", text, blocks)
    assert [(section.level, section.title, section.title_made, section.title_path) for section in sections] == [
        (1, "Plan", False, ("Plan",)),
        (1, "Then wait.", True, ()),
        (2, "More", False, ("More",)),
        (1, "End.", True, ()),
    ]
    assert sections[1].body_start == sections[1].start == text.index("From")
    assert sections[2].parent_id == "d_sec1"
