"""Read a presentation slide by slide, in display order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from chunking.display import first_names
from chunking.errors import ParseError, TooLargeError
from chunking.model import BlockType
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.builder.text_builder import Piece, Writer
from chunking.parsing.formats.office.file_comments import Comment, not_read, write_comments
from chunking.parsing.formats.office.office_parts import OfficePart, Package, attribute, local_name, whole_number
from chunking.parsing.formats.office.pptx.graphics import write_graphic
from chunking.parsing.formats.office.pptx.shapes import TITLES, Shape, SlideLayout, read_shapes
from chunking.parsing.formats.office.pptx.text import SlideParagraph, paragraphs_of, write_paragraphs

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["read_slides"]

_FURNITURE = {
    "ftr": "footer of the slide",
    "dt": "date of the slide",
    "sldNum": "number of the slide",
    "hdr": "header of the slide",
}
_NO_NOTES = frozenset({"sldImg", "sldNum", "dt", "hdr", "ftr"})
_WIDTH, _HEIGHT = 9_144_000, 6_858_000
_GUESSED = re.compile(r"automatically generated|自动生成|自動產生", re.IGNORECASE)
_MOST_NAMED = 8
_NO_TITLES = frozenset(
    {"PowerPoint Presentation", "Presentation", "PowerPoint 演示文稿", "演示文稿", "幻灯片 1", "Slide 1"}
)
"""Default titles written by programs."""


def read_slides(raw: RawFile) -> Reading:
    """Read a PPTX file: a section per slide, with its speaker notes and comments (if requested).

    The heading is the slide's title; a slide without one opens a section titled by its first words. Places are those of
    the shapes. Dates, footers and slide numbers are left out, as on any page. Hidden slides are read, with a warning;
    damaged ones become warnings if another has text.

    Raises:
        ParseError: it is no presentation, or too damaged to read any slide.
        TooLargeError: over a limit of archives, XML or texts.
    """
    package = Package(raw)
    main = package.main("presentation")
    root = package.root(main)
    slides = list(_slide_parts(package, main, root))
    deck = _Deck(package, Writer(raw.source), _size(root), SlideComments(package, main), raw.comments)
    for number, part in enumerate(slides, 1):
        deck.read(number, part)
    if deck.damaged and not deck.writer.next_start:
        raise ParseError(
            f"{raw.source} cannot be read: its slides are damaged; save it again with the program that made it.",
            where=raw.source,
        )
    title = package.title()
    return deck.writer.finish(
        title=None if title in _NO_TITLES else title, warnings=deck.warnings(), page_count=len(slides)
    )


def _slide_parts(package: Package, main: str, root: _Element) -> Iterator[str]:
    """Parts of the slides, each once, in presentation order."""
    related, visited = package.related(main), set()
    for entry in root.iterfind("{*}sldIdLst/{*}sldId"):
        slide = related.get(attribute(entry, "id") or "")
        if slide is not None and slide.part not in visited:
            visited.add(slide.part)
            yield slide.part


def _size(root: _Element) -> tuple[float, float]:
    size = root.find("{*}sldSz")
    across, down = (whole_number(size.get("cx")), whole_number(size.get("cy"))) if size is not None else (0, 0)
    return across or _WIDTH, down or _HEIGHT


@dataclass(slots=True)
class _Deck:
    """Writer of the slides of a presentation."""

    package: Package
    writer: Writer
    size: tuple[float, float]
    comments: SlideComments
    read_comments: bool
    damaged: list[int] = field(default_factory=list)
    partly: list[int] = field(default_factory=list)
    hidden: list[int] = field(default_factory=list)
    pictures: list[int] = field(default_factory=list)
    not_read: int = 0
    """Number of comments left out."""
    _layouts: dict[str, SlideLayout] = field(default_factory=dict)

    def read(self, number: int, part: str) -> None:
        """Write a slide; a damaged one is skipped with a warning."""
        try:
            root = self.package.root(part)
            related = list(self.package.related(part).values())
        except ParseError:
            self.damaged.append(number)
            return
        hidden = root.get("show") in ("0", "false")
        if hidden:
            self.hidden.append(number)
        tree = root.find("{*}cSld/{*}spTree")
        shapes = list(read_shapes(tree, self._layout(part))) if tree is not None else []
        before = self.writer.next_start
        slide = _Slide(self, part, number)
        slide.write(shapes, {"hidden": True} if hidden else {})
        for one in related:
            if one.kind == "notesSlide":
                slide.write_notes(one.part)
        try:
            self.not_read += write_comments(
                self.writer, self.comments.on_slide(related), read=self.read_comments, page=number
            )
        except TooLargeError:
            raise
        except ParseError:
            self.partly.append(number)
        if self.writer.next_start == before and any(local_name(shape.element) == "pic" for shape in shapes):
            self.pictures.append(number)

    def _layout(self, slide: str) -> SlideLayout:
        """Layout of a slide over its master's; empty if damaged: the texts remain."""
        layout = self._named(slide, "slideLayout")
        if layout not in self._layouts:
            merged = SlideLayout(*self.size)
            for part in (self._named(layout, "slideMaster"), layout):
                try:
                    merged = merged.with_placeholders(self.package.root(part)) if part in self.package else merged
                except ParseError:
                    continue
            self._layouts[layout] = merged
        return self._layouts[layout]

    def _named(self, part: str, kind: str) -> str:
        try:
            return (
                next((one.part for one in self.package.related(part).values() if one.kind == kind), "") if part else ""
            )
        except ParseError:
            return ""

    def warnings(self) -> Iterator[str]:
        rows = (
            (self.damaged, "could not be read, because it is damaged", "could not be read, because they are damaged"),
            (
                self.partly,
                "has a chart, diagram, note or comment that could not be read, because it is damaged",
                "have charts, diagrams, notes or comments that could not be read, because they are damaged",
            ),
            (self.hidden, "is hidden; it was read like the others", "are hidden; they were read like the others"),
            (
                self.pictures,
                "shows pictures only; there is no text on it",
                "show pictures only; there is no text on them",
            ),
        )
        for numbers, one, many in rows:
            if numbers:
                yield f"{_slides(numbers)} {one if len(numbers) == 1 else many}."
        yield from not_read(self.not_read)


