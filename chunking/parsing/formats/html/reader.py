"""Read a web page: parse, prune, walk."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TYPE_CHECKING

from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.builder.text_builder import Writer
from chunking.parsing.formats.html.element_marks import name_headings
from chunking.parsing.formats.html.headings.guessing import guess_headings
from chunking.parsing.formats.html.html_elements import HEADINGS
from chunking.parsing.formats.html.html_tree import Page, parse_page
from chunking.parsing.formats.html.pruning import prune
from chunking.parsing.formats.html.walker import MARK, walk

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["PageFacts", "SectionMark", "read_html", "write_html"]

_FILE_NAME = re.compile(r"\S*|.*\.(?:html?|docx?|rtf|pdf|txt)", re.IGNORECASE)
"""A title that is just a file name."""
_NEAR = 120
"""Most characters between a target in the contents and its heading."""
_NEAR_ELEMENTS = 40


@dataclass(frozen=True, slots=True)
class SectionMark:
    """Label and level of a section that a table of contents places at an element of a page."""

    label: str
    level: int
    """1 to 6."""
    over_heading: bool = True
    """True if a heading at this place takes this level."""


@dataclass(frozen=True, slots=True)
class PageFacts:
    """Title, language, encoding, warnings and heading level shift of a page that was written."""

    title: str | None = None
    language: str | None = None
    """Value of the `lang` attribute."""
    encoding: str = "utf-8"
    warnings: tuple[str, ...] = ()
    level_shift: int = 0
    """Amount added to heading levels at the page's end, for a page that continues it."""
    guessed: bool = False
    """True if all headings were guessed."""


def read_html(raw: RawFile) -> Reading:
    """Read a web page; its headings are guessed if it has few or no h1 to h6.

    Raises:
        ParseError: the bytes are no text.
        TooLargeError: over a limit of the parser, of a table, or of the text.
    """
    writer = Writer(raw.source)
    facts = write_html(raw.data, writer, source=raw.source, encoding=raw.encoding, guess=True)
    reading = writer.finish(title=facts.title, encoding=facts.encoding, warnings=facts.warnings)
    named = facts.guessed and facts.title and not _FILE_NAME.fullmatch(facts.title)
    return replace(reading, title_rules=True) if named else reading


def write_html(
    page: bytes | _Element,
    writer: Writer,
    *,
    source: str,
    encoding: str | None = None,
    base_level: int = 0,
    marks: Mapping[str, SectionMark] | None = None,
    guess: bool = False,
    word_processed: bool = False,
    classes: Mapping[str, Mapping[str, object]] | None = None,
) -> PageFacts:
    """Parse, prune and walk a page, and write its blocks and left-out text to a writer.

    Args:
        page: its bytes; or the root of a tree without comments, which is used up: `role`, `aria-level`, superscripts
            and subscripts of a tree are ignored.
        writer: takes the blocks; several pages may share it.
        source: the file's name, for sentences.
        encoding: of the bytes, if a user or container states it; None: detect.
        base_level: added to every heading level; levels stay within 1 to 6.
        marks: sections by the `id` of the element where they start, or "" for the start of the page. A heading there,
            or a line with the same words, takes the mark's level, and the headings after it shift along; otherwise the
            label is written.
        guess: guess headings by typography, numbers and links if the page has few or no h1 to h6.
        classes: `meta` of headings by their class, for pages whose headings were guessed at their source.
        word_processed: a word processor made the page's tables (`nested_tables`).
    Raises:
        ParseError: the bytes are no text.
        TooLargeError: over a limit of the parser, of a table, or of the text.
    """
    parsed = parse_page(page, source, encoding) if isinstance(page, bytes) else Page(page)
    root = parsed.root
    if root is None:
        return PageFacts(encoding=parsed.encoding, warnings=parsed.warnings)
    if marks:
        _place(root, marks)
    lowered = None if parsed.markup is None else parsed.markup.lower()
    if lowered is not None:
        name_headings(root, lowered)
    guessed = guess_headings(root) if guess else {}
    for heading in root.iter(*HEADINGS) if classes else ():
        if classes and (meta := classes.get(heading.get("class") or "")):
            guessed[heading] = meta
    all_guessed = bool(guessed) and all(heading in guessed for heading in root.iter(*HEADINGS))
    facts = prune(root, lowered, word_processed=word_processed)
    shift = walk(root, writer, base_level=base_level, source=source, guessed=guessed)
    writer.leave_out("\n".join(facts.controls), "buttons, edit links, line numbers")
    return PageFacts(facts.title, facts.language, parsed.encoding, parsed.warnings, shift, all_guessed)


def _place(root: _Element, marks: Mapping[str, SectionMark]) -> None:
    """Insert a mark where each section starts: before its heading, if close."""
    body = next(root.iter("body"), root)
    places = {element.get("id") or element.get("name"): element for element in root.xpath("//*[@id]|//a[@name]")}
    starts = {identity: places.get(identity) if identity else body for identity in marks}
    others = set(starts.values())
    for identity, mark in marks.items():
        element = starts[identity]
        if element is None:
            continue
        level, over = str(mark.level), "yes" if mark.over_heading else "no"
        added = body.makeelement(MARK, label=mark.label, level=level, over=over)
        place = _heading_near(element, others)
        if place is None and element is body:
            added.tail, body.text = body.text, None
            body.insert(0, added)
        else:
            (element if place is None else place).addprevious(added)


def _heading_near(element: _Element, others: Container[_Element]) -> _Element | None:
    """Heading at, around, in or close after an element, at most a line of text away."""
    length = 0
    for node in chain(element.iterancestors(*HEADINGS), islice(_onward(element), _NEAR_ELEMENTS)):
        if node is not element and node in others:
            return None
        if node.tag in HEADINGS:
            return node
        length += sum(len(text.strip()) for text in (node.text, node.tail) if text)
        if length > _NEAR:
            return None
    return None


def _onward(element: _Element) -> Iterator[_Element]:
    """Yield an element, its descendants and all elements that follow, in order."""
    yield from element.iter()
    for ancestor in chain([element], element.iterancestors()):
        for after in ancestor.itersiblings():
            yield from after.iter()
