"""Read Word files: prepared (`body`), converted to a page by mammoth, and walked as one.

- Headings come from outline levels and style names, in any language, and from bold lines above text; a title at the top
  is above all others (`heading_lines`).
- Footnotes and endnotes form a list at the end, with their marks in the text.
- Comments follow their paragraph, table or list, if requested.
- Headers, footers, other comments and tables of contents are left out; deleted and hidden text is no text.
- Numbers that Word counts (of headings and list items) are counted likewise, and are part of the text.
- Inserted files (`altChunk`) are files of their own; a line takes their place.
- Pictures are not decoded; their descriptions are blocks.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from chunking.display import quantity
from chunking.errors import ParseError, TooLargeError
from chunking.model import BlockType
from chunking.parsing.builder.nested_files import InnerFiles
from chunking.parsing.builder.reader_types import CONTENTS, RawFile, Reading
from chunking.parsing.builder.text_builder import Writer
from chunking.parsing.formats.html.reader import write_html
from chunking.parsing.formats.office.docx.body import (
    ITEM_STYLES,
    PART,
    PART_STYLE,
    PATH_END,
    STYLE_MAP,
    PreparedPart,
    flat_words,
    prepare,
)
from chunking.parsing.formats.office.docx.heading_lines import name_heading_lines
from chunking.parsing.formats.office.docx.looks import LookSheet
from chunking.parsing.formats.office.docx.word_numbering import ListDefinitions
from chunking.parsing.formats.office.docx.word_styles import StyleSheet
from chunking.parsing.formats.office.file_comments import Comment, not_read, write_comments
from chunking.parsing.formats.office.office_parts import Package, attribute, relations_of
from chunking.parsing.formats.office.pptx.graphics import chart_rows, chart_titles, charts_of

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["read_docx"]

_NOTES = ("footnotes", "endnotes")
_FURNITURE = (("header", "page header"), ("footer", "page footer"))
"""Kinds of parts, with the reason to leave them out."""
_BACK = re.compile(r'<a href="#(?:foot|end)note-ref-[^"]*">↑</a>')
"""Mammoth's link from a note back to its mark."""

_NOTED = "comments"
"""Attribute with the ids of a paragraph's comments."""

Inserted = str | list[Comment]
"""Target of a mark: a file, by the name of its part, or comments."""

_MARK = re.compile(rb"<part>([0-9]+)</part>")
_HEAD = b'<meta charset="utf-8"><body>'


def read_docx(raw: RawFile) -> Reading:
    """Read a Word file: body, charts and notes; comments if `raw.comments` (see the module).

    Inserted files are not read, but returned as inner files.

    Raises:
        ParseError: it is damaged, hostile, or no Word file.
        TooLargeError: over a limit of archives, XML, nesting, paragraphs or text.
    """
    package = Package(raw)
    text = package.main("Word document", "word/document.xml")
    sheets = package.parts(text, "styles")
    sheet = package.tree(sheets[0]) if sheets else None
    styles = StyleSheet(sheet)
    numbers = package.parts(text, "numbering")
    lists = ListDefinitions(package.tree(numbers[0]) if numbers else None, styles.list_styles)
    body = package.tree(text)
    lost_charts = write_charts(body, package, text)
    inserted = mark_inserted(body, package, text)
    if raw.comments:
        mark_comments(body)
    guessed = name_heading_lines(body, styles, LookSheet(sheet), package.title())
    main = prepare(body, styles, lists, _pictures(package, text), raw.source)
    comments = comments_of(package, text)
    apart = place_comments(main.root, comments, inserted) if raw.comments else list(comments.values())
    notes = {name: prepare(package.tree(name), styles, lists, {}, raw.source) for name in package.parts(text, *_NOTES)}
    writer = Writer(raw.source)
    parts = {text: main, **notes}
    page = _converted(_repacked(package, text, parts), raw.source, _style_map(parts.values(), guessed))
    inner = write_pages(page, writer, package, raw, inserted, guessed)
    writer.leave_out("\n".join(main.contents), CONTENTS)
    for words, reason in dict.fromkeys(_furniture(package, text)):
        writer.leave_out(words, reason)
    left_out = write_comments(writer, apart, read=raw.comments)
    warnings = [*_damaged_charts(lost_charts), *not_read(left_out)]
    return writer.finish(title=package.title(), warnings=warnings, inner_files=inner)


def _pictures(package: Package, text: str) -> dict[str, str]:
    """Names of the pictures in the text by relation id, relative to it (`media/image1.png`)."""
    folder = f"{posixpath.dirname(text)}/"
    return {key: one.part.removeprefix(folder) for key, one in package.related(text).items() if one.kind == "image"}


