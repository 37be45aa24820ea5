"""Results as HTML: every kind drawn, bounded, escaped, and nothing in it that a sanitizer would take out."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.display import Displayable
from chunking.model import Document, Span
from chunking.parsing import parse
from chunking.splitting import Chunks
from chunking.viewing.static_html import html_of
from chunking.viewing.static_html.elements import element
from tests.support.examples import law
from tests.support.notebook_sanitizer import Page, page_of
from tests.viewing.static_html.results import (
    ARABIC,
    CHINESE,
    EMPTY,
    HOSTILE,
    ORDINARY,
    chunks_of,
    hostile_results,
    ordinary_results,
    run_with,
    search_of,
    sweep_of,
)

MOST = 200_000
"""Characters that any result is drawn in."""


@pytest.mark.parametrize("kind", [*ORDINARY, *EMPTY])
def test_every_result_is_drawn_whole(kind: str) -> None:
    """Also where there is nothing in it; a notebook gets the short text beside it."""
    value = ordinary_results()[kind]
    assert isinstance(value, Displayable)
    bundle = value._repr_mimebundle_()
    assert bundle == {"text/plain": repr(value), "text/html": html_of(value)}
    assert page_of(bundle["text/html"]).text.strip()


def test_only_the_types_that_are_wanted_are_made() -> None:
    """As IPython asks for them; marimo asks with empty lists, and means all."""
    value = ordinary_results()["document"]
    assert isinstance(value, Displayable)
    assert value._repr_mimebundle_(include={"text/plain"}).keys() == {"text/plain"}
    assert value._repr_mimebundle_(exclude={"text/plain"}).keys() == {"text/html"}
    assert value._repr_mimebundle_(include=[], exclude=[]) == value._repr_mimebundle_()
    assert value._display_()._repr_html_() == html_of(value)


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_text_is_text(kind: str) -> None:
    """Whatever stands in titles, sources, labels, notes and texts; half a surrogate pair and controls are replaced."""
    page = page_of(html_of(hostile_results()[kind]))
    assert "<script>" in page.text
    assert not {"\ud800", "\x1b", "\x07"} & {*page.text}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_text_is_short_in_a_shell(kind: str) -> None:
    """No control that a terminal obeys, nothing that UTF-8 cannot hold, no mark that turns the line around."""
    text = repr(hostile_results()[kind])
    assert not {"\ud800", "\x1b", "\x07", "\u202e"} & {*text}
    assert len(text.encode("utf-8")) < 5_000


@law(50)
@given(st.text(st.characters(exclude_categories=()), max_size=300))
def test_any_text_is_escaped(text: str) -> None:
    """In an element, and in its style of another."""
    page_of(element("div", text, element("b", text), dir="auto"))


def test_the_sanitizer_would_take_something_out() -> None:
    """The tests above would fail for it."""
    assert Page("<script>x</script>").lost == ["script"]
    assert Page('<div onclick="x" style="position:fixed;opacity:.5">').lost == [
        "div onclick",
        "position:fixed",
        "opacity:.5",
    ]
    assert Page("<b><div></b></div>").lost == ["/b", "/div"]
    with pytest.raises(ValueError, match="script"):
        element("script", "x")


LONG = "# Title\n\n" + "\n\n".join(f"## Part {number}\n\n" + "A sentence of this part. " * 40 for number in range(400))


@cache
def long_results() -> dict[str, object]:
    """Results of a document of 400,000 characters."""
    document, chunks = parse(LONG.encode(), "long.md"), chunks_of(LONG)
    answer = search_of("sentence", *([LONG] * 3))
    return {
        "document": replace(document, title="x" * 10_000, warnings=("w" * 10_000,) * 1_000),
        "chunks": Chunks([replace(one, content="<" * 10_000, prefix="&" * 10_000) for one in chunks]),
        "chunk": replace(chunks[0], content="<" * 10**6, title_path=("&" * 10**5,) * 6),
        "search": replace(answer, query="q" * 10**6, notes=("n" * 10**5,) * 1_000),
        "result": answer.results[0],
        "run": run_with("l" * 10**5, range(1_000), why="y" * 10_000, count=1_000),
        "sweep": sweep_of(60, label="l" * 10**4),
    }


@pytest.mark.parametrize("kind", ["document", "chunks", "chunk", "search", "result", "run", "sweep"])
def test_the_size_is_bounded(kind: str) -> None:
    """However long the texts are, and however many there are."""
    value = long_results()[kind]
    assert len(html_of(value)) < MOST
    assert len(repr(value)) < 4_000
    page_of(html_of(value))


def test_a_sentence_tells_of_what_is_not_shown() -> None:
    """With its number."""
    chunks = chunks_of(LONG)
    assert f"{len(chunks) - 40:,}" in page_of(html_of(chunks)).text
    assert f"{len(chunks) - 10:,}" in repr(chunks)
    assert "30 more" in page_of(html_of(sweep_of(60))).text


def test_chunks_alternate_in_the_colours_of_the_app() -> None:
    """Between the light and the dark form of each, so that both are seen on light and on dark."""
    html = html_of(chunks_of(LONG)[:4])
    assert html.count("#6c86fa") == html.count("#d49d37") == 2


@pytest.mark.parametrize("text", [CHINESE, ARABIC])
def test_every_script_keeps_its_direction(text: str) -> None:
    """A text says itself which way it runs; nothing of it is lost."""
    chunks = chunks_of(text)
    html = html_of(chunks)
    assert page_of(html).tags["div"] >= 3
    assert html.count('dir="auto"') >= len(chunks)
    assert all(one.content in page_of(html).text for one in chunks)
    assert all(one.content.split()[0] in repr(chunks) for one in chunks)


def test_a_match_is_marked_wherever_it_is() -> None:
    """Also far behind the beginning of a long hit, which is shown from shortly before it."""
    hit = search_of("backup", LONG + "\n\nA backup is here.").results[0]
    chunk = replace(hit.chunk, content="word " * 1_000 + "backup" + " word" * 1_000, start=100, end=100 + 10_006)
    html = html_of(replace(hit, chunk=chunk, highlights=(Span(5_100, 5_106),)))
    assert ">backup</span>" in html
    assert len(page_of(html).text) < 2_500
    assert ">backup</span>" not in html_of(replace(hit, chunk=chunk, highlights=(Span(5_100, 5_100), Span(0, 10))))


def test_what_has_no_html_is_an_error() -> None:
    """A subclass has its parent's."""

    class Kept(Document):
        """A document of somebody's program."""

    document = ordinary_results()["document"]
    assert isinstance(document, Document)
    assert html_of(Kept(**{name: getattr(document, name) for name in Document.__dataclass_fields__})) == html_of(
        document
    )
    with pytest.raises(TypeError, match="int"):
        html_of(3)
