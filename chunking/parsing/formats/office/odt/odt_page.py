"""Convert the body of an OpenDocument text to an HTML page, which the HTML reader reads.

Elements not named here only hold others: their text is kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from chunking.parsing.builder.reader_types import CONTENTS
from chunking.parsing.formats.html.list_markers import MARKER
from chunking.parsing.formats.office.file_comments import COMMENT, Comment
from chunking.parsing.formats.office.odt.odt_cells import RepeatedCells
from chunking.parsing.formats.office.odt.odt_elements import (
    BOXES,
    LEFT_OUT,
    SKIPPED,
    attribute,
    count,
    full_name,
    lines_under,
    short_name,
)
from chunking.parsing.formats.office.odt.odt_styles import ListNumbers, OdtStyles
from chunking.text.raised_text import END

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["PageBuilder"]

_MOST_SPACES = 100
_SPACE = re.compile(r"[ \t\r\n]+")
_HEADINGS = frozenset(f"h{level}" for level in range(1, 7))


@dataclass(slots=True)
class _Open:
    """A page element being filled."""

    element: _Element
    run: list[str] = field(default_factory=list)
    """Text not yet in the element; inserted at once, so that many runs take linear time."""
    aside: bool = False
    """True for a note or box, placed after its paragraph."""

    def write_run(self) -> None:
        """Append the text to the element."""
        text = "".join(self.run)
        self.run.clear()
        if text and len(self.element):
            self.element[-1].tail = (self.element[-1].tail or "") + text
        elif text:
            self.element.text = (self.element.text or "") + text


class PageBuilder:
    """Builder of an HTML page from a text's body; collects left-out texts, counts other objects.

    The methods that open or write an element return True if its content is to be skipped.
    """

    def __init__(
        self, styles: OdtStyles, source: str, formula: Callable[[str], str], *, comments: bool = False
    ) -> None:
        """
        Args:
            styles: of the file.
            source: its name, for sentences.
            formula: returns the formula of an embedded object by address; empty for anything else.
            comments: true: comments follow their paragraph; else they are left out.
        """
        self._comments = comments
        self._styles = styles
        self._formula = formula
        self._stack: list[_Open] = []
        """One entry per open element of the file."""
        self._aside: list[_Element] = []
        self._numbers = ListNumbers(styles)
        self._cells = RepeatedCells(source)
        self._last_raised = ""
        """Opening of the last raised text; one right after it is merged."""
        self._mark = ""
        """Mark of the note that begins with the next paragraph."""
        self.left_out: list[tuple[str, str]] = []
        """(text, reason)."""
        self.objects = 0
        """Number of charts and other embedded files, which are not read."""

    def build(self, body: _Element) -> _Element:
        """Build the page, a `body` element; fills `left_out` and `objects`. Call it once.

        Raises:
            TooLargeError: too many repeated cells (`RepeatedCells`).
        """
        from lxml import etree

        page = etree.Element("body")
        stack = self._stack = [_Open(page)]
        walk = etree.iterwalk(body, events=("start", "end"))
        for event, element in walk:
            name = short_name(element)
            if event == "start":
                stack.append(stack[-1])
                if name in SKIPPED or (name in _STARTED and _STARTED[name](self, element)):
                    walk.skip_subtree()
                elif element.text:
                    stack[-1].run.append(_SPACE.sub(" ", element.text))
                continue
            done = stack.pop()
            if done is not stack[-1]:
                done.write_run()
            if name in _ENDED:
                _ENDED[name](self, element, done.element)
            if element.tail and element is not body:
                stack[-1].run.append(_SPACE.sub(" ", element.tail))
        self._write_asides()
        stack[0].write_run()
        return page

    def _add(self, tag: str, **attributes: str) -> _Element:
        """Add an element to the open one, for the file's element that begins."""
        from lxml import etree

        inside = self._stack[-2]
        inside.write_run()
        element = etree.SubElement(inside.element, tag, attributes)
        self._stack[-1] = _Open(element, aside=inside.aside)
        return element

    def _set_aside(self) -> None:
        """Start an element that is placed after the paragraph."""
        from lxml import etree

        element = etree.Element("div")
        self._aside.append(element)
        self._stack[-1] = _Open(element, aside=True)

    def _write_asides(self) -> None:
        """Insert notes and boxes here, unless this is one itself, or in a table."""
        here = self._stack[-1]
        if self._aside and not here.aside and not self._cells.in_table:
            here.write_run()
            here.element.extend(self._aside)
            self._aside = []

    # paragraphs

    def open_heading(self, element: _Element) -> bool:
        """Start a heading, with its counted number unless the file states one; skip if hidden."""
        self._add(f"h{count(element, 'text:outline-level', 6)}")
        if self._styles.is_hidden(attribute(element, "text:style-name")):
            return True
        marker = self._numbers.heading_marker(element)
        if not (element.findtext(full_name("text:number")) or "").strip():
            self._mark_item(marker)
        return False

    def _mark_item(self, marker: str) -> None:
        """Write the number of an item or heading at its start."""
        if marker:
            from lxml import etree

            etree.SubElement(self._stack[-1].element, MARKER).text = marker

    def open_paragraph(self, element: _Element) -> bool:
        """Start a paragraph, heading, quote or code by style; skip hidden ones.

        Lines of a table of contents are left out, and skipped.
        """
        look = self._styles.look(attribute(element, "text:style-name"))
        if look.hidden:
            return True
        if look.role == "contents":
            self.left_out.append((lines_under(element), CONTENTS))
            return True
        if look.role == "code":
            self._open_code()
        elif look.level:
            self._add(f"h{min(look.level, 6)}")
        else:
            self._add("blockquote" if look.role == "quote" else "p")
        marker = self._numbers.item_marker()
        if look.role != "code":
            self._mark_item(marker)
        if self._mark:
            self._stack[-1].run.append(self._mark)
            self._mark = ""
        return False

    def _open_code(self) -> None:
        """Merge consecutive lines of code."""
        inside = self._stack[-2]
        last = inside.element[-1] if len(inside.element) and not "".join(inside.run).strip() else None
        if last is not None and last.tag == "pre":
            self._stack[-1] = _Open(last, ["\n"], inside.aside)
        else:
            self._add("pre")

    def close_paragraph(self, _: _Element, __: _Element) -> None:
        """Insert the notes, boxes and comments of a finished paragraph or heading after it."""
        self._write_asides()

    def open_span(self, element: _Element) -> bool:
        """Mark the start of raised text; True for a hidden span, which is to be skipped."""
        name = attribute(element, "text:style-name")
        if self._styles.is_hidden(name):
            return True
        if opening := self._styles.raised(name):
            run = self._stack[-1].run
            if run[-1:] == [END] and self._last_raised == opening:
                run.pop()
            else:
                run.append(opening)
            self._last_raised = opening
        return False

    def close_span(self, element: _Element, _: _Element) -> None:
        if self._styles.raised(attribute(element, "text:style-name")):
            self._stack[-1].run.append(END)

    def open_section(self, element: _Element) -> bool:
        """Start a section; a hidden one is recorded as left out and skipped."""
        if attribute(element, "text:display") == "none":
            self.left_out.append((lines_under(element), "hidden section"))
            return True
        self._add("div")
        return False

    def write_spaces(self, element: _Element) -> bool:
        self._stack[-1].run.append(" " * count(element, "text:c", _MOST_SPACES))
        return False

    def write_tab(self, _: _Element) -> bool:
        self._stack[-1].run.append("\t")
        return False

    def write_break(self, _: _Element) -> bool:
        self._add("br")
        self._stack[-1] = self._stack[-2]
        return False

    def open_number(self, _: _Element) -> bool:
        """Keep the number stated in a heading; skip that of a list item, which is counted anew."""
        return not self._in_heading()

    def close_number(self, _: _Element, __: _Element) -> None:
        if self._in_heading():
            self._stack[-1].run.append(" ")

    def _in_heading(self) -> bool:
        return self._stack[-1].element.tag in _HEADINGS

    # beside the text

    def open_note(self, element: _Element) -> bool:
        """Leave a note's mark in the text, except in a heading; it also precedes the note."""
        if not self._in_heading():
            self._stack[-1].run.append(_note_mark(element))
        return False

    def open_note_body(self, element: _Element) -> bool:
        """Start a note's text, which is placed after the paragraph and begins with its mark."""
        self._set_aside()
        self._mark = f"{_note_mark(element.getparent())} "
        return False

    def close_note_body(self, _: _Element, __: _Element) -> None:
        self._mark = ""

    def open_box(self, _: _Element) -> bool:
        """Start the text of a box, placed after its paragraph; in a table it stays in its cell."""
        if self._cells.in_table:
            self._add("div")
        else:
            self._set_aside()
        return False

    def close_box(self, _: _Element, __: _Element) -> None:
        """End a box; one tied to a page rather than a paragraph stays in place."""
        if self._stack[-1].element.tag in ("body", "div"):
            self._write_asides()

    def leave_out(self, element: _Element) -> bool:
        """Record a table of contents, index or list of figures as left out, and skip it."""
        self.left_out.append((lines_under(element), LEFT_OUT[short_name(element)]))
        return True

    def write_comment(self, element: _Element) -> bool:
        """Place a comment after its paragraph if requested, else record it as left out."""
        from lxml import etree

        line = Comment(lines_under(element), element.findtext(full_name("dc:creator")) or "").line
        if not self._comments or not line:
            self.left_out.append((line, COMMENT))
            return True
        aside = etree.Element("div")
        etree.SubElement(aside, "p").text = line
        self._aside.append(aside)
        return True

    def open_frame(self, element: _Element) -> bool:
        """Write a formula, or a picture by its description; visit the content of the frame, too."""
        parts = {short_name(part): part for part in element}
        if "draw:text-box" in parts:
            return False
        embedded = parts.get("draw:object")
        if embedded is not None and (formula := self._formula(attribute(embedded, "xlink:href"))):
            self._add("math").text = formula
            self._stack[-1] = self._stack[-2]
            return False
        self.objects += not {"draw:object", "draw:object-ole"}.isdisjoint(parts)
        alt = " ".join(part.text or "" for name in ("svg:title", "svg:desc") if (part := parts.get(name)) is not None)
        if alt.strip():
            picture = parts.get("draw:image")
            self._add("img", alt=alt, src=attribute(picture, "xlink:href") if picture is not None else "")
            self._stack[-1] = self._stack[-2]
        return False

    # lists

    def open_list(self, element: _Element) -> bool:
        """Start a list; its items get their numbers as text."""
        self._numbers.open_list(element)
        self._add("ul")  # whose items bring their numbers with them
        return False

    def close_list(self, _: _Element, __: _Element) -> None:
        self._numbers.close_list()

    def open_item(self, element: _Element) -> bool:
        self._numbers.open_item(element)
        self._add("li")
        return False

    def open_holder(self, _: _Element) -> bool:
        self._add("div")
        return False

    # tables

    def open_table(self, _: _Element) -> bool:
        self._add("table")
        self._cells.begin_table()
        return False

    def close_table(self, _: _Element, __: _Element) -> None:
        self._cells.end_table()
        self._write_asides()

    def open_header(self, _: _Element) -> bool:
        self._add("thead")
        return False

    def open_row(self, _: _Element) -> bool:
        self._add("tr")
        self._cells.begin_row()
        return False

    def close_row(self, element: _Element, row: _Element) -> None:
        self._cells.repeat_row(element, row)

    def open_cell(self, element: _Element) -> bool:
        columns, rows = (
            attribute(element, "table:number-columns-spanned"),
            attribute(element, "table:number-rows-spanned"),
        )
        spans = {"colspan": columns} if columns not in ("", "1") else {}
        self._add("td", **spans, **({"rowspan": rows} if rows not in ("", "1") else {}))
        return False

    def close_cell(self, element: _Element, cell: _Element) -> None:
        self._cells.repeat_cell(element, cell)


