"""Markdown to blocks: each construct, and each trap that was met."""

from __future__ import annotations

import random

import pytest
from markdown_it import MarkdownIt

from chunking.model import Block, BlockType, Document
from chunking.parsing import parse
from chunking.parsing.formats.markdown.markdown_rules import TopLevel
from tests.support.laws_documents import check


def _read(text: str) -> Document:
    document = parse(text.encode(), "a.md")
    check(document)
    return document


def _parts(text: str) -> list[tuple[str, str]]:
    document = _read(text)
    return [(block.type.value, document.text[block.start : block.end]) for block in document.blocks]


def _only(text: str, kind: BlockType) -> tuple[Document, Block]:
    document = _read(text)
    (block,) = (block for block in document.blocks if block.type is kind)
    return document, block


def test_headings_of_all_three_kinds() -> None:
    """ATX, setext and HTML headings, with their levels."""
    document = _read("# One\n\nTwo\n---\n\n<h3 id='x'>Three <b>bold</b></h3>\n\nbody\n\n#### Four ####\n")
    assert [(s.level, s.title) for s in document.sections] == [(1, "One"), (2, "Two"), (3, "Three bold"), (4, "Four")]
    assert document.title == "One"


def test_headings_in_code_are_none() -> None:
    """Fences, indented code, HTML comments and quotes hold no headings of the document."""
    text = "# Real\n\n```sh\n# comment\n```\n\n    # indented\n\n<!--\n# hidden\n-->\n\n> # quoted\n\n- # item\n"
    assert [section.title for section in _read(text).sections] == ["Real"]


def test_html_headings_inside_a_block() -> None:
    """A README's centred title is a heading; what is around it stays HTML."""
    parts = _parts('<div align="center">\n  <h1>Tool</h1>\n  <p>Fast.</p>\n</div>\n\nText.\n')
    assert [kind for kind, _ in parts] == ["html", "heading", "html", "paragraph"]
    assert parts[1][1] == "<h1>Tool</h1>"


def test_front_matter_is_metadata() -> None:
    """YAML at the top is metadata; its title names a document without a level-1 heading."""
    document, block = _only('---\ntitle: "My page"\ntags: [a]\n---\n\n## Part\n\ntext\n', BlockType.METADATA)
    assert document.text[block.start : block.end].startswith("---\ntitle")
    assert document.title == "My page"
    assert document.sections[0].level == 0


@pytest.mark.parametrize(
    "matter",
    [
        "---\r\ntitle: My page\r\n---",
        "---\ntitle: My page\n...",
        '---\n"title": "My page"\n---',
        "---\nLast updated: 2026-01-01\ntitle: My page\ntags:\n- a\n  - b\n---",
        '+++\ntitle = "My page"\n\n[extra]\nmath = true\n+++',
        '\n\n---\ntitle: "My page"\n---',
    ],
)
def test_front_matter_of_every_kind(matter: str) -> None:
    """YAML with quoted keys or keys of several words, TOML, CRLF, after blank lines: never headings made of its last
    key.
    """
    document, block = _only(matter + "\n\n## Part\n\ntext\n", BlockType.METADATA)
    assert document.text[block.start : block.end] == matter.lstrip()
    assert (document.title, [section.title for section in document.sections]) == ("My page", ["Front matter", "Part"])


@pytest.mark.parametrize(
    "text",
    [
        "---\nNote to readers: this is\nprose that goes on.\n\nMore.\n\n---\n\nend",
        "+++\nno key\n+++\n",
        "---\ntitle: never closed\n\ntext",
        "# A\n\n---\nkey: value\n---\n",
    ],
)
def test_what_only_looks_like_front_matter(text: str) -> None:
    """Prose after a rule, a mark that is never closed, and what does not stand at the top."""
    assert "metadata" not in [kind for kind, _ in _parts(text)]


def test_a_rule_at_the_top_is_no_front_matter() -> None:
    """A document that opens with a rule is not swallowed up to its next rule."""
    assert [kind for kind, _ in _parts("---\n\n# Title\n\ntext\n\n---\n\nmore\n")] == [
        "paragraph",
        "heading",
        *["paragraph"] * 3,
    ]


def test_a_markdown_table_knows_its_rows_and_cuts() -> None:
    """Rows, columns, and the offsets at which a table may be cut."""
    document, table = _only("Before:\n| a | b \\| c |\n|---|:-:|\n| 1 | 2 |\n| 3 | 4 |\n\nafter\n", BlockType.TABLE)
    assert (table.meta["rows"], table.meta["columns"]) == (2, 2)
    header = document.text[table.start : table.meta["header_end"]]
    assert header == "| a | b \\| c |\n|---|:-:|\n"
    assert [document.text[at : at + 5] for at in table.meta["row_starts"]] == ["| 1 |", "| 3 |"]


