"""What each element of a page becomes, and what is left out of it."""

from __future__ import annotations

import pytest

from chunking.model import Block
from chunking.parsing.builder.reader_types import RawFile
from chunking.parsing.builder.text_builder import Writer
from chunking.parsing.formats.html.reader import SectionMark, read_html, write_html
from tests.parsing.formats.html.page_readings import read
from tests.support.block_texts import block_texts
from tests.support.facts import tells


def only(markup: str) -> tuple[Block, str]:
    """The one block of a page, and its text."""
    reading = read(markup)
    (block,) = reading.blocks
    return block, reading.text


def test_headings_open_sections_wherever_they_stand() -> None:
    """In divs, in tables and lists that lay out the page, as the label of a button; a line end in one is a space."""
    page = (
        "<div><h1>One<br>and all</h1></div><table><tr><td><h2>Two</h2><p>a<td>side</table>"
        "<ul><li><h3>Three</h3>b<li>c</ul><h4><button>Four</button></h4><h2> </h2>"
    )
    assert block_texts(read(page)) == [
        ("heading1", "One and all"),
        ("heading2", "Two"),
        ("paragraph", "a"),
        ("paragraph", "side"),
        ("heading3", "Three"),
        ("paragraph", "b"),
        ("paragraph", "c"),
        ("heading4", "Four"),
    ]


def test_lines_and_paragraphs() -> None:
    """A `br` is a line end, two in a row part paragraphs; white space of the markup is none; inline elements glue."""
    page = (
        "<p>H<sub>2</sub>O  is\n <b>wet</b>.<br>So &amp; so.<br><br>Next&nbsp;one soft\u00adhyphen</p>loose <i>text</i>"
    )
    assert block_texts(read(page)) == [
        ("paragraph", "H2O is wet.\nSo & so."),
        ("paragraph", "Next one softhyphen"),
        ("paragraph", "loose text"),
    ]


def test_a_line_end_of_the_markup_is_no_space_between_chinese_characters() -> None:
    """But it is one beside a Latin word; the ideographic space stays."""
    assert block_texts(read("<meta charset=utf-8><p>打开\n  盖子，\n再看\nVue\n组件\u3000一</p>")) == [
        ("paragraph", "打开盖子，再看 Vue 组件\u3000一")
    ]


def test_a_list_is_one_block_of_lines() -> None:
    """Bullets and numbers as the page draws them, items within items indented under their text."""
    page = "<ul><li>a<ol start=3><li>b<br>c<li value=9>d</ol><li><p>e<p>f</ul>"
    block, text = only(page)
    assert text == "- a\n  3. b\n     c\n  9. d\n- e\n  f"
    assert (block.type.value, dict(block.meta)) == ("list", {"depth": 2, "items": 4})
    assert only("<meta charset=utf-8><ul><li>• x<li>y</ul>")[1] == "• x\n- y"
    assert only("<ol reversed><li>x<li>y</ol>")[1] == "2. x\n1. y"


def test_code_and_tables_part_a_list() -> None:
    """They are blocks of their own, as in Markdown; the count of items goes on."""
    page = (
        "<ol><li>run<pre><code class='language-sh'>ls\n  "
        "-l\n</code></pre><li>look<table><tr><th>a<th>b<tr><td>1<td>2</table></ol>"
    )
    reading = read(page)
    assert block_texts(reading) == [
        ("list", "1. run"),
        ("code", "ls\n  -l"),
        ("list", "2. look"),
        ("table", "| a | b |\n| 1 | 2 |"),
    ]
    assert reading.blocks[1].meta["language"] == "sh"


def test_a_quote_is_one_block() -> None:
    """Of paragraphs with an empty line between; a list in it is a part of it."""
    assert block_texts(read("<blockquote><p>a<p>b<ul><li>c</ul></blockquote>d")) == [
        ("quote", "a\n\nb\n- c"),
        ("paragraph", "d"),
    ]


def test_terms_and_definitions_are_read() -> None:
    """Plain ones are a list of terms with what they mean under them; any with more in them are paragraphs."""
    block, text = only("<dl><dt>Finch<dd>a bird<dd>small</dd><div><dt>Oak<dd>a tree</div></dl>")
    assert text == "Finch\n  a bird\n  small\nOak\n  a tree"
    assert dict(block.meta) == {"depth": 1, "items": 2}
    assert only("<dl><dt>a<dd>b<dd>c<dt>d<dd>e</dl>")[1] == "a\n  b\n  c\nd\n  e"
    assert block_texts(read("<dl><dt>f(x)<dd>does<pre>f(1)</pre></dl>")) == [
        ("paragraph", "f(x)"),
        ("paragraph", "does"),
        ("code", "f(1)"),
    ]


