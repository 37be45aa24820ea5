"""Hostile and odd sources: bounded work, and text that is kept whatever its form."""

from __future__ import annotations

import pytest

from chunking.errors import ParseError
from chunking.model import BlockType
from chunking.parsing import parse
from chunking.parsing.formats.code import reader, syntax_trees
from chunking.parsing.sandbox import parse_guarded
from tests.support.laws_documents import check

_LARGE = 5_000_000


@pytest.mark.parametrize(
    "data",
    [
        b"(" * _LARGE,
        b"[{" * (_LARGE // 2),
        b"(" * 100_000 + b")" * 100_000,
        b"function a(){return 1}" * (_LARGE // 22),
        b"/*" + b"*" * _LARGE,
        b"'" * _LARGE,
    ],
    ids=["open", "pairs", "nested", "functions", "comment", "quotes"],
)
def test_generated_code_on_one_line_has_no_sections(data: bytes) -> None:
    """Is what a program wrote for another: code without sections."""
    for name in ("a.js", "a.py", "a.sql", "a.unknown.R"):
        document = parse(data, name)
        assert [block.type for block in document.blocks] == [BlockType.CODE]
        assert document.blocks[0].end == len(data)


@pytest.mark.parametrize(
    "data", [b"(" * 300 + b"\n", b"()" * 150 + b"\n", b"{[(" * 100 + b"\n", b"if a { \n", b"a<b<\n", b"x = '\n$a$ \n"]
)
@pytest.mark.parametrize("name", ["a.js", "a.py", "a.cpp", "a.sql", "a.php"])
def test_many_lines_in_the_guarded_process(name: str, data: bytes) -> None:
    """Brackets and the like over half a million characters end, and lose nothing."""
    document = parse_guarded(data * (500_000 // len(data)), name)
    check(document)
    assert document.format == "code"


def test_nesting_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deeper brackets cost the parser memory: such a source is read by its lines, and a warning says so."""
    monkeypatch.setattr(syntax_trees, "MAX_NESTING", 10)
    document = parse(b"class A:\n    x = " + b"(" * 11 + b")" * 11 + b"\n\ndef f(): ...\n", "a.py")
    assert [section.title for section in document.sections] == ["class A", "f"]
    assert len(document.warnings) == 1


def test_steps_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parser is stopped by the number of its steps."""
    monkeypatch.setattr(syntax_trees, "MAX_CALLS", 5)
    monkeypatch.setattr(syntax_trees, "_CALLS_A_BYTE", 0)
    document = parse(b"def f():\n    return 1\n" * 1_000, "a.py")
    assert len(document.warnings) == 1
    assert len(document.sections) == 1_000


def test_nodes_and_definitions_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands behind is code of its file."""
    source = b"def f(): ...\n" * 100
    monkeypatch.setattr(syntax_trees, "MAX_NODES", 50)
    some = parse(source, "a.py")
    assert 1 < len(some.sections) < 100
    assert len(some.warnings) == 1
    monkeypatch.setattr(reader, "MAX_DEFINITIONS", 20)
    none = parse(source, "a.py")
    assert (len(none.sections), len(none.warnings)) == (1, 1)


def test_data_is_not_walked() -> None:
    """A function behind a million numbers is found."""
    document = parse(
        b"int x[] = {\n" + b"1, 2, 3, 4, 5, 6, 7, 8,\n" * 60_000 + b"};\nint f(void) { return 1; }\n", "a.c"
    )
    assert [section.title for section in document.sections if not section.title_made] == ["f"]
    assert document.warnings == ()


def test_classes_in_classes() -> None:
    """Six levels are sections, what is deeper is part of them."""
    document = parse("".join(f"{' ' * n}class A{n}:\n" for n in range(60)).encode() + b" " * 60 + b"x = 1\n", "a.py")
    check(document)
    assert [section.level for section in document.sections] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\0\1\2" * 1_000, "binary"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 10, "PNG"),
        (b" \n", "empty"),
        (b"\x7fELF" + bytes(500), "a.py"),
    ],
)
def test_a_file_that_is_no_source_is_refused(data: bytes, words: str) -> None:
    """A sentence says what it is."""
    with pytest.raises(ParseError, match=words):
        parse(data, "a.py")


def test_half_a_surrogate_pair_and_a_nul() -> None:
    """Cannot be kept in a text, and move nothing."""
    document = parse(b"x = '\x00'\n\n\ndef f():\n    return '\xed\xa0\x80'\n", "a.py", encoding="utf-8")
    check(document)
    assert [section.title for section in document.sections][-1] == "f"


def test_a_page_of_php() -> None:
    """PHP in a web page is PHP by its ending; a page that was only saved under it is a page."""
    page = b"<!DOCTYPE html><html><body><?php\nfunction f() { }\n?><p>x</p></body></html>\n"
    assert parse(page, "a.php").format == "code"
    assert parse(page, "a.html").format == "html"
    assert parse(page.replace(b"<?php", b"").replace(b"?>", b""), "a.php").format == "html"