def test_a_table_without_rows() -> None:
    """The header ends where the table does."""
    _, table = _only("|a|\n|-|", BlockType.TABLE)
    assert table.meta["rows"] == 0
    assert table.meta["header_end"] == table.end
    assert table.meta["row_starts"] == ()


def test_code_keeps_language_and_indentation() -> None:
    """The language is the first word of the info string; indented code starts with its indentation."""
    document, code = _only("```vue-html{2,3}\n<p/>\n```\n", BlockType.CODE)
    assert dict(code.meta) == {"fenced": True, "language": "vue-html"}
    assert document.text[code.start : code.end] == "```vue-html{2,3}\n<p/>\n```"
    document, code = _only("text\n\n    if x:\n        y\n\nend\n", BlockType.CODE)
    assert document.text[code.start : code.end] == "    if x:\n        y"
    assert code.meta["fenced"] is False


def test_code_and_tables_inside_lists_and_quotes() -> None:
    """What cutting keeps whole is a block of its own wherever it stands; the rest of the container is around it."""
    parts = _parts("- one\n\n  ```js\n  x()\n  ```\n\n  after\n- two\n  - deep\n")
    assert [kind for kind, _ in parts] == ["list", "code", "list"]
    assert parts[1][1] == "```js\n  x()\n  ```"
    assert [kind for kind, _ in _parts("> say\n>\n> |a|b|\n> |-|-|\n> |1|2|\n>\n> more\n")] == [
        "quote",
        "table",
        "quote",
    ]


def test_lists_know_depth_and_items() -> None:
    """Nested lists are one block."""
    _, block = _only("1. a\n   - b\n     - c\n2. d\n", BlockType.LIST)
    assert dict(block.meta) == {"depth": 3, "items": 4}


def test_equations_and_images() -> None:
    """Display equations, also directly under their text; a paragraph that is one image."""
    assert [kind for kind, _ in _parts("so\n$$\nx^2\n$$\n\n$$ y $$\n")] == ["paragraph", "equation", "equation"]
    _, image = _only('[![alt text](img/a.png "t")](https://example.org)\n', BlockType.IMAGE)
    assert dict(image.meta) == {"path": "img/a.png", "alt": "alt text"}
    _, image = _only('<img class="x" src="b.svg">\n', BlockType.IMAGE)
    assert image.meta["path"] == "b.svg"


def test_what_has_no_token_is_covered() -> None:
    """Reference definitions and bare `>` lines are in blocks too; no setext heading is made of a definition."""
    parts = _parts('[a]: /url "t"\n[b]: /c\n---\n\n>\n\nend\n')
    assert parts[0] == ("paragraph", '[a]: /url "t"\n[b]: /c')
    assert [kind for kind, _ in parts] == ["paragraph", "paragraph", "quote", "paragraph"]


@pytest.mark.parametrize("ends", ["\r\n", "\r", "\n"])
def test_every_kind_of_line_end_keeps_offsets(ends: str) -> None:
    """All three kinds of line end keep offsets and lines exact; other separators end no line."""
    text = ends.join(["# A", "", "one\u2028two\x0cthree", "", "```", "x", "```", "", "| a |", "|---|", "| b |"])
    document = _read(text)
    assert document.text == text
    assert [(block.type.value, block.line) for block in document.blocks] == [
        ("heading", 1),
        ("paragraph", 3),
        ("code", 5),
        ("table", 9),
    ]
    assert [text[at : at + 5] for at in document.blocks[3].meta["row_starts"]] == ["| b |"]


def test_byte_order_mark() -> None:
    """A byte order mark does not hide the first heading."""
    assert parse(b"\xef\xbb\xbf# A\n\nb", "a.md").blocks[0].type is BlockType.HEADING


def test_unclosed_fence_is_reported() -> None:
    """A fence that swallows the rest of the file is worth a sentence, with its line."""
    assert "line 3" in _read("a\n\n```\nx\n\n# no heading\n").warnings[0]
    assert _read("a\n\n```\nx\n```").warnings == ()


@pytest.mark.parametrize("opening", [">", "> ", "- ", "1. ", "- > ", "* 1) "])
def test_nesting_10_000_deep_on_one_line(opening: str) -> None:
    """What is too deep stays in its container, is told, and takes nothing with it: the section after it is there."""
    document = _read(opening * 10_000 + "deep\n\n# After\n\ntext\n")
    assert document.sections[-1].title == "After"
    assert "deep" in document.text[document.blocks[0].start : document.blocks[0].end]
    assert "24 levels" in document.warnings[0]


def test_nesting_by_indentation() -> None:
    """A list that goes down 300 levels, line by line, is one list, and the document goes on after it."""
    document = _read("".join("  " * n + "- a\n" for n in range(300)) + "\n# After\n\ntext\n")
    assert [section.title for section in document.sections][-1] == "After"
    assert "24 levels" in document.warnings[0]


def test_deep_html_is_not_nested() -> None:
    """Markup is not nested by this reader: 10,000 open tags are a block."""
    assert _read("<div>\n" * 10_000 + "\n# After\n\nx").sections[-1].title == "After"