@pytest.mark.parametrize(
    ("markup", "language"),
    [
        ("<pre class='brush: js'>x</pre>", "js"),
        ("<pre><code class='hljs python'>x</code></pre>", "python"),
        ("<div class='highlight-rust notranslate'><div class='highlight'><pre>x</pre></div></div>", "rust"),
        ("<div class='highlight highlight-source-shell'><pre>x</pre></div>", "shell"),
        ("<pre data-lang='go'>x</pre>", "go"),
        ("<pre>x</pre>", ""),
    ],
)
def test_the_language_of_code(markup: str, language: str) -> None:
    """From the classes that generators of pages put on it or around it."""
    assert only(markup)[0].meta["language"] == language


def test_code_keeps_its_lines() -> None:
    """Its indentation too, but for what all lines share; line numbers drawn beside it are not its text."""
    assert only("<pre>\n  a\n    b<br>  c\n</pre>")[1] == "a\n  b\nc"
    numbered = "<table><tr><td class='linenos'><pre>1\n2</pre></td><td><pre>a\nb</pre></td></tr></table>"
    assert block_texts(read(numbered)) == [("code", "a\nb")]


def test_pictures_are_read_by_their_descriptions() -> None:
    """Alone they are blocks of what describes them; within a line their description is a part of it."""
    page = (
        "<figure><img src='a/b.png' alt='A finch'><figcaption>Fig. 1: in <i>spring</i></figcaption></figure>"
        "<p><a href='x'><img src='c.png' alt='An oak'></a></p><p>press <img alt='OK' src=d.png> now</p><img "
        "src='e.png'>"
    )
    reading = read(page)
    assert block_texts(reading) == [
        ("image", "A finch\nFig. 1: in spring"),
        ("image", "An oak"),
        ("paragraph", "press OK now"),
    ]
    assert dict(reading.blocks[0].meta) == {"path": "a/b.png", "alt": "A finch", "caption": "Fig. 1: in spring"}


def test_formulas_are_read_by_their_source() -> None:
    """By the source that a page keeps with them; on a line of its own a formula is a block."""
    page = (
        "<p>so <math><semantics><mrow><mi>x</mi></mrow><annotation "
        "encoding='application/x-tex'>{\\displaystyle x^2}</annotation></semantics></math> holds</p><math "
        "display='block'><mi>a</mi><mo>=</mo><mi>b</mi></math><span class=katex><span "
        "style='display:none'><math><mi>y</mi></math></span><span aria-hidden=true>drawn</span></span>"
    )
    assert block_texts(read(page)) == [("paragraph", "so x^2 holds"), ("equation", "a=b"), ("paragraph", "y")]


def test_what_a_reader_does_not_see_is_no_text() -> None:
    """Scripts, forms, hidden elements, icons; but a block that is only silent to screen readers is seen."""
    page = (
        "<head><title> The  page </title></head><a href='#a'>Skip to content</a><p>a<script>b</script><span "
        "style='DISPLAY : none'>c</span><i aria-hidden=true>d</i><select><option>e</select><button>f</button><input "
        "value=g><template>h</template></p><p hidden>i</p><dialog>j</dialog><div "
        "aria-hidden=true>k</div><noscript>l</noscript><svg><title>m</title></svg><h2>n<a class=headerlink "
        "href='#n'>¶</a></h2>"
    )
    reading = read(page)
    assert block_texts(reading) == [("paragraph", "a"), ("paragraph", "k"), ("heading2", "n")]
    assert reading.title == "The page"


def test_an_embedded_file_swallows_nothing() -> None:
    """`<embed>` has no end tag, which the parser does not know."""
    assert block_texts(read("<p>a</p><embed src=x.swf><h2>b</h2><p>c</p>")) == [
        ("paragraph", "a"),
        ("heading2", "b"),
        ("paragraph", "c"),
    ]


def test_what_belongs_to_the_site_is_left_out() -> None:
    """With the reason; the header of an article, and a page's with its heading, are text."""
    page = (
        "<header><h1>Birds</h1></header><nav><a>Home</a> <a>About</a></nav><main><article><header>By A.</header><p>x"
        "<footer>Tags</footer></article></main><div role=search>Find</div><footer>© 2026</footer>"
        "<ul><li><a hreflang=de>Deutsch</a><li><a hreflang=fr>Français</a><li><a hreflang=zh>中文</a></ul>"
    )
    reading = read(f"<meta charset=utf-8>{page}")
    assert block_texts(reading) == [
        ("heading1", "Birds"),
        ("paragraph", "By A."),
        ("paragraph", "x"),
        ("paragraph", "Tags"),
    ]
    assert [(reading.text[span.start : span.end], span.reason) for span in reading.left_out] == [
        ("Home About", "navigation"),
        ("Find", "search form"),
        ("© 2026", "page footer"),
        ("Deutsch Français 中文", "links to other languages"),
    ]


def test_a_page_of_nothing_but_navigation_is_its_text() -> None:
    """There is nothing to leave it out of."""
    reading = read("<nav><ul><li>One<li>Two</ul></nav>")
    assert block_texts(reading) == [("list", "- One\n- Two")]
    assert not reading.left_out