def _note_mark(note: _Element) -> str:
    """Reference to a note, such as `[1]`."""
    return f"[{(note.findtext(full_name('text:note-citation')) or '*').strip()}]"


_STARTED: dict[str, Callable[[PageBuilder, Any], bool]] = {
    "text:h": PageBuilder.open_heading,
    "text:p": PageBuilder.open_paragraph,
    "text:span": PageBuilder.open_span,
    "text:section": PageBuilder.open_section,
    "text:s": PageBuilder.write_spaces,
    "text:tab": PageBuilder.write_tab,
    "text:line-break": PageBuilder.write_break,
    "text:number": PageBuilder.open_number,
    "text:note": PageBuilder.open_note,
    "text:note-body": PageBuilder.open_note_body,
    "draw:frame": PageBuilder.open_frame,
    **dict.fromkeys((f"draw:{name}" for name in BOXES), PageBuilder.open_box),
    **dict.fromkeys(LEFT_OUT, PageBuilder.leave_out),
    "office:annotation": PageBuilder.write_comment,
    "text:list": PageBuilder.open_list,
    "text:list-item": PageBuilder.open_item,
    "text:list-header": PageBuilder.open_holder,
    "table:table": PageBuilder.open_table,
    "table:table-header-rows": PageBuilder.open_header,
    "table:table-row": PageBuilder.open_row,
    "table:table-cell": PageBuilder.open_cell,
}
"""Actions at the start of an element; True: skip its content."""

_ENDED: dict[str, Callable[[PageBuilder, Any, Any], None]] = {
    "text:h": PageBuilder.close_paragraph,
    "text:p": PageBuilder.close_paragraph,
    "text:span": PageBuilder.close_span,
    "text:number": PageBuilder.close_number,
    "text:note-body": PageBuilder.close_note_body,
    **dict.fromkeys((f"draw:{name}" for name in BOXES), PageBuilder.close_box),
    "text:list": PageBuilder.close_list,
    "table:table": PageBuilder.close_table,
    "table:table-row": PageBuilder.close_row,
    "table:table-cell": PageBuilder.close_cell,
}
"""Actions at the end of an element."""