def test_a_big_table_costs_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    """2,000 x 200 cells are one token, where markdown-it makes 1.2 million."""
    text = "|a" * 200 + "|\n" + "|-" * 200 + "|\n" + ("|x" * 200 + "|\n") * 2_000
    assert [len(tokens) for tokens in TopLevel(text)] == [1]
    assert _read(text).blocks[0].meta["rows"] == 2_000


def test_a_line_of_many_attributes() -> None:
    """A 2 MB line that looks like a tag is read in bounded memory, as text."""
    assert _read("<a " + "b " * 1_000_000).blocks[0].type is BlockType.PARAGRAPH


_LINES = [
    "# h",
    "## h ##",
    "text",
    "- a",
    "  - b",
    "1. x",
    "2) y",
    "> q",
    ">> r",
    ">",
    "```",
    "~~~",
    "    code",
    "\tcode",
    "| a | b |",
    "|---|---|",
    "a | b",
    "--|--",
    "---",
    "===",
    "***",
    "<div>",
    "</div>",
    "<!-- c",
    "-->",
    "<b>",
    "",
    "",
    "",
    "   ",
    "  text",
    "   - c",
    "      d",
    "* ",
    "-",
    "+ e",
    "<h2>x</h2>",
    "#",
    "10. z",
    "   ```",
    "- ```",
    "> ```",
    "> - l",
    "1.",
    "\\|",
    "|",
    "a|b|c",
    ":-:",
]


def test_blocks_are_those_of_markdown_it() -> None:
    """Our faster rules find the same top-level blocks on the same lines as stock markdown-it, 3,000 documents long."""
    stock = MarkdownIt("commonmark").enable("table").disable(["inline", "reference"])
    for seed in range(3_000):
        chance = random.Random(seed)
        source = "\n".join(chance.choice(_LINES) for _ in range(chance.randint(1, 14))) + chance.choice(["", "\n"])
        if source.lstrip().startswith(("---", "+++")):
            continue  # front matter, which stock does not know
        expected = [
            (token.type.removesuffix("_open"), token.map)
            for token in stock.parse(source)
            if token.level == 0 and token.map and token.nesting >= 0 and token.type != "inline"
        ]
        assert [(tokens[0].type.removesuffix("_open"), tokens[0].map) for tokens in TopLevel(source)] == expected, (
            source
        )


def test_footnotes_of_several_blocks() -> None:
    """What is indented under a note is no code for that: paragraphs, lists, fences and quotes are what they are."""
    note = "[^1]: First.\n\n    Second,\n    on.\n\n    - one\n    - two\n\n    ```py\n    x = 1\n    ```\n\n"
    note += "        code\n\n    # no heading\n\n    > said\n\nAfter.\n"
    assert _parts("Text[^1].\n\n" + note)[1:] == [
        ("paragraph", "[^1]: First."),
        ("paragraph", "Second,\n    on."),
        ("list", "- one\n    - two"),
        ("code", "```py\n    x = 1\n    ```"),
        ("code", "        code"),
        ("paragraph", "# no heading"),
        ("quote", "> said"),
        ("paragraph", "After."),
    ]
    assert not _read("Text[^1].\n\n" + note).sections[1:]


@pytest.mark.parametrize("label", ["1", "long-name", "注", "a.b"])
@pytest.mark.parametrize("indent", ["    ", "\t", "      "])
def test_second_paragraphs_of_footnotes(label: str, indent: str) -> None:
    """Whatever the label and the indentation; notes that follow one another are each their own."""
    text = f"[^{label}]: One.\n\n{indent}Two.\n[^2]: Three.\n[^3]:\n{indent}Four.\n\nFive.\n"
    kinds, words = zip(*_parts(text), strict=True)
    assert set(kinds) == {"paragraph"}
    assert words == (f"[^{label}]: One.", "Two.", "[^2]: Three.", f"[^3]:\n{indent}Four.", "Five.")


def test_footnotes_in_lists_and_quotes_stay_part_of_them() -> None:
    """In a list and a quote they are part of it; a reference that begins a line, or indented code, is no note."""
    assert [kind for kind, _ in _parts("- item\n\n  [^1]: note\n\n      more\n- two\n")] == ["list"]
    assert [kind for kind, _ in _parts("> [^1]: note\n>\n>     more\n")] == ["quote"]
    assert [kind for kind, _ in _parts("[^1] says\n\n    code\n")] == ["paragraph", "code"]
    assert [kind for kind, _ in _parts("    [^1]: x\n")] == ["code"]
    assert _parts("[^1]:\n    - a\n    - b\n") == [("paragraph", "[^1]:"), ("list", "- a\n    - b")]
    deep = "[^1]: x\n" + "".join(f"\n{'    ' * n}[^{n}]: y\n" for n in range(1, 400))
    _read(deep)
