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
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from chunking.errors import ParseError, TooLargeError
from chunking.parsing.builder.reader_types import CONTENTS, RawFile, Reading
from chunking.parsing.builder.text_builder import Writer
from chunking.parsing.formats.office.docx.body import PART_STYLE, PATH_END, STYLE_MAP, PreparedPart, flat_words, prepare
from chunking.parsing.formats.office.docx.extra_parts import (
    comments_of,
    mark_comments,
    mark_inserted,
    place_comments,
    write_pages,
)
from chunking.parsing.formats.office.docx.heading_lines import name_heading_lines
from chunking.parsing.formats.office.docx.looks import LookSheet
from chunking.parsing.formats.office.docx.word_numbering import ListDefinitions
from chunking.parsing.formats.office.docx.word_styles import StyleSheet
from chunking.parsing.formats.office.file_comments import not_read, write_comments
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


def read_docx(raw: RawFile) -> Reading:
    """Read a Word file.

    Raises:
        ParseError: it is damaged, hostile, or no Word file.
        TooLargeError: it is over a limit.
    """
    package = Package(raw)
    text = package.main("Word document", "word/document.xml")
    sheets = package.parts(text, "styles")
    sheet = package.tree(sheets[0]) if sheets else None
    styles = StyleSheet(sheet)
    numbers = package.parts(text, "numbering")
    lists = ListDefinitions(package.tree(numbers[0]) if numbers else None, styles.list_styles)
    body = package.tree(text)
    write_charts(body, package, text)
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
    return writer.finish(title=package.title(), warnings=not_read(left_out), inner_files=inner)


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


def write_charts(root: _Element, package: Package, part: str) -> None:
    """Insert the text of each chart after the paragraph it is drawn in; a damaged one has no text.

    Args:
        root: of the part, which is changed.
    Raises:
        TooLargeError: one is nested too deep.
    """
    try:
        charts = charts_of(package, part)
    except TooLargeError:
        raise
    except ParseError:
        return
    word = root.tag[: root.tag.index("}") + 1]
    for reference in list(root.iter("{*}chart")) if charts else ():
        chart = charts.pop(attribute(reference, "id") or "", None)  # each once, however often it is referred to
        paragraph = next(reference.iterancestors(f"{word}p"), None)
        if chart is None or paragraph is None:
            continue
        for element in reversed(list(_chart_elements(chart, root, word))):
            paragraph.addnext(element)


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
