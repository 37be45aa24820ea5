"""Source code: classes and functions are sections with exact spans, in every language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import chunk_document
from chunking.config import ChunkConfig, Config, Keep, Unit
from chunking.model import BlockType, Document
from chunking.parsing import parse
from chunking.viewing.messages.code_tokens import code_tokens
from tests.parsing.formats.code.small_sources import SOURCES, Source
from tests.parsing.formats.markup.markup_files import outline
from tests.support.laws_chunks import check_cutting
from tests.support.laws_documents import check


def read(text: str, name: str) -> Document:
    """A lawful document whose text is its source."""
    document = parse(text.encode(), name)
    check(document)
    assert (document.format, document.text, document.title) == ("code", text, name)
    return document


def blocks(document: Document) -> list[str]:
    """The text of each block."""
    return [document.text[block.start : block.end] for block in document.blocks]


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_classes_and_functions_are_found_in_every_language(source: Source) -> None:
    """Each finds its classes and functions, by their names and in one another, and has a lexer."""
    document = read(source.text, source.name)
    assert document.warnings == ()
    assert tuple(outline(document)) == source.sections
    assert {block.meta["language"] for block in document.blocks if block.type is BlockType.CODE} == {source.language}
    assert any(code_tokens(text, source.language) for text in blocks(document))
    check_cutting(document)


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_foreign_line_ends_end_lines_of_code(source: Source, line_end: str) -> None:
    """Are line ends."""
    document = read(source.text.replace("\n", line_end), source.name)
    assert tuple(outline(document)) == source.sections


def test_what_belongs_to_a_function() -> None:
    """Comments, decorators and attributes right before it, not the comment behind other code or above an empty line."""
    document = read(
        "import os  # for paths\n# Not his.\n\n# His\n# own.\n@one\n@two(\n    1)\ndef f():\n"
        "    pass\n\n\nx = 1  # not hers\ndef g(): pass\n",
        "a.py",
    )
    assert blocks(document) == [
        "import os  # for paths",
        "# Not his.",
        "# His\n# own.\n@one\n@two(\n    1)\ndef f():\n    pass",
        "x = 1  # not hers",
        "def g(): pass",
    ]


def test_code_between_functions_is_no_part_of_them() -> None:
    """It is a section of the class or file around it, and a function holds what is defined in it."""
    document = read(
        (
            "class A:\n    def f(self):\n        def inner(): ...\n        return inner\n\n    x = 1\n\n    def "
            "g(self): ...\n\n\ny = 2\n"
        ),
        "a.py",
    )
    paths = [(section.title, section.title_path, section.title_made) for section in document.sections]
    assert paths == [
        ("class A", ("class A",), False),
        ("f", ("class A", "f"), False),
        ("x = 1", ("class A",), True),
        ("g", ("class A", "g"), False),
        ("y = 2", (), True),
    ]


def test_what_closes_a_class_stays_with_its_last_member() -> None:
    """No block, and so no chunk, is a bracket."""
    document = read(
        "class A {\n  void f() { }\n  class B {\n    void g() { }\n  };\n}  // A\n;\nvoid h() { }\n", "a.cpp"
    )
    assert blocks(document) == [
        "class A {",
        "  void f() { }",
        "  class B {",
        "    void g() { }\n  };\n}  // A\n;",
        "void h() { }",
    ]


def test_functions_stay_whole_where_they_fit() -> None:
    """And alone, where code is to have chunks of its own; a class that fits is one chunk else."""
    source = "\n\n".join(f"def f{n}(a):\n    b = a + {n}\n\n    return b" for n in range(20))
    document = read(f"import os\n\n{source}\n\nclass A:\n    def g(self): ...\n\n    def h(self): ...\n", "a.py")
    functions = [text for text in blocks(document) if text.startswith("def f")]
    assert len(functions) == 20
    for size in (60, 200):
        alone = chunk_document(
            document, Config(chunk=ChunkConfig(unit=Unit.CHARACTERS, size=size, overlap=0, own_chunk=(Keep.CODE,)))
        )
        assert set(functions) <= {chunk.content for chunk in alone}
    chunks = chunk_document(document, Config(chunk=ChunkConfig(unit=Unit.CHARACTERS, size=100, overlap=0, min_size=0)))
    assert all(any(text in chunk.content for chunk in chunks) for text in functions)
    together = [chunk.content for chunk in chunk_document(document, Config(chunk=ChunkConfig(size=300)))]
    assert "class A:\n    def g(self): ...\n\n    def h(self): ..." in together


def test_a_large_function_is_cut_between_statements() -> None:
    """Not in the middle of one, where there is a place beside."""
    calls = "".join(f"    call_{n}(\n        one,\n        two,\n        three,\n    )\n" for n in range(30))
    document = read(f"def long():\n{calls}", "a.py")
    chunks = chunk_document(document, Config(chunk=ChunkConfig(unit=Unit.CHARACTERS, size=250, overlap=0)))
    assert len(chunks) > 5
    assert all(chunk.content.lstrip().startswith(("def", "call_")) for chunk in chunks)


@pytest.mark.parametrize(
    ("name", "source", "titles"),
    [
        (
            "a.py",
            "class A:\n    def one(self):\n        return 1\n\n    def two(self:\n"
            "        return f(1\n\n    def three(self): ...\n\n\ndef four(): ...\n",
            5,
        ),
        ("a.go", "package a\nfunc One() {\n\tif x {\n}\nfunc Two() { }\ntype T struct {\n", 3),
        ("A.java", "class A {\n    void one() { int x = ; }\n    void two() { }\n", 3),
        ("a.js", "class A {\n  one() { return [1; }\n  two() { }\n}\nfunction three() { }\n", 4),
        (
            "a.cs",
            "namespace A {\n  class B {\n    void One() { }\n    int this { get }}\n    void Two() { }\n  }\n}\n",
            4,
        ),
        ("a.kt", "class A(val k: Int) {\n    fun one() = k\n}\n\ninterface Store { fun put() }\n", 4),
        ("a.rs", "impl A {\n    fn one() { let x = ; }\n    fn two() { }\n", 3),
        ("a.py", "def old():\n    print 'x'\n    exec 'y'\n", 1),
    ],
)
def test_faulty_source_is_read_as_far_as_possible(name: str, source: str, titles: int) -> None:
    """A source with faults is read as far as it goes, and nothing of it is lost."""
    document = read(source, name)
    assert len(outline(document)) == titles


@pytest.mark.parametrize(
    ("name", "source", "titles"),
    [
        (
            "a.R",
            "# Turns.\nrotate <- function(key,\n                   twice\n) {\n"
            "  inner <- function() 1\n}\n\nstart = function() NULL\nx <- 1\n",
            ["rotate", "start"],
        ),
        ("a.pl", "sub rotate {\n  my $x = 1;\n}\n\nsub start { 1 }\n", ["rotate", "start"]),
        ("a.ps1", "function Get-Key {\n  param($a)\n}\nclass Gate\n{\n}\n", ["Get-Key", "class Gate"]),
        ("a.hs", "main :: IO ()\nmain = print 1\n", []),
    ],
)
def test_languages_without_a_grammar(name: str, source: str, titles: list[str]) -> None:
    """Are read by their lines, where these say what is defined; else they are code without sections."""
    document = read(source, name)
    assert [title for _, title in outline(document)] == titles
    assert {block.type for block in document.blocks} == {BlockType.CODE}


@pytest.mark.parametrize(
    ("source", "titles"),
    [
        (
            "USE [db]\nGO\n-- Turns.\nCREATE PROC [dbo].[Rotate] @key INT AS\nBEGIN\n"
            "  CREATE TABLE #t (a INT);\n  SELECT 1;\nEND\nGO\nCREATE TABLE t (a INT)\nGO\n",
            ["procedure dbo.Rotate", "table t"],
        ),
        (
            "CREATE OR REPLACE PACKAGE BODY p AS\n  PROCEDURE a IS\n    v NUMBER;\n  BEGIN\n"
            "    NULL;\n  END a;\nEND p;\n/\nCREATE TABLE t (a NUMBER);\n",
            ["package body p", "table t"],
        ),
        (
            "DELIMITER //\nCREATE DEFINER=`a`@`b` PROCEDURE `p`()\nBEGIN\n  SELECT 'it\\'s; //';\n"
            "  UPDATE t SET a = 1;\nEND //\nDELIMITER ;\nCREATE VIEW v AS SELECT 1;\n",
            ["procedure p", "view v"],
        ),
        (
            "CREATE FUNCTION a.f() RETURNS int AS $f$ BEGIN RETURN 1; END; $f$ LANGUAGE plpgsql;\n"
            "CREATE FUNCTION g() RETURNS int AS 'select 1;' LANGUAGE sql;\n",
            ["function a.f", "function g"],
        ),
        (
            "CREATE TRIGGER IF NOT EXISTS g AFTER INSERT ON t BEGIN\n"
            "  UPDATE t SET a = CASE WHEN 1 THEN 2 END;\n  SELECT 1;\nEND;\n"
            "create unique index i on t (a);\n",
            ["trigger g", "index i"],
        ),
        (
            (
                "CREATE PROCEDURE p AS\nDECLARE @a INT;\nSET @a = 1;\nGO\n/* v */\nCREATE OR ALTER VIEW [my "
                "view] AS SELECT 1\n"
            ),
            ["procedure p", "view my view"],
        ),
        ("SELECT 'CREATE TABLE a (b int);' -- CREATE TABLE c\n;\n", []),
    ],
)
def test_dialects_of_sql(source: str, titles: list[str]) -> None:
    """What a script creates is a section with its whole statement."""
    document = read(source, "a.sql")
    assert [title for _, title in outline(document)] == titles
    assert not any(text.strip() in (";", "GO", "/", "END") for text in blocks(document))


@pytest.mark.parametrize(
    ("name", "data", "encoding", "text"),
    [
        ("a.py", b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "iso8859-1", "x = 'é'"),
        ("a.py", b"#!/usr/bin/python\n# vim: set fileencoding=cp1251 :\nx = '\xe9'\n", "cp1251", "x = 'й'"),
        ("a.rb", "# encoding: euc-jp\ndef a\n  'あ'\nend\n".encode("euc-jp"), "euc_jp", "'あ'"),
        ("a.py", "# coding: latin-1\nx = 'é'\n".encode("utf-8-sig"), "utf-8", "x = 'é'"),
        ("a.py", "x = 1\n\n# coding: latin-1 is not said here\ny = 'é'\n".encode(), "utf-8", "y = 'é'"),
        ("a.py", b"# coding: utf-7\nx = '+AGE-'\n", "utf-8", "'+AGE-'"),
        ("a.py", b"# coding: hex\nx = 1\n", "utf-8", "x = 1"),
        ("a.go", "package a\n\nfunc Größe() {}\n".encode("utf-16"), "utf-16-le", "func Größe"),
    ],
)
def test_the_encoding_comment_of_python_counts(name: str, data: bytes, encoding: str, text: str) -> None:
    """The comment of PEP 263 counts, where all of the file is in what it says and ASCII is itself in that."""
    document = parse(data, name)
    check(document)
    assert document.encoding == encoding
    assert text in document.text


_NAMES = st.from_regex(r"[a-zé芦][a-z0-9_é芦]{0,8}", fullmatch=True)
_FUNCTIONS = {
    "a.py": "# {0} 🦆\n@once\ndef f{0}(a, b='é'):\n\treturn {{a: [b]}}",
    "a.js": "/** {0} 🦆 */\nexport async function f{0}(a) {{\n  return `${{a}}`;\n}}",
    "a.ts": "const f{0} = <T,>(a: T): T => {{ return a; }}",
    "a.go": "// f{0} 🦆\nfunc f{0}(a int) (int, error) {{\n\treturn a, nil\n}}",
    "a.rs": "/// {0}\n#[inline]\npub fn f{0}<T>(a: T) -> T {{ a }}",
    "a.c": "/* {0} 🦆 */\nstatic int *f{0}(int a)\n{{\n  return 0;\n}}",
    "a.rb": "# {0}\ndef f{0}(a)\n  a if a\nend",
    "a.sh": 'f{0}() {{\n  echo "$1 🦆"\n}}',
    "a.lua": "--- {0} 🦆\nlocal function f{0}(a)\n  return a\nend",
    "a.kt": "/** {0} 🦆 */\nfun f{0}(a: Int): Int {{\n    return a\n}}",
    "a.sql": "-- {0} 🦆\nCREATE FUNCTION f{0}(a int) RETURNS int AS $$\nBEGIN\n  RETURN a;\nEND;\n$$ LANGUAGE plpgsql;",
}


@given(
    st.sampled_from(sorted(_FUNCTIONS)),
    st.lists(_NAMES, min_size=1, max_size=6),
    st.sampled_from(["\n", "\n\n", "\n\n\n"]),
    st.booleans(),
)
def test_all_functions_of_any_file_are_found(name: str, names: list[str], gap: str, old: bool) -> None:
    """Each with its exact span, whatever letters and line ends there are."""
    if name in ("a.sh", "a.lua", "a.c"):
        names = [each.encode("ascii", "ignore").decode() or "x" for each in names]
    functions = [_FUNCTIONS[name].format(each).replace("\n", "\r\n" if old else "\n") for each in names]
    document = read(gap.join(functions), name)
    assert [title for _, title in outline(document)] == [
        f"{'function ' if name == 'a.sql' else ''}f{each}" for each in names
    ]
    assert blocks(document) == functions
    check_cutting(document)


@given(
    st.lists(
        st.sampled_from(
            [
                "{",
                "}",
                "(",
                ")",
                "class A",
                "def f",
                ":",
                "\n",
                "  ",
                '"',
                "'",
                "é🦆",
                ";",
                "=>",
                "#",
                "/*",
                "--",
                "CREATE TABLE t",
            ]
        )
    ),
    st.sampled_from(SOURCES),
)
def test_no_text_is_lost(pieces: list[str], source: Source) -> None:
    """Whatever stands in a source, its blocks cover it."""
    text = source.text[:60] + " ".join(pieces)
    check(parse(text.encode(), source.name))
