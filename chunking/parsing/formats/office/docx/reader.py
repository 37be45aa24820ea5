"""Word files: made ready (`body`), turned into a page by mammoth, and walked as one.

- Headings come from the outline levels and names of styles, whatever language they are in, and from bold lines over
  text; a
  title at the top stands above all others (`heading_lines`).
- Footnotes and endnotes are a list at the end of the text, with their marks where they are referred to.
- Comments follow the paragraph, table or list that they are tied to, where they are asked for.
- Headers, footers, other comments and tables of contents are left out; deleted and hidden text is not text.
- Numbers that Word counts itself (of headings and items of lists) are counted as it does, and are part of the text.
- Files that Word takes over as they are (`altChunk`) are files of their own; a line stands in their place.
- Pictures are not decoded; their descriptions are blocks.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from chunking.errors import ParseError, TooLargeError
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.builder.text_builder import Writer
from chunking.parsing.formats.office.docx.body import PART_STYLE, PATH_END, STYLE_MAP, PreparedPart, flat_words, prepare
from chunking.parsing.formats.office.docx.charts import write_charts
from chunking.parsing.formats.office.docx.comments import comments_of, mark_comments, place_comments
from chunking.parsing.formats.office.docx.heading_lines import name_heading_lines
from chunking.parsing.formats.office.docx.inserted import mark_inserted, write_pages
from chunking.parsing.formats.office.docx.looks import LookSheet
from chunking.parsing.formats.office.docx.numbering import ListDefinitions
from chunking.parsing.formats.office.docx.styles import StyleSheet
from chunking.parsing.formats.office.file_comments import not_read, write_comments
from chunking.parsing.formats.office.office_parts import Package, relations_of

__all__ = ["read_docx"]

_NOTES = ("footnotes", "endnotes")
_FURNITURE = (("header", "page header"), ("footer", "page footer"))
"""Kinds of parts, and the reason for which they are left out."""
_BACK = re.compile(r'<a href="#(?:foot|end)note-ref-[^"]*">↑</a>')
"""What mammoth puts after a note, to lead back to its mark."""
_LEFT_OUT = "table of contents"


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
    writer.leave_out("\n".join(main.contents), _LEFT_OUT)
    for words, reason in dict.fromkeys(_furniture(package, text)):
        writer.leave_out(words, reason)
    left_out = write_comments(writer, apart, read=raw.comments)
    return writer.finish(title=package.title(), warnings=not_read(left_out), inner_files=inner)


def _pictures(package: Package, text: str) -> dict[str, str]:
    """Names of the pictures in the text, by the ids of their relations, as they stand beside it (`media/image1.png`)."""
    beside = f"{posixpath.dirname(text)}/"
    return {key: one.part.removeprefix(beside) for key, one in package.related(text).items() if one.kind == "image"}


def _repacked(package: Package, text: str, changed: dict[str, PreparedPart]) -> io.BytesIO:
    """A Word file of the parts that mammoth reads, those that were made ready in place of their originals; these need
    no style sheet.
    """
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
    """What mammoth makes of the styles in use, the most frequent first."""
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
            f"{source} nests tables or frames too deep to be read; save it again with less of them.", where=source
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
    """A picture by its name and description; it is not opened."""
    from mammoth import html

    path, mark, alt = (image.alt_text or "").partition(PATH_END)
    return [html.element("img", {"src": path, "alt": alt} if mark else {"alt": path})]


def _furniture(package: Package, text: str) -> Iterator[tuple[str, str]]:
    """(words, reason) of what stands beside the text."""
    for kind, reason in _FURNITURE:
        for name in package.parts(text, kind):
            words = flat_words(package.tree(name))
            if words:
                yield words, reason
