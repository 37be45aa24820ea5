"""Parsers that are chosen: their blocks with exact spans, and a sentence for everything that can go wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from chunking.allowed import Allowed, allow
from chunking.errors import ParseError, TooLargeError
from chunking.model import BUILT_IN, BlockType, Document
from chunking.parsing import (
    PARSERS,
    ChildLimits,
    Parser,
    format_named,
    parse,
    parse_all_guarded,
    parse_guarded,
    parser_named,
    parsers_for,
    register_parser,
)
from chunking.parsing.sandbox.wire import documents_frame, read_documents
from chunking.splitting import chunk_document
from tests.support.mails import mail_with
from tests.support.toy_parsers import installed_parsers

NOTES = b"# Owls\n\n- They *fly* by night.\n- The secret is their wing.\n"
PAGE = (
    b"<html><body><h1>Owls</h1><p>They fly by night.</p><h2>Food</h2><ul><li>Mice</li><li>Voles</li></ul>"
    b"<table><tr><th>Owl</th><th>Weight</th></tr><tr><td>Barn</td><td>300 g</td></tr></table></body></html>"
)


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with installed_parsers(tmp_path / "packages", monkeypatch):
        yield


def texts(document: Document) -> list[tuple[BlockType, str]]:
    return [(block.type, document.text[block.start : block.end]) for block in document.blocks]


def test_unstructured_elements_become_blocks_with_exact_spans() -> None:
    """Headings with their levels, paragraphs, a list and a table; sections and chunks are made of them."""
    document = parse_guarded(PAGE, "owls.html", parser="unstructured")
    assert (document.parser, document.format) == ("unstructured", "html")
    assert texts(document)[:3] == [
        (BlockType.HEADING, "Owls"),
        (BlockType.PARAGRAPH, "They fly by night."),
        (BlockType.HEADING, "Food"),
    ]
    assert [kind for kind, _ in texts(document)[3:]] == [BlockType.LIST, BlockType.TABLE]
    assert "| Barn | 300 g |" in texts(document)[-1][1]
    assert [section.title_path for section in document.sections] == [("Owls",), ("Owls", "Food")]
    chunks = list(chunk_document(document))
    assert all(chunk.content == document.text[chunk.start : chunk.end] for chunk in chunks)
    assert "Voles" in "".join(chunk.content for chunk in chunks)


def test_a_text_is_decoded_before_unstructured_reads_it() -> None:
    """Its own guess of the encoding would be another."""
    document = parse_guarded(
        "第一章\n\n保修期是两年。\n".encode("gb18030"), "a.txt", encoding="gb18030", parser="unstructured"
    )
    assert "保修期是两年。" in document.text
    assert document.encoding == "gb18030"


@pytest.mark.usefixtures("toys")
def test_a_parser_of_a_package_is_read_in_the_guarded_process() -> None:
    """It is told the format of the file, and the document says who read it."""
    document = parse_guarded(NOTES, "owls.md", parser="lines")
    assert texts(document) == [(BlockType.HEADING, "Owls"), (BlockType.PARAGRAPH, "They *fly* by night.")]
    assert (document.parser, document.warnings) == ("lines", ("Read as markdown.",))
    assert read_documents(documents_frame([document])) == (document,)
    names = [row.name for row in parsers_for(format_named("markdown"))]
    assert names[:2] == [BUILT_IN, "unstructured"]
    assert "lines" in names
    assert "missing" not in names
    assert "lines" not in [row.name for row in parsers_for(format_named("pdf"))]


@pytest.mark.usefixtures("toys")
def test_markup_is_cleaned_only_from_the_text_of_the_built_in_parser() -> None:
    """A star in the text of another parser is no emphasis."""
    ours, theirs = (next(iter(chunk_document(parse(NOTES, "owls.md", parser=name)))) for name in (BUILT_IN, "lines"))
    assert "*fly*" not in ours.embedding_content
    assert "*fly*" in theirs.embedding_content


@pytest.mark.usefixtures("toys")
def test_files_inside_a_file_are_read_by_the_built_in_parser() -> None:
    """They are not lost, though the parser knows nothing of attachments."""
    own, inner = parse_all_guarded(mail_with({"owl.txt": "The owl sleeps."}), "mail.eml", parser="lines")
    assert (own.parser, inner.parser) == ("lines", BUILT_IN)
    assert inner.text.strip() == "The owl sleeps."


@pytest.mark.usefixtures("toys")
def test_a_format_that_a_parser_does_not_read_is_read_by_the_built_in_one() -> None:
    """With a note that says so."""
    document = parse(PAGE, "owls.html", parser="lines")
    assert document.parser == BUILT_IN
    assert any("Lines" in warning for warning in document.warnings)
    assert texts(document) == texts(parse(PAGE, "owls.html"))


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nothing", ("Nothing", "no text", "owls.md")),
        ("twice", ("Twice", "overlap", "owls.md")),
        ("fails", ("Fails", "KeyError", "boom", "owls.md")),
        ("missing", ("Missing", "install")),
        ("gone", ("'gone'", "lines", BUILT_IN)),
    ],
)
def test_a_parser_that_goes_wrong_is_one_sentence(name: str, words: tuple[str, ...]) -> None:
    """Of the guarded process too: it names the parser, and the file where the parser saw it."""
    with pytest.raises(ParseError) as error:
        parse_guarded(NOTES, "owls.md", parser=name)
    assert all(word in str(error.value) for word in words), error.value


@pytest.mark.usefixtures("toys")
def test_a_parser_that_takes_too_long_is_ended() -> None:
    """At the limits of every file; the sentence names the parser."""
    with pytest.raises(TooLargeError, match="Slow"):
        parse_guarded(NOTES, "owls.md", parser="slow", limits=replace(ChildLimits(), wall=1))


def test_an_operator_decides_on_unstructured() -> None:
    """Where it is not allowed, it is neither offered nor read with."""
    allow(Allowed(everything=False))
    assert [row.name for row in PARSERS if row.is_offered] == [BUILT_IN]
    with pytest.raises(ParseError):
        parser_named("unstructured")
    with pytest.raises(ParseError):
        parse_guarded(NOTES, "owls.md", parser="unstructured")


def test_a_program_can_add_a_parser_for_itself() -> None:
    """Until it removes it; a name is given once."""
    row = Parser(name="mine", label="Mine", description="a toy", reader=lambda raw: parsed(raw.data))
    undo = register_parser(row)
    assert parse(NOTES, "owls.md", parser="mine").parser == "mine"
    with pytest.raises(ValueError, match="already"):
        register_parser(row)
    undo()
    with pytest.raises(ParseError, match="mine"):
        parse(NOTES, "owls.md", parser="mine")


def parsed(data: bytes):  # type: ignore[no-untyped-def]
    """One paragraph."""
    from chunking.parsing.builder.text_builder import Writer

    writer = Writer("owls.md")
    writer.block(BlockType.PARAGRAPH, data.decode())
    return writer.finish()