def _repacked(package: Package, text: str, changed: dict[str, PreparedPart]) -> io.BytesIO:
    """Build a Word file of the parts that mammoth reads, prepared; they need no style sheet."""
    from lxml import etree

    new = io.BytesIO()
    names = [relations_of(""), "[Content_Types].xml", *map(relations_of, changed)]
    with zipfile.ZipFile(new, "w") as archive:
        for name, part in changed.items():
            archive.writestr(name, etree.tostring(part.root))
        for name in dict.fromkeys(names):
            if name in package and name not in changed:
                archive.writestr(name, etree.tostring(package.tree(name)))
    return new


def _style_map(parts: Iterable[PreparedPart], guessed: Iterable[str]) -> str:
    """Mammoth's rules for the styles in use, the most frequent first."""
    used = sum((part.styles for part in parts), Counter([PART_STYLE]))  # comments take their places after this
    rules = STYLE_MAP | {name: f"p.{name} => h{name[5]}.{name}:fresh" for name in guessed}
    return "\n".join(rules[name] for name, _ in used.most_common() if name in rules)


def _converted(file: io.BytesIO, source: str, styles: str) -> bytes:
    import mammoth

    options = {"include_default_style_map": False, "include_embedded_style_map": False, "convert_image": _picture}
    try:
        page = mammoth.convert_to_html(file, style_map=styles, **options)
    except RecursionError as error:
        raise TooLargeError(
            f"{source} nests tables or frames too deep to be read; save it again with less nesting.", where=source
        ) from error
    except (
        KeyError,
        ValueError,
        AttributeError,
        TypeError,
        IndexError,
    ) as error:  # what it raises where a part is not as it must be
        raise ParseError(f"{source} is damaged; save it again with the program that made it.", where=source) from error
    return f'<meta charset="utf-8"><body>{_BACK.sub("", page.value)}'.encode()


def _picture(image: Any) -> list[Any]:
    """Attributes of a picture by name and description; the file is not opened."""
    from mammoth import html

    path, mark, alt = (image.alt_text or "").partition(PATH_END)
    return [html.element("img", {"src": path, "alt": alt} if mark else {"alt": path})]


def _furniture(package: Package, text: str) -> Iterator[tuple[str, str]]:
    """(words, reason) of headers and footers."""
    for kind, reason in _FURNITURE:
        for name in package.parts(text, kind):
            words = flat_words(package.tree(name))
            if words:
                yield words, reason


def _damaged_charts(number: int) -> Iterator[str]:
    if number:
        yield f"{quantity(number, 'chart')} could not be read, because of damage in the file."


def write_charts(root: _Element, package: Package, part: str) -> int:
    """Insert each chart's titles and table after its paragraph; return the number of damaged charts.

    Args:
        root: of the part, which is changed.
    Raises:
        TooLargeError: one is nested too deep.
    """
    charts = charts_of(package, part)
    damaged = sum(one.kind == "chart" and one.part in package for one in package.related(part).values()) - len(charts)
    word = root.tag[: root.tag.index("}") + 1]
    for reference in list(root.iter("{*}chart")) if charts else ():
        chart = charts.pop(attribute(reference, "id") or "", None)  # each once, however often it is referred to
        paragraph = next(reference.iterancestors(f"{word}p"), None)
        if chart is None or paragraph is None:
            continue
        for element in reversed(list(_chart_elements(chart, root, word))):
            paragraph.addnext(element)
    return damaged


def _chart_elements(chart: _Element, root: _Element, word: str) -> Iterator[_Element]:
    """Titles as paragraphs, numbers as a table."""
    for title in chart_titles(chart):
        yield _paragraph(root, word, title)
    rows = chart_rows(chart)
    if rows:
        table = root.makeelement(f"{word}tbl")
        for row in rows:
            line = root.makeelement(f"{word}tr")
            table.append(line)
            for text in row:
                cell = root.makeelement(f"{word}tc")
                line.append(cell)
                cell.append(_paragraph(root, word, text))
        yield table


def _paragraph(root: _Element, word: str, text: str) -> _Element:
    paragraph, run, words = (root.makeelement(word + name) for name in ("p", "r", "t"))
    words.text = text
    run.append(words)
    paragraph.append(run)
    return paragraph


def comments_of(package: Package, part: str) -> dict[str, Comment]:
    """Return the comments of a text part by id, in file order; empty without any."""
    parts = (package.tree(name) for name in package.parts(part, "comments"))
    every = (one for root in parts for one in root.iterchildren("{*}comment"))
    return {attribute(one, "id") or "": Comment(flat_words(one), attribute(one, "author") or "") for one in every}


