"""MDX: imports, exports and comments are left out, components keep their children, and code stays code."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.model import Document
from chunking.parsing import parse
from chunking.parsing.formats.markdown import mdx
from chunking.parsing.formats.markdown.mdx import find_parts
from tests.support.laws_chunks import check_cutting
from tests.support.laws_documents import check
from tests.support.shared_data import shared_data


def read(text: str, name: str = "a.mdx") -> Document:
    """A lawful document whose text is the source."""
    document = parse(text.encode(), name)
    check(document)
    assert document.text == text
    return document


def blocks(text: str) -> list[tuple[str, str]]:
    """(type, text) of each block."""
    document = read(text)
    return [(block.type.value, text[block.start : block.end]) for block in document.blocks]


def left_out(text: str) -> list[tuple[str, str]]:
    """(text, reason) of what is left out."""
    return [(text[one.start : one.end], one.reason) for one in read(text).left_out]


STATEMENTS = [
    "import Tabs from '@theme/Tabs';",
    'import "./style.css"',
    "import * as React from 'react'",
    "import {\n  Note,\n  Tip,\n} from '../components';",
    "import type { Props } from './x'",
    "export const a = 1",
    (
        "export default function Page({ children }) {\n  const x = {\n\n    y: [1, 2],\n  };\n\n  return "
        "<div>{children}</div>;\n}"
    ),
    "export const meta = {\n  title: 'A } in a string',\n  // a } in a comment\n  body: `a\n\n} in a template`,\n}",
    "export const f = () =>\n  <b>x</b>",
    "export { a as b }\nexport * from './y'\nimport z from 'z'",
    "export const X = () => (\n  <p>it's fine</p>\n)",
]


@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_statements_are_no_text(statement: str, line_end: str) -> None:
    """At the beginning, after a paragraph and at the end, of one line or many."""
    statement = statement.replace("\n", line_end)
    text = (line_end * 2).join([statement, "# Title", "One.", statement, "Two.", statement])
    assert [kind for kind, _ in blocks(text)] == ["heading", "paragraph", "paragraph"]
    assert left_out(text) == [(statement, "import or export")] * 3
    check_cutting(read(text))


@pytest.mark.parametrize(
    "text",
    [
        "important things are imported from abroad",
        "import duties rise",
        "export of goods",
        "Text\nimport x from 'x'",
        "`import x from 'x'`",
        "  import x from 'x'",
        "> import x from 'x'",
        "- import x from 'x'",
    ],
)
def test_words_that_are_no_statements(text: str) -> None:
    """Prose, lines of a paragraph, code, quotes and items stay."""
    assert not left_out(text)
    assert "".join(words for _, words in blocks(text)) == text.strip()


@pytest.mark.parametrize("fence", ["```", "~~~~", "    ```", "- ```", "> ```"])
def test_code_stays_code(fence: str) -> None:
    """What looks like a statement, a comment or a tag in a fence is code."""
    indent = "  " if fence[0] == "-" else "> " if fence[0] == ">" else ""
    code = "\n".join(indent + line for line in ("import x from 'x'", "{/* c */}", "<A", "# no", ">"))
    close = f"{indent}{fence.strip(' ->')}"
    text = f"{fence}js\n{code}\n{close}\n\nafter\n"
    assert not left_out(text)
    assert [kind for kind, _ in blocks(text)] == ["code", "paragraph"]


def test_mdx_comments_are_left_out() -> None:
    """Of many lines with headings in them, in a heading, a paragraph and an item; not in backticks or code."""
    text = "{/*\n# Draft\n\nAsk Sam.\n*/}\n\n## Part {/* #part */}\n\n"
    text += "One {/* a */} two `{/* b */}` end.\n\n- item {/* c */}\n- last\n\n<!-- d -->\n"
    assert [section.title for section in read(text).sections] == ["Part"]
    reasons = [("{/*\n# Draft\n\nAsk Sam.\n*/}", "comment"), ("{/* #part */}", "comment"), ("{/* a */}", "comment")]
    assert left_out(text) == [*reasons, ("{/* c */}", "comment"), ("<!-- d -->", "comment")]
    assert blocks(text) == [
        ("heading", "## Part"),
        *(("paragraph", "One"), ("paragraph", "two `{/* b */}` end.")),
        *(("list", "- item"), ("list", "- last")),
    ]


def test_comments_that_are_none() -> None:
    """Without an end, or with more than comments in the braces."""
    for text in ("{/* open\n\nText", "{ /* a */ value }", "{/* a */ b}", "a {x} b", "<!-- open\n\nText"):
        assert not left_out(text)
    assert left_out("{ /* a */ /* b */ } x") == [("{ /* a */ /* b */ }", "comment")]
    assert left_out("{\n  // one\n  /* two */\n}\n\nText") == [("{\n  // one\n  /* two */\n}", "comment")]


def test_components_keep_their_children() -> None:
    """Tags on lines of their own are blocks, whatever their attributes hold; Markdown in them is Markdown, however
    indented.
    """
    tag = '<Tabs\n  items={["a > b", `x\n\n# no`]}\n  title="> # none"\n>'
    text = (
        f"{tag}\n  <Tab>\n\n    # Title\n\n    Text\n    - one\n    - two\n\n  </Tab>\n</Tabs>\n\n<Image\n  "
        f"src='x.png'\n/>\nEnd."
    )
    assert blocks(text) == [
        ("html", tag),
        ("html", "<Tab>"),
        ("heading", "# Title"),
        ("paragraph", "Text"),
        ("list", "- one\n    - two"),
        ("html", "</Tab>"),
        ("html", "</Tabs>"),
        ("html", "<Image\n  src='x.png'\n/>"),
        ("paragraph", "End."),
    ]


def test_tags_without_empty_lines() -> None:
    """They need none to part them from their children."""
    texts = blocks("<Note>\nRead **this**.\n</Note>\n## Next\n<>\nx\n</>")
    assert [kind for kind, _ in texts] == ["html", "paragraph", "html", "heading", "html", "paragraph", "html"]


def test_tags_in_lines() -> None:
    """With words beside them they are part of the line; headings of HTML are headings."""
    assert blocks("Press <Key>Tab</Key> now, or a < b.") == [("paragraph", "Press <Key>Tab</Key> now, or a < b.")]
    assert blocks('<Card title="x">Words</Card>') == [("html", '<Card title="x">Words</Card>')]
    assert blocks("- item\n\n  <Note>\n  in it\n  </Note>\n- two")[0][0] == "list"
    assert ("heading", "<h2>Part</h2>") in blocks("<h2>Part</h2>\n\ntext")


def test_mdx_expressions_are_text_or_blocks() -> None:
    """In a line they are its text; on lines of their own a block, whose lines are no headings or lists."""
    assert blocks("Version: {version}.") == [("paragraph", "Version: {version}.")]
    loop = "{items.map((item) => (\n  <li>{item}</li>\n\n# no heading\n))}"
    assert blocks(f"a\n\n{loop}\n\nb") == [("paragraph", "a"), ("html", loop), ("paragraph", "b")]


def test_only_in_files_of_its_own() -> None:
    """The same text in Markdown is Markdown."""
    text = "import x from 'x'\n\n{/* a */}\n\n    code\n"
    assert not read(text, "a.md").left_out
    assert [block.type.value for block in read(text, "a.md").blocks] == ["paragraph", "paragraph", "code"]


def test_front_matter_stays() -> None:
    """Statements right under it are found; it is metadata, with its title."""
    document = read("---\ntitle: Quick\nimport: no\n---\nimport x from 'x'\n\nText")
    assert document.title == "Quick"
    assert [one.reason for one in document.left_out] == ["import or export"]
    assert document.blocks[0].type.value == "metadata"


def test_a_bracket_that_is_never_closed_hides_no_section() -> None:
    """What cannot be parsed ends with its lines."""
    text = "export const a = {\n  b: 'it\n\n# One\n\nText }\n\n## Two\n"
    assert [section.title for section in read(text).sections] == ["One", "Two"]
    assert [section.title for section in read("export const a = (\n\nText\n\n# One\n").sections][-1] == "One"


def test_a_real_mdx_page_loses_its_program() -> None:
    """Title and section of the page, and nothing of its program."""
    document = parse(shared_data("wild/mdx/quickstart.mdx").read_bytes(), "quickstart.mdx")
    check(document)
    assert [section.title for section in document.sections if section.level] == ["Quickstart", "Install"]
    assert {one.reason for one in document.left_out} == {"import or export", "comment"}
    assert "quote" not in {block.type.value for block in document.blocks}
    text = " ".join(document.text[block.start : block.end] for block in document.blocks)
    assert "Draft" not in text
    assert "Run the tool as a normal user." in text


_LINES = st.sampled_from(
    [
        *(
            "# H",
            "text",
            "- item",
            "",
            "",
            "```",
            "import x from 'x'",
            "export const a = {",
            "}",
            "{/* c */}",
            "{/*",
            "*/}",
            "<A",
            ">",
        ),
        *(
            "<B x={1}>",
            "</B>",
            "<C/>",
            "{x}",
            "{",
            "| a | b |",
            "| - | - |",
            "> q",
            "    deep",
            "`{/*` x",
            "[^1]: note",
            "<!-- a -->",
        ),
        *("a {/* b */} c", "$$"),
    ]
)


@settings(max_examples=100)
@given(st.lists(_LINES, max_size=25), st.sampled_from(["\n", "\r\n", "\r"]))
def test_anything_is_lawful(lines: list[str], line_end: str) -> None:
    """Every character is in a block or left out, whatever stands where."""
    text = line_end.join([*lines, "end"])
    if find_parts(text).markdown.strip():
        read(text)


@pytest.mark.parametrize(
    "piece",
    [
        "<a ",
        "<a {",
        "{",
        "{/*",
        "{/*\n",
        "<!--",
        "`",
        "``` `\n",
        "export const a = (\n\n",
        "import {",
        "<a\n",
        '<a x="\n',
        "{/* */ ",
    ],
)
def test_work_is_bounded(piece: str) -> None:
    """Openings without an end are looked at a few times at most, not once for each."""
    scan = mdx._Scan(piece * 20_000)
    assert len(list(scan.parts())) <= 20_000
    assert scan._budget >= -len(scan.text) - 1
