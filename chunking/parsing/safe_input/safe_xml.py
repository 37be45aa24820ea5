"""Parse untrusted XML without following any entity, file or address in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chunking.errors import ParseError, TooLargeError

if TYPE_CHECKING:
    from lxml.etree import XMLSyntaxError, _Element

__all__ = ["MAX_DEPTH", "damaged", "parse_xml"]

MAX_DEPTH = 256
"""Maximum nesting of elements (libxml2's own limit)."""


def parse_xml(data: bytes, source: str, *, part: str = "") -> _Element:
    """Return the root of an XML document, without comments and processing instructions.

    A document type is allowed and ignored (XHTML and NCX name one); one that declares entities is refused, since these
    unfold to gigabytes or read files. An undeclared entity stays as a node of its own.

    Args:
        data: the whole document, in whatever encoding it declares.
        source: the file's name, for sentences.
        part: of the file, such as `word/document.xml`.
    Raises:
        TooLargeError: elements more than `MAX_DEPTH` deep, or entities that unfold to too much.
        ParseError: not well-formed, or it declares entities.

    >>> parse_xml(b"<a>x<!-- y --></a>", "a.xml").text
    'x'
    """
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    place = f"{source} ({part})" if part else source
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        if error.code == etree.ErrorTypes.ERR_RESOURCE_LIMIT:
            sentence = (
                f"{place} is built to take up too much memory (nested too deep, or entities without end), so it "
                f"was not opened."
            )
            raise TooLargeError(sentence, where=source) from error
        raise damaged(error, source, part=part) from error
    declared = root.getroottree().docinfo.internalDTD
    if declared is not None and any(True for _ in declared.iterentities()):
        sentence = (
            f"{place} declares XML entities, which documents do not need and attacks do; save it again with "
            f"another program."
        )
        raise ParseError(sentence, where=source)
    return root


def damaged(error: XMLSyntaxError, source: str, *, part: str) -> ParseError:
    """Return the error for malformed XML, with its position and no quote of the file."""
    line, column = error.position
    place = f"{part}, line {line:,}" if part else f"line {line:,}"
    return ParseError(
        f"{source} holds damaged XML ({place}, column {column:,}); save it again with the program that made it.",
        where=source,
    )