@dataclass(slots=True)
class _Slide:
    """Writer of a slide."""

    deck: _Deck
    part: str
    number: int

    def write(self, shapes: Sequence[Shape], meta: Mapping[str, Any]) -> None:
        """Write a slide's title, then the rest; without one, its first block opens the section."""
        writer = self.deck.writer
        title = next((shape for shape in shapes if shape.placeholder in TITLES and _text(shape)), None)
        if title is not None:
            writer.block(BlockType.HEADING, [Piece(_text(title), self.number, title.box)], level=1, meta=meta)
        else:
            writer.open_section(1)
        for shape in shapes:
            if shape is not title:
                self._write_shape(shape)

    def write_notes(self, part: str) -> None:
        """Write the speaker notes."""
        try:
            tree = self.deck.package.root(part).find("{*}cSld/{*}spTree")
        except ParseError:
            self.deck.partly.append(self.number)
            return
        for shape in read_shapes(tree, SlideLayout(_WIDTH, _HEIGHT)) if tree is not None else ():
            if shape.placeholder not in _NO_NOTES:
                for paragraph in _paragraphs(shape):
                    self.deck.writer.block(
                        BlockType.PARAGRAPH, [Piece(paragraph.text, self.number)], meta={"notes": True}
                    )

    def _write_shape(self, shape: Shape) -> None:
        kind = local_name(shape.element)
        if kind == "graphicFrame":
            self._write_graphic(shape)
        elif kind == "pic":
            self._write_picture(shape)
        elif reason := _FURNITURE.get(shape.placeholder):
            self.deck.writer.leave_out([Piece(_text(shape), self.number, shape.box)], reason)
        else:
            write_paragraphs(self.deck.writer, list(_paragraphs(shape)), self.number, shape.box)

    def _write_graphic(self, shape: Shape) -> None:
        try:
            write_graphic(self.deck.writer, self.deck.package, self.part, shape.element, self.number, shape.box)
        except TooLargeError:
            raise
        except ParseError:
            self.deck.partly.append(self.number)

    def _write_picture(self, shape: Shape) -> None:
        """Write a picture's description, unless a program guessed it."""
        marks = shape.element.find("{*}nvPicPr/{*}cNvPr")
        described = (marks.get("descr") or "").strip() if marks is not None else ""
        if described and not _GUESSED.search(described):
            meta = {"alt": described, "path": ""}
            self.deck.writer.block(BlockType.IMAGE, [Piece(described, self.number, shape.box)], meta=meta)


def _paragraphs(shape: Shape) -> Iterator[SlideParagraph]:
    for body in shape.element.iterfind("{*}txBody"):
        yield from paragraphs_of(body, shape.styles)


def _text(shape: Shape) -> str:
    """The text of a shape in one line."""
    return " ".join(" ".join(paragraph.numbered_text for paragraph in _paragraphs(shape)).split())


def _slides(numbers: Sequence[int]) -> str:
    """Phrase for slide numbers: `Slide 3`, `Slides 3 and 4`, `Slides 1, 2, 3, 4, 5 and 20 more`."""
    named = [str(number) for number in numbers]
    if len(numbers) > _MOST_NAMED:
        return f"Slides {first_names(named, _MOST_NAMED)}"
    return f"Slide {named[0]}" if len(named) == 1 else f"Slides {', '.join(named[:-1])} and {named[-1]}"


_COMMENT_TAGS = frozenset({"cm", "reply"})
_AUTHORS = frozenset({"cmAuthor", "author"})


class SlideComments:
    """Comments of a presentation, in lists or newer threads; read slide by slide by `on_slide`.

    Args:
        package: the file.
        main: the part that lists its slides.
    """

    def __init__(self, package: Package, main: str) -> None:
        self._package = package
        self._main = main

    def on_slide(self, related: Iterable[OfficePart]) -> Iterator[Comment]:
        """Yield the comments of a slide, answers after their comment.

        Args:
            related: parts the slide refers to.
        Raises:
            ParseError: the part with them is damaged.
        """
        for one in related:
            if one.kind == "comments" and one.part in self._package:
                for element in self._package.root(one.part).iter():
                    if local_name(element) in _COMMENT_TAGS:
                        yield Comment(_comment_text(element), self._authors.get(element.get("authorId", ""), ""))

    @cached_property
    def _authors(self) -> dict[str, str]:
        """Names of authors by id."""
        parts = self._package.parts(self._main, "commentAuthors", "authors")
        people = (one for part in parts for one in self._package.root(part).iter() if local_name(one) in _AUTHORS)
        return {one.get("id", ""): one.get("name", "") for one in people}


def _comment_text(comment: _Element) -> str:
    """Text of a comment without its answers."""
    plain, rich = comment.findtext("{*}text"), comment.find("{*}txBody")
    if rich is None:
        return plain or ""
    return "\n".join("".join(text.text or "" for text in line.iter("{*}t")) for line in rich.iterfind("{*}p"))
