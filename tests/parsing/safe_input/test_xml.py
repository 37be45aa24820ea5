"""The XML parser everything goes through: nothing outside the document is read, and what is hostile is a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.errors import ParseError, TooLargeError
from chunking.parsing.safe_input.safe_xml import MAX_DEPTH, parse_xml

LAUGHS = b"".join(b'<!ENTITY l%d "%s">' % (n, b"&l%d;" % (n - 1) * 10) for n in range(1, 12))


def test_text_and_names() -> None:
    """Elements come with their names and text; comments and instructions do not."""
    root = parse_xml(
        "<?xml version='1.0' encoding='utf-16'?><a xmlns='urn:x'>中<!-- no --><?no no?><b/>文</a>".encode("utf-16"),
        "a.xml",
    )
    assert (root.tag, "".join(root.itertext())) == ("{urn:x}a", "中文")


def test_a_document_type_is_not_loaded(tmp_path: Path) -> None:
    """What the file it names declares is unknown: the entity stays a node of its own."""
    types = tmp_path / "types.dtd"
    types.write_text('<!ENTITY secret "hidden words">')
    root = parse_xml(f'<!DOCTYPE p SYSTEM "{types.as_uri()}"><p>a&secret;b</p>'.encode(), "a.xhtml")
    assert [root.text, root[0].text, root[0].tail] == ["a", "&secret;", "b"]


@pytest.mark.parametrize(
    "declared",
    [
        '<!ENTITY a SYSTEM "{file}">',
        '<!ENTITY % a SYSTEM "{file}"> %a;',
        '<!ENTITY a "text">',
        '<!ENTITY a SYSTEM "http://127.0.0.1:9/">',
    ],
)
def test_declared_entities_are_refused(declared: str, tmp_path: Path) -> None:
    """Internal and external, general and parameter: one sentence, and nothing of the file in it."""
    secret = tmp_path / "secret.txt"
    secret.write_text("hidden words")
    document = f"<!DOCTYPE x [{declared.replace('{file}', secret.as_uri())}]><x>&a;</x>"
    with pytest.raises(ParseError, match=r"^bad\.docx \(word/document\.xml\) .*entities.*\.$") as caught:
        parse_xml(document.encode(), "bad.docx", part="word/document.xml")
    assert "hidden" not in str(caught.value)


def test_billion_laughs_are_refused() -> None:
    """In an attribute, where entities unfold whatever the parser is told, and in text."""
    laughs = b'<!DOCTYPE x [<!ENTITY l0 "' + b"ha" * 500 + b'">' + LAUGHS + b"]>"
    with pytest.raises(TooLargeError, match="memory"):
        parse_xml(laughs + b'<x t="&l11;"/>', "a.odt")
    with pytest.raises(ParseError, match="entities"):
        parse_xml(laughs + b"<x>&l11;</x>", "a.odt")


def test_depth_has_a_limit() -> None:
    """A sentence beyond it, a tree up to it."""
    assert parse_xml(b"<a>" * (MAX_DEPTH - 2) + b"</a>" * (MAX_DEPTH - 2), "a.xml") is not None
    with pytest.raises(TooLargeError, match=r"^a\.xml "):
        parse_xml(b"<a>" * 100_000 + b"</a>" * 100_000, "a.xml")


@pytest.mark.parametrize("data", [b"", b"words", b"<a><b></a>", b"<a>", b"\x00\x01", "<a xmlns:b='\u202e'/>".encode()])
def test_damage_is_a_sentence(data: bytes) -> None:
    """What is not well-formed, and where; nothing of the file is in it."""
    with pytest.raises(ParseError, match=r"^a\.xml holds damaged XML \(line 1, column \d+\); .*\.$"):
        parse_xml(data, "a.xml")