def mark_comments(root: _Element) -> None:
    """Set an attribute of each paragraph to the ids of its comments.

    `prepare` removes the references.
    """
    word = root.tag[: root.tag.index("}") + 1]
    for reference in root.iter(f"{word}commentReference"):
        paragraph = next(reference.iterancestors(f"{word}p"), None)
        if paragraph is not None:
            paragraph.set(_NOTED, f"{paragraph.get(_NOTED, '')} {attribute(reference, 'id') or ''}")


def place_comments(root: _Element, comments: Mapping[str, Comment], inserted: list[Inserted]) -> list[Comment]:
    """Insert a numbered placeholder after each body paragraph or table with comments.

    A list, quote or listing is not split: its comments follow it.

    Args:
        root: a prepared text.
        inserted: content of placeholders by number; the comments of each new one are appended.
    Returns:
        Comments without a place in the text.
    """
    word = root.tag[: root.tag.index("}") + 1]
    left, waiting = dict(comments), list[Comment]()
    for place in [child for body in root.iter(f"{word}body") for child in body]:
        waiting += [left.pop(one) for one in _noted(place) if one in left]
        if waiting and not _goes_on(place, word):
            place.addnext(_mark(place, word, len(inserted)))
            inserted.append(waiting)
            waiting = []
    return [*waiting, *left.values()]


def _noted(place: _Element) -> Iterable[str]:
    return [one for element in place.iter() for one in element.get(_NOTED, "").split()]


def _goes_on(place: _Element, word: str) -> bool:
    """True if the next element continues the list, quote or listing, or a paragraph with a deleted end."""
    after = place.getnext()
    if after is None:
        return False
    if place.find(f"{word}pPr/{word}rPr/{word}del") is not None:
        return True
    styles = [one.find(f"{word}pPr/{word}pStyle") for one in (place, after)]
    names = [None if one is None else one.get(f"{word}val") for one in styles]
    listed = [name is not None and name.startswith(ITEM_STYLES) for name in names]
    return all(listed) or (names[0] in ("Code", "Quote") and names[0] == names[1])


def _mark(place: _Element, word: str, number: int) -> _Element:
    paragraph = place.makeelement(f"{word}p")
    properties, run = place.makeelement(f"{word}pPr"), place.makeelement(f"{word}r")
    properties.append(place.makeelement(f"{word}pStyle", {f"{word}val": PART_STYLE}))
    text = place.makeelement(f"{word}t")
    text.text = str(number)
    run.append(text)
    paragraph.extend([properties, run])
    return paragraph


def mark_inserted(root: _Element, package: Package, part: str) -> list[Inserted]:
    """Replace each inserted file by a numbered placeholder; returns the parts' names by number.

    One whose part is missing is removed. A file in a table moves after the table, since its text has blocks of its own.
    """
    word = root.tag[: root.tag.index("}") + 1]
    related = package.related(part)
    parts: list[Inserted] = []
    for chunk in list(root.iter(f"{word}altChunk")):
        target = related.get(attribute(chunk, "id") or "")
        place = chunk
        while place.getparent() is not None and place.getparent().tag != f"{word}body":
            place = place.getparent()
        if target is not None and target.part in package and place.getparent() is not None:
            paragraph = root.makeelement(f"{word}p", {PART: "yes"})
            run, text = root.makeelement(f"{word}r"), root.makeelement(f"{word}t")
            text.text = str(len(parts))
            run.append(text)
            paragraph.append(run)
            place.addnext(paragraph)
            parts.append(target.part)
        chunk.getparent().remove(chunk)
    return parts


def write_pages(
    page: bytes,
    writer: Writer,
    package: Package,
    raw: RawFile,
    inserted: list[Inserted],
    guessed: Mapping[str, Mapping[str, object]],
) -> InnerFiles:
    """Write the converted page, its comments and a line per inserted file; returns these files."""
    inner = InnerFiles()
    pieces = _MARK.split(page) if inserted else [page]
    waiting = dict(enumerate(inserted))
    for number, piece in enumerate(pieces):
        if not number % 2:
            write_html(
                piece if not number else _HEAD + piece, writer, source=raw.source, word_processed=True, classes=guessed
            )
            continue
        part = waiting.pop(int(piece[:9]), "")
        if isinstance(part, list):
            write_comments(writer, part, read=True)
        elif part:
            writer.block(
                BlockType.METADATA, f"Inserted file: {inner.add(posixpath.basename(part), package.data(part))}"
            )
    return inner
