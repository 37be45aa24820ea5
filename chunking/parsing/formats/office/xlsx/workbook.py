"""Parts of a workbook shared by its sheets: names, strings, number formats."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from chunking.errors import ParseError, TooLargeError
from chunking.parsing.builder.reader_types import RawFile
from chunking.parsing.formats.office.office_parts import Package, attribute, whole_number
from chunking.parsing.formats.office.xlsx.formats import BUILT_IN, MAX_FORMAT, formatter, general, text_frame
from chunking.parsing.safe_input.safe_xml import damaged
from chunking.text.raised_text import SUBSCRIPT, SUPERSCRIPT, add_raised, write_raised

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["MAX_SHEETS", "MAX_STRINGS", "Sheet", "Workbook", "rich_text", "stream"]

MAX_SHEETS = 5_000
"""Most sheets of a workbook. Each takes a millisecond or two, and many entries may name one part."""
MAX_STRINGS = 2_000_000
"""Most shared strings of a workbook."""

_ALIGNED = {"superscript": SUPERSCRIPT, "subscript": SUBSCRIPT}
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


class Sheet(NamedTuple):
    """Entry of a sheet in the workbook: name, part and kind, without its cells."""

    name: str
    part: str
    hidden: bool
    cells: bool
    """True if it has cells, rather than only a chart."""


class Workbook:
    """An XLSX file: its list of sheets, shared strings and number formats, without cells."""

    def __init__(self, raw: RawFile) -> None:
        """
        Raises:
            ParseError: it is no workbook, or what all sheets need is damaged.
            TooLargeError: over a limit of archives, more than `MAX_SHEETS`, or more than `MAX_STRINGS` texts.
        """
        self.package = Package(raw)
        self.main = self.package.main("workbook")
        self._root = self.package.root(self.main)
        related = self.package.related(self.main)
        self._parts = {one.kind: one.part for one in related.values() if one.part in self.package}
        self.sheets = list(self._sheets())
        properties = self._root.find("{*}workbookPr")
        self._since_1904 = properties is not None and properties.get("date1904") in ("1", "true")
        self.strings = self._strings()
        self._formats = self._cell_formats()
        self._writers: dict[int, Callable[[float], str]] = {}
        frames = {code: text_frame(code) for code in set(self._formats)}
        self.text_frames = {style: frame for style, code in enumerate(self._formats) if (frame := frames[code])}
        """Text before and after texts, by cell style."""

    def number(self, value: float, style: int) -> str:
        """Write a number in the format of a cell style; without one, with up to 15 digits."""
        write = self._writers.get(style)
        if write is None:
            code = self._formats[style] if 0 <= style < len(self._formats) else ""
            write = formatter(code, since_1904=self._since_1904) if code and code.lower() != "general" else general
            self._writers[style] = write
        return write(value)

    def _sheets(self) -> Iterator[Sheet]:
        related = self.package.related(self.main)
        entries = self._root.findall("{*}sheets/{*}sheet")
        if len(entries) > MAX_SHEETS:
            source = self.package.source
            raise TooLargeError(
                f"{source} has {len(entries):,} sheets; the limit is {MAX_SHEETS:,}. Split it into smaller files.",
                where=source,
            )
        for entry in entries:
            one = related.get(attribute(entry, "id") or "")
            if one is not None:
                hidden = entry.get("state", "visible") != "visible"
                yield Sheet(
                    " ".join(entry.get("name", "").split()), one.part, hidden, one.kind in ("worksheet", "xlMacrosheet")
                )

    def _strings(self) -> list[str]:
        part = self._parts.get("sharedStrings")
        strings: list[str] = []
        for element in stream(self.package, part, "si") if part else ():
            strings.append(rich_text(element))
            if len(strings) > MAX_STRINGS:
                source = self.package.source
                raise TooLargeError(
                    f"{source} holds more than {MAX_STRINGS:,} different texts; split it into smaller files.",
                    where=source,
                )
        return strings

    def _cell_formats(self) -> list[str]:
        """Number format of each style; empty if the styles are damaged: numbers are shown as stored."""
        part = self._parts.get("styles")
        if part is None:
            return []
        try:
            root = self.package.root(part)
        except ParseError:
            return []
        codes = (
            (entry.get("numFmtId"), entry.get("formatCode") or "") for entry in root.iterfind("{*}numFmts/{*}numFmt")
        )
        own = {one: code if len(code) <= MAX_FORMAT else "" for one, code in codes}
        ids = [entry.get("numFmtId", "0") for entry in root.iterfind("{*}cellXfs/{*}xf")]
        return [own[one] if one in own else BUILT_IN.get(whole_number(one), "") for one in ids]


def stream(package: Package, part: str, *names: str) -> Iterator[_Element]:
    """Yield a part's elements with these names, each emptied before the next, to save memory.

    Entities, which `open_archive` refuses in any part, are not followed here either.

    Raises:
        ParseError: the part is missing or damaged.
    """
    from lxml import etree

    tags = [f"{{*}}{name}" for name in names]
    try:
        events = etree.iterparse(
            io.BytesIO(package.data(part)), tag=tags, resolve_entities=False, no_network=True, load_dtd=False
        )
        for _, element in events:
            yield element
            element.clear(keep_tail=True)
            while element.getprevious() is not None:
                del element.getparent()[0]
    except etree.XMLSyntaxError as error:
        raise damaged(error, package.source, part=part) from error


def rich_text(element: _Element) -> str:
    """Return a string item as plain text, raised runs written out, without phonetic guides."""
    parts = [text.text or "" for text in element.iterfind("{*}t")]
    content = "".join(parts) if parts else _runs(element)
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), content) if "_x" in content else content


def _runs(element: _Element) -> str:
    """Text of runs, some of them raised."""
    parts: list[str] = []
    for run in element.iterfind("{*}r"):
        aligned = run.find("{*}rPr/{*}vertAlign")
        opening = "" if aligned is None else _ALIGNED.get(aligned.get("val") or "", "")
        for text in run.iterfind("{*}t"):
            if opening and text.text:
                add_raised(parts, text.text, opening)
            else:
                parts.append(text.text or "")
    return write_raised("".join(parts))
