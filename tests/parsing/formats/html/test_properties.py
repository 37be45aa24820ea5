"""The walk over pages as nobody should write them: every visible word comes once, in order, whatever stands in what."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st
from lxml.etree import _Element

from chunking.model import BlockType
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.formats.html.html_tree import parse_page
from chunking.parsing.formats.html.reader import read_html

UNSEEN = frozenset({"script", "style", "template", "noscript", "svg", "select", "title"})
HOLDERS = (
    *("div", "p", "section", "article", "b", "span", "a", "em", "code", "x-card", "sub", "label"),
    *("ul", "ol", "li", "dl", "dt", "dd", "blockquote", "pre", "figure", "figcaption", "details", "summary"),
    *(
        "h1",
        "h2",
        "h4",
        "h6",
        "table",
        "tr",
        "td",
        "th",
        "thead",
        "tbody",
        "center",
        "address",
        "hr",
        "br",
        "ruby",
        "rt",
    ),
)
HIDDEN = (
    "<div hidden>{}</div>",
    '<span style="display: none">{}</span>',
    "<script>{}</script>",
    "<svg><text>{}</text></svg>",
)
WORD = re.compile(r"w\d+x")


@st.composite
def pages(draw: st.DrawFn) -> str:
    """Markup whose words are all different; parts of it are hidden, much of it is nested as it must not be."""
    count = 0

    def word() -> str:
        nonlocal count
        count += 1
        return f"w{count}x"

    def element(depth: int) -> str:
        kind = draw(st.integers(0, 9))
        if kind == 0:
            return draw(st.sampled_from(HIDDEN)).format(word())
        if kind == 1:
            return f'<img src="a.png" alt="{word()}">'
        if kind < 4 or depth > 5:
            return draw(st.sampled_from(["{} ", " {}", "\n{}\n", "{}&nbsp;", "<!-- c -->{} "])).format(word())
        tag = draw(st.sampled_from(HOLDERS))
        inside = "".join(element(depth + 1) for _ in range(draw(st.integers(0, 4))))
        return f"<{tag}>{inside}</{tag}>" if draw(st.integers(0, 9)) else f"<{tag}>{inside}"

    return "".join(element(0) for _ in range(draw(st.integers(1, 6))))


def visible(element: _Element) -> Iterator[str]:
    """What a reader sees, in order, by another way than the walk."""
    hidden = element.get("hidden") is not None or "none" in (element.get("style") or "")
    if element.tag not in UNSEEN and not hidden:
        yield element.text or ""
        yield element.get("alt") or ""
        for child in element:
            yield from visible(child)
            yield child.tail or ""


def read(page: str) -> Reading:
    """The reading of a page."""
    return read_html(RawFile(page.encode(), "page.html"))


@given(pages(), st.sampled_from(["<meta charset=utf-8><body>", "<title>t</title>", ""]))
def test_every_visible_word_comes_once_and_in_order(page: str, head: str) -> None:
    """Against the tree itself."""
    root = parse_page((head + page).encode(), "page.html").root
    assert WORD.findall(read(head + page).text) == WORD.findall("".join(visible(root)) if root is not None else "")


@given(pages())
def test_blocks_are_what_they_say(page: str) -> None:
    """Spans are trimmed and apart, headings have levels, lists depths, and rows of tables start where they say."""
    reading = read(page)
    end = 0
    for block in reading.blocks:
        text = reading.text[block.start : block.end]
        assert text == text.strip() != ""
        assert end <= block.start
        assert not reading.text[end : block.start].strip()
        end = block.end
        assert (block.level in range(1, 7)) is (block.type is BlockType.HEADING)
        assert block.type is not BlockType.LIST or (block.meta["depth"] >= 1 and block.meta["items"] >= 0)
        assert all(reading.text[start] == "|" for start in block.meta.get("row_starts", ()))
    assert not reading.text[end:].strip()
