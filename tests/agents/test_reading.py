"""Documents, sections and chunks as an agent reads them, a piece at a time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from chunking.agents import Toolbox
from chunking.agents.text_pages import MOST_BYTES, cursor_of, offset_of, piece_at
from chunking.config import Config
from chunking.errors import NotFoundError, QueryError
from chunking.retrieval.context.context_tokens import counter

_COUNTER = counter(Config().embedding)


@pytest.mark.parametrize("doc", ["guide_handbook", "manuals_manual"])
@pytest.mark.parametrize("budget", [0, 50, 90])
def test_the_pieces_of_a_document_are_the_document(shelf: Toolbox, doc: str, budget: int) -> None:
    """Whatever the budget."""
    pieces, cursor = [], ""
    while not pieces or cursor:
        piece = shelf.fetch(doc, cursor=cursor, budget=budget)
        assert not budget or _COUNTER.count(piece.text) <= budget
        pieces.append(piece)
        cursor = piece.next
    assert "".join(piece.text for piece in pieces) == shelf.open_workspace().document(doc).text
    assert [piece.metadata["end"] for piece in pieces[:-1]] == [piece.metadata["start"] for piece in pieces[1:]]


@given(some.text(some.characters(codec="utf-8"), max_size=400), some.integers(1, 60))
def test_pieces_cover_any_text(text: str, budget: int) -> None:
    """Nothing is left out, nothing comes twice, and each step goes on."""
    pieces, at = [], 0
    while at < len(text):
        piece = piece_at(text, at, budget, _COUNTER)
        assert piece.end > at
        assert offset_of(piece.next) == (piece.end if piece.end < len(text) else 0)
        pieces.append(piece.text)
        at = piece.end
    assert "".join(pieces) == text


def test_a_piece_has_its_bound_in_bytes() -> None:
    """Whatever was asked for: an answer holds it twice."""
    for text in ("word " * 50_000, "字" * 100_000):
        piece = piece_at(text, 0, 0, _COUNTER)
        assert len(piece.text.encode()) <= MOST_BYTES
        assert piece.next


def test_a_section_is_its_span(shelf: Toolbox) -> None:
    """Each of the table of contents can be read."""
    contents = shelf.toc("guide_handbook")
    text = shelf.open_workspace().document("guide_handbook").text
    assert [line.title for line in contents.sections] == ["Handbook", "Backups", "Schedule", "Users"]
    for line in contents.sections:
        read = shelf.fetch(line.id)
        assert read.metadata["kind"] == "section"
        assert read.text == text[int(str(read.metadata["start"])) : int(str(read.metadata["end"]))]
        assert len(read.text) == line.characters


def test_a_chunk_with_its_neighbours_is_one_passage(shelf: Toolbox) -> None:
    """Exactly as it stands in the document."""
    hit = shelf.search("To restore a backup, stop the service", detail=True).results[0]
    text = shelf.open_workspace().document(hit.doc).text
    alone, passage = shelf.fetch(hit.id), shelf.fetch(hit.id, neighbours=2)
    assert alone.text == hit.text
    assert hit.text in passage.text
    assert passage.text == text[int(str(passage.metadata["start"])) : int(str(passage.metadata["end"]))]
    assert len(passage.text) > len(alone.text)


def test_every_level_can_be_read(samples: Toolbox) -> None:
    """Of the larger sizes that the default settings make."""
    index = samples.open_workspace().index()
    for level in index.levels:
        name = index.ids(level)[0]
        assert samples.fetch(name).metadata["kind"] in (level, "section", "document")


def test_lists_go_page_by_page(samples: Toolbox) -> None:
    """The table of contents and the documents."""
    page = samples.list_documents()
    assert page.total == len(page.documents) == len(samples.open_workspace().documents())
    assert samples.list_documents(cursor=cursor_of(3)).documents == page.documents[3:]
    assert samples.list_documents(cursor=cursor_of(10**30)).documents == []


def test_related_documents_have_a_reason(samples: Toolbox) -> None:
    """The nearest first."""
    related = samples.related("service-guides_finch-c4-service-guide", n=3).related
    assert len(related) == 3
    assert all(one.why and one.url for one in related)
    assert [one.similarity for one in related] == sorted((one.similarity for one in related), reverse=True)


_UNKNOWN = (
    *("nope", "guide_handbook_sec99", "guide_handbook_chunk99"),
    *("a\ud800b", "../etc/passwd", "' OR 1=1 --", "x" * 500),
)


@pytest.mark.parametrize("id", _UNKNOWN)
def test_an_unknown_id_is_refused(shelf: Toolbox, id: str) -> None:
    """In one short sentence, wherever it is asked for."""
    for ask in (shelf.fetch, shelf.toc, shelf.related):
        with pytest.raises(NotFoundError) as raised:
            ask(id)  # type: ignore[operator]
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize("cursor", ["zz", "é", "bzE", "=" * 50, "\ud800", "bw", "b-", "MTI"])
def test_a_foreign_cursor_is_refused(shelf: Toolbox, cursor: str) -> None:
    """By every list and text."""
    if cursor == "bzE":  # the cursor of offset 1
        assert offset_of(cursor) == 1
        return
    for ask in (shelf.fetch, shelf.toc):
        with pytest.raises(QueryError):
            ask("guide_handbook", cursor=cursor)  # type: ignore[operator]