def test_a_page_without_a_body_is_read_whole() -> None:
    """The parser takes what HTML 4 did not know for a part of the head."""
    page = "<title>T</title><header><h1>a</h1></header><main><section><p>b</section></main><x-card>c</x-card><p>d"
    reading = read(page)
    assert block_texts(reading) == [("heading1", "a"), ("paragraph", "b"), ("paragraph", "c"), ("paragraph", "d")]
    assert reading.title == "T"


def test_headings_can_be_lowered() -> None:
    """For pages that are parts of something; no level is beyond 6."""
    writer = Writer("book")
    write_html(b"<h1>a</h1><h5>b</h5>", writer, source="book", base_level=2)
    assert [block.level for block in writer.finish().blocks] == [3, 6]


def test_marks_of_a_table_of_contents() -> None:
    """They level the heading they stand at and those after it, make one of a line that says the same, or write it."""
    page = (
        b"<p id=a>PART ONE</p><h1 id=b>Chapter 1</h1><h2>Inside</h2><p id=c>No title here, only words.</p>"
        b"<div id=d><img src=x alt=x><h1>Two</h1></div>"
    )
    marks = {
        "a": SectionMark("Part one", 1),
        "b": SectionMark("Chapter 1", 2),
        "c": SectionMark("Notes", 2),
        "d": SectionMark("2. Two", 3),
        "gone": SectionMark("Gone", 1),
    }
    writer = Writer("book")
    facts = write_html(page, writer, source="book", marks=marks)
    assert block_texts(writer.finish()) == [
        ("heading1", "PART ONE"),
        ("heading2", "Chapter 1"),
        ("heading3", "Inside"),
        ("heading2", "Notes"),
        ("paragraph", "No title here, only words."),
        ("image", "x"),
        ("heading3", "Two"),
    ]
    assert facts.level_shift == 2


def test_what_is_clicked_is_listed_as_left_out() -> None:
    """Buttons and edit links are in no block, and none of their letters is lost."""
    page = '<p>One<button>Hide</button></p><h2>Two<span class="mw-editsection">[edit]</span></h2><p>Three</p>'
    reading = read_html(RawFile(page.encode(), "a.html"))
    assert [reading.text[block.start : block.end] for block in reading.blocks] == ["One", "Two", "Three"]
    (span,) = reading.left_out
    assert reading.text[span.start : span.end] == "Hide\n[edit]"
    assert tells(span.reason, "buttons edit links")


@pytest.mark.parametrize(
    ("markup", "names"),
    [
        ('<div role="heading" aria-level="1">One</div>', ("heading1", "One")),
        ('<span role="heading" aria-level="3">One</span>', ("heading3", "One")),
        ("<p role=heading>One <b>and</b> all</p>", ("heading2", "One and all")),
        ("<p role='Heading' aria-level='9'>One</p>", ("heading6", "One")),
        ("<p role='heading' aria-level='x'>One</p>", ("heading2", "One")),
        ("<h4 aria-level='2'>One</h4>", ("heading2", "One")),
        ("<h2 role='heading' aria-level='5'>One</h2>", ("heading5", "One")),
        ("<table><tr><td role='heading' aria-level='3'>One</td></tr></table>", ("heading3", "One")),
        ("<ul><li role='heading'>One</li></ul>", ("heading2", "One")),
        ("<button role='heading' aria-level='2'>One</button>", ("heading2", "One")),
        ("<div role='heading' aria-level='2'><h3>One</h3></div>", ("heading3", "One")),
        ("<h2>One\u200b</h2>", ("heading2", "One")),
        ("<h2>\ufeffSet\u00adup\u2060 \u200eit\u200f</h2>", ("heading2", "Setup it")),
        ('<h2>One<a class="hash-link" href="#one" aria-label="Direct link">\u200b</a></h2>', ("heading2", "One")),
        ('<h2><a class="anchor" href="#one">#</a> One</h2>', ("heading2", "One")),
        ('<h2>One<a href="#one">¶</a></h2>', ("heading2", "One")),
        ('<h2>One <a href="/page#one">🔗</a></h2>', ("heading2", "One")),
        ('<h2>One <a class="permalink" href="#one">Permalink</a></h2>', ("heading2", "One")),
        ('<h2><a href="#one">One</a></h2>', ("heading2", "One")),
        ("<h2>C# and #</h2>", ("heading2", "C# and #")),
        ('<h2><a href="/x">#</a></h2>', ("heading2", "#")),
        ('<h2><a href="#x">#</a></h2>', ("heading2", "#")),
        ("<h2>می\u200cخواهم</h2>", ("heading2", "می\u200cخواهم")),
    ],
)
def test_names_of_headings(markup: str, names: tuple[str, str]) -> None:
    """By their role and level too; without what nobody sees, nor the links that sites put beside them."""
    assert block_texts(read(f"{markup}<p>Text.</p>"))[0] == names


def test_the_title_of_a_page() -> None:
    """Without what nobody sees."""
    assert read("<title>\ufeffBirds\u200b of\u00ad ours</title><p>Text.</p>").title == "Birds of ours"
